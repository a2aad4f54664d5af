//! A word that Markdown would misread comes in; the same as code goes out, if that is what its writer meant. Never changes a letter.
use super::span::span;

/// The word with its middle as code, and the punctuation around it as it is; none for a word of prose.
pub(super) fn code(word: &str) -> Option<String> {
    let (before, body, after) = trimmed(word);
    let is_text = body.contains('`') || body.contains("](");
    let is_code = !is_text && is_balanced(body) && reads_as_code(body, word != body);
    if !is_code {
        return is_emphasis(body).then(|| word.to_owned());
    }
    let (before, after) = unquoted(before, after);
    Some(format!("{before}{}{after}", span(body)))
}

/// What stands around code, without the quotes that say the same.
fn unquoted<'t>(before: &'t str, after: &'t str) -> (&'t str, &'t str) {
    let pairs = [('"', '"'), ('\'', '\''), ('“', '”'), ('‘', '’')];
    let mut stripped = pairs
        .into_iter()
        .filter_map(|(open, close)| Some((before.strip_suffix(open)?, after.strip_prefix(close)?)));
    stripped.next().unwrap_or((before, after))
}

/// A word, and what of its ends belongs to the sentence around it.
fn trimmed(word: &str) -> (&str, &str, &str) {
    let mut body = word;
    loop {
        let before = body;
        body = body.trim_end_matches(['.', ',', ';', ':', '?']);
        body = body.trim_start_matches(['"', '\'', '“', '‘']);
        body = body.trim_end_matches(['"', '\'', '”', '’']);
        let count = |c| body.matches(c).count();
        let (open, closed) = (count('('), count(')'));
        if open > closed || is_wrapped(body) {
            body = body.strip_prefix('(').unwrap_or(body);
        }
        if closed > open || is_wrapped(before) {
            body = body.strip_suffix(')').unwrap_or(body);
        }
        if body == before {
            break;
        }
    }
    let at = body.as_ptr().addr() - word.as_ptr().addr();
    (&word[..at], body, &word[at + body.len()..])
}

/// Whether the word is in parentheses as a whole.
fn is_wrapped(body: &str) -> bool {
    body.starts_with('(') && body.ends_with(')')
}

/// Whether each bracket is closed in the word that opens it.
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
fn reads_as_code(body: &str, quoted: bool) -> bool {
    let stressed = body.trim_matches('*');
    let opens = body.starts_with('*');
    if stressed.len() < body.len() && is_prose(stressed, opens) {
        // A pointer of Go, `*ObjectReference`; `*note` begins what is stressed.
        let capitals = stressed.matches(|c: char| c.is_ascii_uppercase()).count();
        let is_mixed = capitals > 1 && stressed.contains(|c: char| c.is_ascii_lowercase());
        return is_mixed && body.strip_prefix('*') == Some(stressed);
    }
    // An entity of HTML.
    if body.contains('&') {
        return false;
    }
    if let Some(inside) = body.strip_prefix('[').and_then(|it| it.strip_suffix(']')) {
        // `[1]` and `[Optional]` are notes.
        return inside.is_empty() || inside.contains(|c: char| !c.is_alphanumeric());
    }
    if body.chars().all(|c| matches!(c, '*' | '_')) {
        return quoted && !body.is_empty();
    }
    !body.is_empty() && !is_emphasis(body)
}

/// `_so_`, which Markdown stresses as its writer did.
fn is_emphasis(body: &str) -> bool {
    let inside = body.strip_prefix('_').and_then(|it| it.strip_suffix('_'));
    inside.is_some_and(|it| !it.contains('-') && is_prose(it, false))
}

/// Whether a text is one word of prose, with what may end a sentence if it is `ended`.
fn is_prose(text: &str, ended: bool) -> bool {
    let signs: &[char] = if ended {
        &['.', ',', ';', ':', '!', '?']
    } else {
        &[]
    };
    let word = text.trim_end_matches(signs);
    word.starts_with(char::is_alphanumeric)
        && word.ends_with(char::is_alphanumeric)
        && word.chars().all(|c| c.is_alphanumeric() || c == '-')
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
            ("_not_,", "_not_,"),
        ] {
            assert_eq!(code(word).as_deref(), Some(expected), "{word}");
        }
    }

    #[test]
    fn prose_is_no_code() {
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
            "`",
            "",
        ];
        for word in prose {
            assert_eq!(code(word), None, "{word}");
        }
    }
}
