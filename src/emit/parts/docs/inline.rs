//! One line of plain text comes in, the same as inline Markdown goes out: links and code stay, all else that rustdoc would take for markup is escaped.
use super::span::span;
use super::token;
use std::borrow::Cow;

/// The longest code or link, in bytes: what has no end within that is text, so that no text takes longer than its length.
const LONGEST: usize = 1000;

/// The words of a text, each safe for rustdoc and none to be broken.
pub(crate) fn words(text: &str) -> Vec<Cow<'_, str>> {
    let mut words = Vec::new();
    let mut word = Cow::Borrowed("");
    let mut start = 0;
    // Whether the word holds what Markdown might misread.
    let mut doubtful = false;
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let letters = letters(rest);
        let near = near(rest);
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
                let written = &text[start..text.len() - rest.len()];
                words.push(settled(std::mem::take(&mut word), written, doubtful));
                doubtful = false;
            }
            rest = &rest[c.len_utf8()..];
            start = text.len() - rest.len();
        } else if let Some((safe, length)) = link_macro(&word, near) {
            let kept = word.len() - MACRO.len();
            word.to_mut().truncate(kept);
            word.to_mut().push_str(&safe);
            rest = &rest[length..];
        } else if let Some((safe, length)) = code(near).or_else(|| link(near)).or_else(|| url(rest))
        {
            word.to_mut().push_str(&safe);
            rest = &rest[length..];
            // An address with a gap to be filled in is no link.
            doubtful |= rest.starts_with('{');
        } else {
            let (_, after) = rest.split_at(c.len_utf8());
            if is_markup(c, &near[c.len_utf8()..]) {
                word.to_mut().push('\\');
                doubtful = true;
            }
            word.to_mut().push(c);
            rest = after;
        }
    }
    if !word.is_empty() {
        words.push(settled(word, &text[start..], doubtful));
    }
    words
}

/// As much of a text as code or a link may take.
fn near(text: &str) -> &str {
    let mut end = text.len().min(LONGEST);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

/// A whole word: what would need escapes is shown as code, where it reads as code.
fn settled<'t>(word: Cow<'t, str>, written: &'t str, doubtful: bool) -> Cow<'t, str> {
    // Marks with space on both sides are no markup, and rustdoc makes one dash of the two before a flag.
    if doubtful && written.chars().all(|c| c == '*') || written == "_" {
        return written.into();
    }
    if written.len() <= LONGEST && (doubtful || is_flag(written)) {
        return token::code(written).map_or(word, Cow::Owned);
    }
    word
}

/// `--verbose`, in quotes or not.
fn is_flag(written: &str) -> bool {
    let flag = written.trim_start_matches(['(', '"', '\'', '[']);
    let name = flag.strip_prefix("--");
    name.is_some_and(|name| name.starts_with(|c: char| c.is_ascii_alphabetic()))
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
            '`' | '[' | '*' | '\\' | '<' | '&' | '_' | '~' | 'h' | '!'
        )
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
    // Quotes of shells and of Go stand in pairs too: words that span half a line are not code.
    let is_code = inside.len() <= 80 || !inside.contains(char::is_whitespace);
    (is_code && !inside.trim().is_empty()).then(|| (span(inside.trim()), end + 2 * ticks))
}

/// `[text](https://…)`
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

/// What `AsciiDoc` writes before the address of a link.
const MACRO: &str = "link:";

/// `https://…[text]` after `link:`, as `AsciiDoc` has it.
fn link_macro(before: &str, rest: &str) -> Option<(String, usize)> {
    if !before.ends_with(MACRO) {
        return None;
    }
    let (target, after) = rest.split_once('[')?;
    let (text, _) = after.split_once(']')?;
    // `^` opens a new window, `_` stresses.
    let shown = text.trim_end_matches('^').trim_matches('_');
    Some((linked(shown, target)?, target.len() + text.len() + 2))
}

/// A link, of plain text to a plain address only.
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
        // What is never opened needs not be kept from closing.
        '[' | '`' | '*' | '\\' => true,
        '<' => next.is_some_and(|c| c.is_ascii_alphabetic() || "/!?".contains(c)),
        '&' => {
            let end = after.find(|c: char| !c.is_ascii_alphanumeric() && c != '#');
            end.is_some_and(|end| end > 0 && after[end..].starts_with(';'))
        }
        '_' => next.is_none_or(|c| !c.is_alphanumeric()),
        '~' => next == Some('~'),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_no_end_nearby_is_text() {
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
    fn what_is_markup_stays_and_the_rest_is_text() {
        for (text, expected) in [
            ("see [Foo] and a[0]", r"see \[Foo] and `a[0]`"),
            ("a <b> c < d", "a `<b>` c < d"),
            ("a <b c> &amp; R&D &c", r"a \<b c> \&amp; R&D &c"),
            ("use `kubectl get` now", "use `kubectl get` now"),
            ("an ` alone", r"an \` alone"),
            ("see https://a.b/c_d.", "see <https://a.b/c_d>."),
            ("to https://a.b/{c}.", "to `https://a.b/{c}`."),
            ("[docs](https://a.b/c)", "[docs](https://a.b/c)"),
            ("[docs](#here)", r"\[docs](#here)"),
            (
                "link:https://a.b/c_(d)[_more_^].",
                "[more](<https://a.b/c_(d)>).",
            ),
            ("(https://a.b)", "(<https://a.b>)"),
            ("**bold** * _ **", r"\*\*bold\*\* * _ **"),
            ("a_b __c__ _", "a_b `__c__` _"),
            ("with (--flag=x), not -- so", "with (`--flag=x`), not -- so"),
            ("https:// alone", "https:// alone"),
        ] {
            assert_eq!(words(text).join(" "), expected, "{text}");
        }
    }
}
