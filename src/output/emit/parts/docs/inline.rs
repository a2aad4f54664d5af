//! Inline Markdown: keeps code and links of a text, and escapes what rustdoc would take for other markup.
use std::borrow::Cow;

use super::span::span;

/// The longest code or link, in bytes. What does not end within it is text, so that time grows linearly with the text.
const LONGEST: usize = 1000;

/// Returns the words of a text, each safe for rustdoc. No line may break within one.
pub(crate) fn words(text: &str) -> Vec<Cow<'_, str>> {
    let mut words = Vec::new();
    let mut word = Cow::Borrowed("");
    let mut start = 0;
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let letters = letters(rest);
        let nearby = nearby(rest);
        if letters > 0 {
            let (plain, after) = rest.split_at(letters);
            // Most words have letters only.
            if word.is_empty() {
                word = plain.into();
            } else {
                word.to_mut().push_str(plain);
            }
            rest = after;
        } else if c.is_whitespace() {
            if !word.is_empty() {
                let written = &text[start..text.len() - rest.len()];
                words.push(finished(std::mem::take(&mut word), written));
            }
            rest = &rest[c.len_utf8()..];
            start = text.len() - rest.len();
        } else if let Some((safe, length)) =
            code(nearby).or_else(|| link(nearby)).or_else(|| url(rest))
        {
            word.to_mut().push_str(&safe);
            rest = &rest[length..];
        } else {
            let (_, after) = rest.split_at(c.len_utf8());
            let is_inside = word.ends_with(char::is_alphanumeric);
            if is_markup(c, is_inside, &nearby[c.len_utf8()..]) {
                word.to_mut().push('\\');
            }
            word.to_mut().push(c);
            rest = after;
        }
    }
    if !word.is_empty() {
        words.push(finished(word, &text[start..]));
    }
    words
}

/// Returns the part of a text in which code or a link must end.
fn nearby(text: &str) -> &str {
    let mut end = text.len().min(LONGEST);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

/// The word as its place in the text needs it.
fn finished<'t>(word: Cow<'t, str>, written: &'t str) -> Cow<'t, str> {
    if written.chars().all(|c| c == '*') || written == "_" {
        // Marks between spaces are not markup.
        written.into()
    } else if is_flag(written) {
        // rustdoc would turn the two dashes into one.
        word.replacen("--", "\\--", 1).into()
    } else {
        word
    }
}

/// Whether a word is a flag, as `--verbose`, in quotes or not.
fn is_flag(written: &str) -> bool {
    let flag = written.trim_start_matches(['(', '"', '\'', '[']);
    let name = flag.strip_prefix("--");
    name.is_some_and(|name| name.starts_with(|c: char| c.is_ascii_alphabetic()))
}

/// Returns how many bytes of a text are plain letters.
fn letters(text: &str) -> usize {
    let mut more = text.match_indices(may_be_more).map(|(at, _)| at);
    // Many words have an `h`.
    let end = more.find(|at| !text[*at..].starts_with('h') || text[*at..].starts_with("http"));
    end.unwrap_or(text.len())
}

/// Whether a character ends a word, may need an escape, or may begin a link or code.
fn may_be_more(c: char) -> bool {
    c.is_whitespace()
        || matches!(
            c,
            '`' | '[' | '*' | '\\' | '<' | '&' | '_' | '~' | 'h' | '!'
        )
}

/// Reads `` `code` `` that ends within the text.
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
    // Shells and Go write pairs of backticks too: a long run of words is not code.
    let is_code = inside.len() <= 80 || !inside.contains(char::is_whitespace);
    (is_code && !inside.trim().is_empty()).then(|| (span(inside.trim()), end + 2 * ticks))
}

/// Reads `[text](https://…)`.
fn link(rest: &str) -> Option<(String, usize)> {
    let body = rest.strip_prefix('[')?;
    let (text, after) = body.split_once(']')?;
    let (target, _) = after.strip_prefix('(')?.split_once(')')?;
    if target.contains('(') {
        return None;
    }
    let length = rest.len() - after.len() + target.len() + 2;
    Some((linked(text, target)?, length))
}

/// Makes a link, unless its text or its URL has markup.
fn linked(text: &str, target: &str) -> Option<String> {
    let is_url = target.starts_with("https://") || target.starts_with("http://");
    let is_plain = |c: char| !c.is_whitespace() && !matches!(c, '<' | '>' | '\\' | '`' | '[');
    if !is_url || !target.chars().all(is_plain) || text.contains(['[', '`', '<', '\\', ']']) {
        return None;
    }
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if text.is_empty() || text.contains("://") {
        return None;
    }
    Some(if target.contains(['(', ')']) {
        format!("[{text}](<{target}>)")
    } else {
        format!("[{text}]({target})")
    })
}

/// Makes a link of a bare URL.
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
    // A URL with a placeholder is not a link.
    if rest[whole.len()..].starts_with('{') {
        let word = rest.split(char::is_whitespace).next().unwrap_or(rest);
        let word = word.trim_end_matches(['.', ',', ';', ':', '!', '?', ')', '"', '\'']);
        return Some((span(word), word.len()));
    }
    Some((format!("<{whole}>"), whole.len()))
}

/// Whether a character is markup, inside of a word or at its beginning, before such a text.
fn is_markup(c: char, is_inside: bool, after: &str) -> bool {
    let next = after.chars().next();
    match c {
        // Browsers would fetch an image when they show the docs.
        '!' => link(after).is_some(),
        // Closing characters need no escape when the opening ones have one.
        '[' | '`' | '*' | '\\' => true,
        '<' => next.is_some_and(|c| c.is_ascii_alphabetic() || "/!?".contains(c)),
        '&' => {
            let end = after.find(|c: char| !c.is_ascii_alphanumeric() && c != '#');
            end.is_some_and(|end| end > 0 && after[end..].starts_with(';'))
        }
        '_' => !is_inside || next.is_none_or(|c| !c.is_alphanumeric()),
        '~' => next == Some('~'),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unclosed_code_and_links_are_text() {
        let long = "x".repeat(LONGEST);
        for (text, expected) in [
            (format!("`{long}`"), format!("\\`{long}\\`")),
            (
                format!("[{long}](https://a.b)"),
                format!("\\[{long}](<https://a.b>)"),
            ),
            (format!("é`{}`", &long[2..]), format!("é`{}`", &long[2..])),
        ] {
            assert_eq!(words(&text).join(" "), expected);
        }
    }

    #[test]
    fn code_and_links_stay_and_other_markup_is_escaped() {
        for (text, expected) in [
            ("see [Foo] and a[0]", r"see \[Foo] and a\[0]"),
            ("a <b> c < d", r"a \<b> c < d"),
            ("a <b c> &amp; R&D &c", r"a \<b c> \&amp; R&D &c"),
            ("use `kubectl get` now", "use `kubectl get` now"),
            ("an ` alone", r"an \` alone"),
            ("see https://a.b/c_d.", "see <https://a.b/c_d>."),
            ("to https://a.b/{c}.", "to `https://a.b/{c}`."),
            ("[docs](https://a.b/c)", "[docs](https://a.b/c)"),
            ("[docs](#here)", r"\[docs](#here)"),
            ("[more](https://a.b/c_d)", "[more](https://a.b/c_d)"),
            ("(https://a.b)", "(<https://a.b>)"),
            ("**bold** * _ **", r"\*\*bold\*\* * _ **"),
            ("a_b __c__ _", r"a_b \_\_c\_\_ _"),
            ("with (--flag=x), not -- so", r"with (\--flag=x), not -- so"),
            ("https:// alone", "https:// alone"),
        ] {
            assert_eq!(words(text).join(" "), expected, "{text}");
        }
    }
}
