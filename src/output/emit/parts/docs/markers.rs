//! Removes markers for other generators from the lines of a description.

/// The start of tags for the Gateway API's generator.
const TAGS: [&str; 2] = ["<gateway:", "</gateway:"];

/// Returns the line without markers, or none if nothing is left of it.
pub(super) fn without(line: &str) -> Option<&str> {
    let text = line.trim();
    if is_marker(text) {
        return None;
    }
    let mut rest = line;
    for tag in TAGS {
        if let Some((before, after)) = rest.rsplit_once(tag) {
            // A tag with a value ends with its line.
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

/// Whether a line is a marker, as `+kubebuilder:validation:Optional` or `+optional`.
fn is_marker(text: &str) -> bool {
    let Some(name) = text.strip_prefix('+') else {
        return false;
    };
    name.starts_with(|c: char| c.is_ascii_lowercase())
        && (!name.contains(' ') || name.starts_with("kubebuilder:") || name.starts_with("k8s:"))
}

/// Removes `<br />` from the end of a line, which ends in the docs too.
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
    fn markers_are_removed_and_prose_stays() {
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
