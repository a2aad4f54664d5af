//! The first sentence of a description, which CRDs and k8s-openapi copy from the same Go comment.

/// Returns the first sentence in one line, without Markdown escapes; the first paragraph if no sentence ends in it.
pub(super) fn first_sentence(text: &str) -> String {
    let mut out = String::new();
    let mut blank = false;
    for line in text.trim().lines() {
        if line.trim().is_empty() {
            blank = !out.is_empty();
        }
        if blank {
            break;
        }
        for word in line.split_whitespace() {
            if !out.is_empty() {
                out.push(' ');
            }
            out.extend(word.split('\\'));
            if word.ends_with('.') {
                return out;
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::first_sentence;

    #[test]
    fn ends_with_the_sentence_or_the_paragraph() {
        for (text, sentence) in [
            (
                "A single application container\nthat you  want. More.",
                "A single application container that you want.",
            ),
            ("Selects a key\n\nNext.", "Selects a key"),
            ("  a \\<b\\>", "a <b>"),
            (
                "More info: https://a.b/c next",
                "More info: https://a.b/c next",
            ),
            ("", ""),
        ] {
            assert_eq!(first_sentence(text), sentence);
        }
    }
}
