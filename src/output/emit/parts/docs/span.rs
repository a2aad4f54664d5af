//! Code spans, and characters that doc comments must not contain.
use std::borrow::Cow;

use kube_codegen_formats::printable::is_hidden;

/// Makes a code span of any text.
pub(crate) fn span(text: &str) -> String {
    // Most texts need no change.
    let is_plain = |byte: u8| matches!(byte, b'!'..=b'~') && byte != b'`';
    if !text.is_empty() && text.bytes().all(is_plain) {
        return ["`", text, "`"].concat();
    }
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

/// Unifies tabs and line ends, and removes invisible characters.
pub(crate) fn clean(text: &str) -> Cow<'_, str> {
    if !text.contains(|c| c != '\n' && is_hidden(c)) {
        return text.into();
    }
    let text = text.replace("\r\n", "\n").replace('\t', "    ");
    let clean = text.chars().filter_map(|c| match c {
        '\r' | '\u{2028}' | '\u{2029}' => Some('\n'),
        '\n' => Some(c),
        c if is_hidden(c) => None,
        c => Some(c),
    });
    clean.collect::<String>().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_hold_any_text() {
        assert_eq!(span("a"), "`a`");
        assert_eq!(span("a`b"), "``a`b``");
        assert_eq!(span("`"), "`` ` ``");
        assert_eq!(span("a\nb"), "`a b`");
    }
}
