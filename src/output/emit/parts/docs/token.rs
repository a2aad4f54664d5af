//! Words that Markdown would misread and that read as code: names, patterns and paths.
use super::span::span;

/// Returns the word with its middle as a code span, or none for a word of prose.
pub(super) fn code(word: &str) -> Option<String> {
    let (before, body, after) = trimmed(word);
    if is_emphasis(body) {
        return Some(word.to_owned());
    }
    // Code spans, links and HTML entities are text.
    let is_text = body.contains(['`', '&']) || body.contains("](");
    if is_text || !is_balanced(body) || !reads_as_code(body, word != body) {
        return None;
    }
    // Quotes around code say the same again.
    let pairs = [('"', '"'), ('\'', '\''), ('“', '”'), ('‘', '’')];
    let unquoted = pairs
        .into_iter()
        .find_map(|(open, close)| Some((before.strip_suffix(open)?, after.strip_prefix(close)?)));
    let (before, after) = unquoted.unwrap_or((before, after));
    Some(format!("{before}{}{after}", span(body)))
}

/// Splits the punctuation of the sentence off both ends of a word.
fn trimmed(word: &str) -> (&str, &str, &str) {
    let body = word.trim_start_matches(['(', '"', '\'', '“', '‘']);
    let (before, body) = word.split_at(word.len() - body.len());
    let ends = ['.', ',', ';', ':', '?', ')', '"', '\'', '”', '’'];
    let mut end = body.trim_end_matches(ends).len();
    // A parenthesis belongs to the word that opens it.
    let count = |end, c: char| body[..end].matches(c).count();
    while count(end, '(') > count(end, ')') && body[end..].starts_with(')') {
        end += 1;
    }
    let (body, after) = body.split_at(end);
    (before, body, after)
}

/// Whether the word closes each bracket that it opens.
fn is_balanced(body: &str) -> bool {
    [('(', ')'), ('[', ']'), ('<', '>'), ('{', '}')]
        .into_iter()
        .all(|(open, close)| {
            let mut depth = 0_i32;
            body.chars().all(|c| {
                depth += i32::from(c == open) - i32::from(c == close);
                depth >= 0
            }) && depth == 0
        })
}

/// Whether a word that needs an escape is a name, a pattern or a path rather than prose.
fn reads_as_code(body: &str, is_quoted: bool) -> bool {
    if body.is_empty() {
        return false;
    }
    if body.chars().all(|c| matches!(c, '*' | '_')) {
        return is_quoted;
    }
    // `[1]` and `[Optional]` are notes.
    let note = body.strip_prefix('[').and_then(|it| it.strip_suffix(']'));
    let is_note = note.is_some_and(|it| !it.is_empty() && it.chars().all(char::is_alphanumeric));
    // `*note` and `**Note:**` are emphasis.
    let mut stressed = body.trim_matches('*');
    if body.starts_with('*') {
        stressed = stressed.trim_end_matches(['.', ',', ';', ':', '!', '?']);
    }
    // `*ObjectReference` is a pointer of Go.
    let capitals = stressed.matches(char::is_uppercase).count();
    let is_pointer = body.strip_prefix('*') == Some(stressed) && capitals > 1;
    let is_emphasis = body.contains('*') && is_prose(stressed) && !is_pointer;
    !is_note && !is_emphasis
}

/// Whether a word is `_emphasised_`.
fn is_emphasis(body: &str) -> bool {
    let inside = body.strip_prefix('_').and_then(|it| it.strip_suffix('_'));
    inside.is_some_and(|it| !it.contains('-') && is_prose(it))
}

/// Whether a text is one word of prose.
fn is_prose(text: &str) -> bool {
    text.starts_with(char::is_alphanumeric)
        && text.ends_with(char::is_alphanumeric)
        && text.chars().all(|c| c.is_alphanumeric() || c == '-')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_patterns_and_paths_are_code() {
        for (word, expected) in [
            ("host[:port][/path],", "`host[:port][/path]`,"),
            (
                "(spec.containers[*].image).",
                "(`spec.containers[*].image`).",
            ),
            ("\"*\"", "`*`"),
            ("('*'", "(`*`"),
            ("('[]'),", "(`[]`),"),
            ("'k8s.*'", "`k8s.*`"),
            ("*.example.com", "`*.example.com`"),
            ("__name__", "`__name__`"),
            ("pg_", "`pg_`"),
            ("'<namespace>_<name>'.", "`<namespace>_<name>`."),
            ("*LocalObjectReference", "`*LocalObjectReference`"),
            ("[\"*\"]", "`[\"*\"]`"),
            ("has(x[0])", "`has(x[0])`"),
            ("(has(x[0]))", "(`has(x[0])`)"),
            ("_not_,", "_not_,"),
        ] {
            assert_eq!(code(word).as_deref(), Some(expected), "{word}");
        }
    }

    #[test]
    fn prose_is_not_code() {
        let prose = [
            "[1]",
            "[Foo]",
            "[flavor,",
            "[0,1).",
            "*note",
            "*",
            "**so**",
            "stressed*",
            "*Warning:",
            "<policy",
            "&amp;",
            "`",
            "",
        ];
        for word in prose {
            assert_eq!(code(word), None, "{word}");
        }
    }
}
