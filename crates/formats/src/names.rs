//! The syntax of names in Kubernetes
//! (<https://kubernetes.io/docs/concepts/overview/working-with-objects/names/>), with the messages of apimachinery.

const LABEL: &str = "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
const SUBDOMAIN: &str = "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const LETTER_LABEL: &str = "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";

fn is_label(text: &str) -> bool {
    let is_end = |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit();
    text.starts_with(is_end)
        && text.ends_with(is_end)
        && text.chars().all(|letter| is_end(letter) || letter == '-')
}

/// A name of letters, digits, `-`, `_` and `.`.
fn is_word(text: &str) -> bool {
    let is_end = |letter: char| letter.is_ascii_alphanumeric();
    text.starts_with(is_end)
        && text.ends_with(is_end)
        && text
            .chars()
            .all(|letter| is_end(letter) || "-_.".contains(letter))
}

/// The server counts bytes, which it calls characters in some messages.
fn violations(
    text: &str,
    (limit, unit): (usize, &str),
    is_valid: bool,
    syntax: &str,
) -> Vec<String> {
    let mut found = Vec::new();
    if text.len() > limit {
        found.push(format!("must be no more than {limit} {unit}"));
    }
    if !is_valid {
        found.push(syntax.to_owned());
    }
    found
}

/// Returns the violations of an RFC 1123 label.
pub fn dns_1123_label(text: &str) -> Vec<String> {
    let is_subdomain = text.split('.').all(is_label);
    let syntax = if is_subdomain {
        "must not contain dots"
    } else {
        LABEL
    };
    violations(text, (63, "characters"), is_label(text), syntax)
}

/// Returns the violations of an RFC 1123 subdomain.
pub fn dns_1123_subdomain(text: &str) -> Vec<String> {
    subdomain(text, "characters")
}

fn subdomain(text: &str, unit: &str) -> Vec<String> {
    let is_valid = text.split('.').all(is_label);
    violations(text, (253, unit), is_valid, SUBDOMAIN)
}

/// Returns the violations of an RFC 1035 label, which starts with a letter.
pub fn dns_1035_label(text: &str) -> Vec<String> {
    let is_valid = is_label(text) && text.starts_with(|first: char| first.is_ascii_lowercase());
    violations(text, (63, "characters"), is_valid, LETTER_LABEL)
}

/// Returns the violations of the key of a label.
pub fn qualified_name(text: &str) -> Vec<String> {
    const SYNTAX: &str = "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
    let (prefix, name) = match text.split_once('/') {
        Some((_, name)) if name.contains('/') => {
            return vec![format!(
                "a valid label key {SYNTAX} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"
            )];
        }
        Some((prefix, name)) => (Some(prefix), name),
        None => (None, text),
    };
    let prefix = match prefix {
        Some("") => vec!["must be non-empty".to_owned()],
        Some(prefix) => subdomain(prefix, "bytes"),
        None => Vec::new(),
    };
    let mut found: Vec<_> = prefix
        .iter()
        .map(|why| format!("prefix part {why}"))
        .collect();
    if name.is_empty() {
        found.push("name part must be non-empty".to_owned());
    }
    let name = violations(name, (63, "bytes"), is_word(name), SYNTAX);
    found.extend(name.iter().map(|why| format!("name part {why}")));
    found
}

/// Returns the violations of the value of a label.
pub fn label_value(text: &str) -> Vec<String> {
    const SYNTAX: &str = "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";
    violations(
        text,
        (63, "bytes"),
        text.is_empty() || is_word(text),
        SYNTAX,
    )
}

/// Returns the violations of a segment of a URL path.
pub fn path_segment(text: &str) -> Vec<String> {
    match text {
        "." | ".." => vec![format!("may not be '{text}'")],
        text => path_segment_prefix(text),
    }
}

/// Returns the violations of the start of a segment of a URL path.
pub fn path_segment_prefix(text: &str) -> Vec<String> {
    let parts = ["/", "%"].into_iter().filter(|part| text.contains(part));
    parts
        .map(|part| format!("may not contain '{part}'"))
        .collect()
}
