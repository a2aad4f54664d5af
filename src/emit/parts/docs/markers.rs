//! A line of a description comes in, the same without what is meant for other generators goes out; never a change of its prose.

/// What begins the tags of the Gateway API's own generator.
const TAGS: [&str; 2] = ["<gateway:", "</gateway:"];

/// The line without markers; none if it has nothing else.
pub(super) fn without(line: &str) -> Option<&str> {
    let text = line.trim();
    if is_marker(text) {
        return None;
    }
    let mut rest = line;
    for tag in TAGS {
        if let Some((before, after)) = rest.rsplit_once(tag) {
            // A tag with a value, as of a validation, goes to the end of its line.
            let (name, after) = after.split_once('>').unwrap_or((after, ""));
            if before.trim().is_empty() {
                rest = if name.contains('=') { "" } else { after };
            } else if after.trim().is_empty() {
                rest = before;
            }
        }
    }
    let rest = without_break(rest);
    (rest.len() == line.len() || !rest.trim().is_empty() || is_break(text)).then_some(rest)
}

/// `+kubebuilder:validation:Optional`, `+optional`.
fn is_marker(text: &str) -> bool {
    let Some(name) = text.strip_prefix('+') else {
        return false;
    };
    name.starts_with(|c: char| c.is_ascii_lowercase())
        && (!name.contains(' ') || name.starts_with("kubebuilder:") || name.starts_with("k8s:"))
}

/// Lines of Markdown end by themselves: `<br />` is no more than an end of line, or an empty line.
fn without_break(line: &str) -> &str {
    let mut rest = line;
    while let Some(before) = BREAKS
        .iter()
        .find_map(|tag| rest.trim_end().strip_suffix(tag))
    {
        rest = before;
    }
    rest
}

const BREAKS: [&str; 3] = ["<br>", "<br/>", "<br />"];

fn is_break(text: &str) -> bool {
    BREAKS.contains(&text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markers_go_and_prose_stays() {
        for (line, expected) in [
            ("+optional", None),
            ("  +kubebuilder:validation:XValidation:rule=\"a b\"", None),
            ("+ item", Some("+ item")),
            ("+infinity is a number", Some("+infinity is a number")),
            ("<gateway:experimental:description>", None),
            ("</gateway:experimental:description>", None),
            ("<gateway:experimental:validation:Pattern=`a>b`>", None),
            ("last. </gateway:experimental:description>", Some("last. ")),
            ("one <br />", Some("one ")),
            ("<br />", Some("")),
            ("", Some("")),
        ] {
            assert_eq!(without(line), expected, "{line}");
        }
    }
}
