//! Validates names, labels and owner references; generates names and uids.

use kube::core::response::StatusCause;
use serde_json::Value;

use crate::{
    kinds::kind::Kind,
    values::{
        object::{self, at, text},
        status::cause,
    },
};

/// The syntax of a name (<https://kubernetes.io/docs/concepts/overview/working-with-objects/names/>).
#[derive(Clone, Copy)]
enum Form {
    Subdomain,
    Label,
    /// A label that starts with a letter (RFC 1035).
    LetterLabel,
    PathSegment,
}

fn form(kind: &Kind) -> Form {
    match (kind.group.as_str(), kind.kind.as_str()) {
        ("", "Namespace" | "Service") | ("apps", "StatefulSet") => Form::Label,
        ("rbac.authorization.k8s.io" | "apiregistration.k8s.io", _) => Form::PathSegment,
        _ => Form::Subdomain,
    }
}

/// Returns the violations in an object's name, labels and owner references.
pub(crate) fn check(kind: &Kind, object: &Value) -> Vec<StatusCause> {
    let name = object::name(object);
    let mut causes = Vec::new();
    if name.is_empty() {
        causes.push(cause(
            "metadata.name",
            "FieldValueRequired",
            "Required value: name or generateName is required",
        ));
    } else if let Some(why) = violation(form(kind), name) {
        causes.push(cause(
            "metadata.name",
            "FieldValueInvalid",
            format!("Invalid value: {name:?}: {why}"),
        ));
    }
    causes.extend(labels("metadata.labels", at(object, "/metadata/labels")));
    let owners = object::list(object, "/metadata/ownerReferences").iter();
    for (index, owner) in owners.enumerate() {
        for field in ["apiVersion", "kind", "name", "uid"] {
            if text(owner, &format!("/{field}")).is_empty() {
                causes.push(cause(
                    format!("metadata.ownerReferences[{index}].{field}"),
                    "FieldValueRequired",
                    "Required value: must not be empty",
                ));
            }
        }
    }
    causes
}

/// Returns the violations in keys and values of labels.
pub(crate) fn labels(path: &str, labels: &Value) -> Vec<StatusCause> {
    let mut causes = Vec::new();
    let mut invalid = |value: &str, why: &str| {
        causes.push(cause(
            path,
            "FieldValueInvalid",
            format!("Invalid value: {value:?}: {why}"),
        ));
    };
    for (key, value) in labels.as_object().into_iter().flatten() {
        for why in key_violations(key) {
            invalid(key, why);
        }
        let value = value.as_str().unwrap_or_default();
        if value.len() > 63 {
            invalid(value, "must be no more than 63 bytes");
        } else if !value.is_empty() && !word(value) {
            invalid(
                value,
                "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')",
            );
        }
    }
    causes
}

/// Returns the violations in the key of a label.
pub(crate) fn key_violations(key: &str) -> Vec<&'static str> {
    const FORM: &str = "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
    if key.is_empty() {
        return vec!["name part must be non-empty", FORM];
    }
    if qualified(key) {
        Vec::new()
    } else {
        vec![FORM]
    }
}

/// Returns the violations in a DNS label.
pub(crate) fn label_violations(name: &str) -> Vec<&'static str> {
    let mut found = Vec::new();
    if name.len() > 63 {
        found.push("must be no more than 63 characters");
    }
    let start = name.get(..name.len().min(63)).unwrap_or(name);
    found.extend(violation(Form::Label, start));
    found
}

/// Returns why a name is not a DNS label that starts with a letter.
pub(crate) fn letter_label_violation(name: &str) -> Option<&'static str> {
    violation(Form::LetterLabel, name)
}

/// Returns the violations in a DNS subdomain.
pub(crate) fn subdomain_violations(name: &str) -> Vec<&'static str> {
    violation(Form::Subdomain, name).into_iter().collect()
}

fn violation(form: Form, name: &str) -> Option<&'static str> {
    match form {
        Form::Subdomain => (name.len() > 253 || !name.split('.').all(|part| !part.is_empty() && label(part))).then_some(
            "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
        ),
        Form::Label if name.contains('.') && name.split('.').all(label) => Some("must not contain dots"),
        Form::Label => (name.len() > 63 || !label(name)).then_some(
            "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')",
        ),
        Form::LetterLabel => (name.len() > 63 || !label(name) || !name.starts_with(|first: char| first.is_ascii_lowercase())).then_some(
            "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')",
        ),
        Form::PathSegment => (matches!(name, "." | "..") || name.contains(['/', '%'])).then_some("may not contain '/' or '%'"),
    }
}

fn label(text: &str) -> bool {
    let inner =
        |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == '-';
    !text.is_empty() && text.chars().all(inner) && !text.starts_with('-') && !text.ends_with('-')
}

fn word(text: &str) -> bool {
    let ends = |letter: char| letter.is_ascii_alphanumeric();
    text.starts_with(ends)
        && text.ends_with(ends)
        && text
            .chars()
            .all(|letter| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_' | '.'))
}

fn qualified(key: &str) -> bool {
    let (prefix, name) = key
        .split_once('/')
        .map_or((None, key), |(prefix, name)| (Some(prefix), name));
    prefix.is_none_or(|prefix| violation(Form::Subdomain, prefix).is_none())
        && name.len() <= 63
        && word(name)
}

/// Appends a suffix of five letters, as the server does for `generateName`. Each number gives another suffix.
pub(crate) fn generate(prefix: &str, number: u64) -> String {
    const LETTERS: &[u8] = b"bcdfghjklmnpqrstvwxz2456789";
    // The server truncates the prefix so that the name is a valid label.
    let prefix: String = prefix.chars().take(58).collect();
    // A step coprime to 27^5 visits every suffix before it repeats one.
    let mut rest = number.wrapping_mul(7_654_321);
    let mut suffix = String::with_capacity(5);
    for _ in 0..5 {
        let index = usize::try_from(rest % LETTERS.len() as u64).unwrap_or_default();
        suffix.push(char::from(LETTERS[index]));
        rest /= LETTERS.len() as u64;
    }
    prefix + &suffix
}

/// Returns the uid of the object with a number.
pub(crate) fn uid(number: u64) -> String {
    format!("{:08x}-0000-4000-8000-{number:012x}", std::process::id())
}
