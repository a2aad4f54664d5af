//! One line of plain text comes in, the same as inline Markdown goes out: links and code stay, all else that rustdoc would take for markup is escaped.
use super::text::is_hidden;
use std::borrow::Cow;

/// The words of a text, each safe for rustdoc and none to be broken.
pub(crate) fn words(text: &str) -> Vec<Cow<'_, str>> {
    let mut words = Vec::new();
    let mut word = Cow::Borrowed("");
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let letters = letters(rest);
        if letters > 0 {
            let (plain, after) = rest.split_at(letters);
            // Most words are no more than letters.
            if word.is_empty() {
                word = plain.into();
            } else {
                word.to_mut().push_str(plain);
            }
            rest = after;
        } else if c.is_whitespace() {
            if !word.is_empty() {
                words.push(std::mem::take(&mut word));
            }
            rest = &rest[c.len_utf8()..];
        } else if let Some((safe, length)) = code(rest).or_else(|| link(rest)).or_else(|| url(rest))
        {
            word.to_mut().push_str(&safe);
            rest = &rest[length..];
        } else {
            let (_, after) = rest.split_at(c.len_utf8());
            if is_markup(c, after) {
                word.to_mut().push('\\');
            }
            word.to_mut().push(c);
            rest = after;
        }
    }
    if !word.is_empty() {
        words.push(word);
    }
    words
}

/// How many bytes of a text are letters that stand for themselves.
fn letters(text: &str) -> usize {
    let mut more = text.match_indices(may_be_more).map(|(at, _)| at);
    // Many words have an `h`.
    let end = more.find(|at| !text[*at..].starts_with('h') || text[*at..].starts_with("http"));
    end.unwrap_or(text.len())
}

/// Whether a character ends a word, is escaped somewhere, or begins what is more than a word.
fn may_be_more(c: char) -> bool {
    c.is_whitespace()
        || matches!(
            c,
            '`' | '[' | ']' | '*' | '\\' | '<' | '&' | '_' | '~' | 'h' | '!'
        )
}

/// A code span of any text.
pub(crate) fn span(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            c if c.is_whitespace() => shown.push(' '),
            c if is_hidden(c) => shown.extend(c.escape_unicode()),
            c => shown.push(c),
        }
    }
    let text = shown;
    let mut longest = 0;
    let mut run = 0;
    for c in text.chars() {
        run = if c == '`' { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    let fence = "`".repeat(longest + 1);
    let pad = if text.starts_with('`') || text.ends_with('`') || text.trim().is_empty() {
        " "
    } else {
        ""
    };
    format!("{fence}{pad}{text}{pad}{fence}")
}

/// `` `code` `` that ends in the same text.
fn code(rest: &str) -> Option<(String, usize)> {
    let ticks = rest.len() - rest.trim_start_matches('`').len();
    if ticks == 0 {
        return None;
    }
    let fence = &rest[..ticks];
    let body = &rest[ticks..];
    let end = body.match_indices('`').map(|(at, _)| at).find(|at| {
        body[*at..].starts_with(fence)
            && !body[at + ticks..].starts_with('`')
            && !body[..*at].ends_with('`')
    })?;
    let inside = &body[..end];
    // Quotes of shells and of Go stand in pairs too: what spans half a line is not code.
    (!inside.trim().is_empty() && inside.len() <= 80)
        .then(|| (span(inside.trim()), end + 2 * ticks))
}

/// `[text](https://…)`
fn link(rest: &str) -> Option<(String, usize)> {
    let body = rest.strip_prefix('[')?;
    let (text, after) = body.split_once(']')?;
    let (target, _) = after.strip_prefix('(')?.split_once(')')?;
    let is_url = target.starts_with("https://") || target.starts_with("http://");
    let is_plain = |c: char| !c.is_whitespace() && !matches!(c, '<' | '>' | '(' | '\\' | '`' | '[');
    if !is_url || !target.chars().all(is_plain) || text.contains(['[', '`', '<', '\\', ']']) {
        return None;
    }
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if text.is_empty() || text.contains("://") {
        return None;
    }
    let length = rest.len() - after.len() + target.len() + 2;
    Some((format!("[{text}]({target})"), length))
}

/// A bare address becomes a link.
fn url(rest: &str) -> Option<(String, usize)> {
    let scheme = ["https://", "http://"]
        .into_iter()
        .find(|scheme| rest.starts_with(scheme))?;
    let is_end = |c: char| c.is_whitespace() || c.is_control() || "<>\"'`()[]{}|\\^".contains(c);
    let whole = &rest[..rest.find(is_end).unwrap_or(rest.len())];
    let whole = whole.trim_end_matches(['.', ',', ';', ':', '!', '?', '*', '_']);
    if whole.len() <= scheme.len() {
        return None;
    }
    Some((format!("<{whole}>"), whole.len()))
}

/// Whether Markdown would see more in a character than itself, before such a text.
fn is_markup(c: char, after: &str) -> bool {
    let next = after.chars().next();
    match c {
        // An image would be fetched by whoever reads the docs.
        '!' => link(after).is_some(),
        '[' | ']' | '`' | '*' | '\\' => true,
        '<' => next.is_some_and(|c| c.is_ascii_alphabetic() || "/!?".contains(c)),
        '&' => next.is_some_and(|c| c.is_ascii_alphabetic() || c == '#'),
        '_' => next.is_none_or(|c| !c.is_alphanumeric()),
        '~' => next == Some('~'),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_markup_stays_and_the_rest_is_text() {
        for (text, expected) in [
            ("see [Foo] and a[0]", r"see \[Foo\] and a\[0\]"),
            ("a <b> c < d", r"a \<b> c < d"),
            ("use `kubectl get` now", "use `kubectl get` now"),
            ("an ` alone", r"an \` alone"),
            ("see https://a.b/c_d.", "see <https://a.b/c_d>."),
            ("[docs](https://a.b/c)", "[docs](https://a.b/c)"),
            ("[docs](#here)", r"\[docs\](#here)"),
            ("(https://a.b)", "(<https://a.b>)"),
            ("**bold** *", r"\*\*bold\*\* \*"),
            ("a_b __c__", r"a_b \__c\_\_"),
            ("https:// alone", "https:// alone"),
        ] {
            assert_eq!(words(text).join(" "), expected, "{text}");
        }
    }

    #[test]
    fn spans_hold_any_text() {
        assert_eq!(span("a"), "`a`");
        assert_eq!(span("a`b"), "``a`b``");
        assert_eq!(span("`"), "`` ` ``");
        assert_eq!(span("a\nb"), "`a b`");
    }
}
