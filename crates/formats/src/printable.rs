//! Text from strangers on a terminal: escapes the characters that act instead of being shown.
//!
//! A description, a name or a message may hold an escape sequence that moves the cursor, sets the clipboard or prints a link, and characters
//! that reorder the text around them ("Trojan Source"). Whoever prints such text escapes it once, as it leaves the program.

use std::borrow::Cow;
use std::fmt::Write as _;

/// Whether a character controls the terminal, changes the direction of writing or is invisible. The last range is the tags, an invisible copy
/// of ASCII.
///
/// ```
/// use kube_codegen_formats::printable::is_hidden;
///
/// assert!(['\u{1b}', '\u{9b}', '\u{202e}', '\u{200b}', '\u{e0041}'].into_iter().all(is_hidden));
/// assert!(!['a', 'é', '名', '🦀', ' '].into_iter().any(is_hidden));
/// ```
pub fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(
            c,
            '\u{ad}'
                | '\u{61c}'
                | '\u{180e}'
                | '\u{200b}'..='\u{200f}'
                | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}'
                | '\u{feff}'
                | '\u{fff9}'..='\u{fffb}'
                | '\u{e0000}'..='\u{e007f}'
        )
}

/// Escapes the hidden characters of a text that stays on its line, line breaks and tabs too.
///
/// ```
/// assert_eq!(kube_codegen_formats::printable::line("a\u{1b}[2J\nb"), r"a\u{1b}[2J\u{a}b");
/// ```
pub fn line(text: &str) -> Cow<'_, str> {
    escaped(text, is_hidden)
}

/// Escapes the hidden characters of a text, except its line breaks and tabs.
///
/// ```
/// assert_eq!(kube_codegen_formats::printable::lines("a\u{202e}\n\tb"), "a\\u{202e}\n\tb");
/// ```
pub fn lines(text: &str) -> Cow<'_, str> {
    escaped(text, |c| is_hidden(c) && !matches!(c, '\n' | '\t'))
}

/// Escapes the hidden characters of a JSON text, which keeps its value: outside of strings JSON has none of them but white space.
///
/// ```
/// use kube_codegen_formats::printable::json;
///
/// assert_eq!(json("{\"a\": \"\u{9b}2J\u{202e}\"}\n"), "{\"a\": \"\\u009b2J\\u202e\"}\n");
/// ```
pub fn json(text: &str) -> Cow<'_, str> {
    let acts = |c: char| is_hidden(c) && !matches!(c, '\n' | '\t' | '\r');
    if !text.contains(acts) {
        return text.into();
    }
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        if acts(c) {
            // JSON knows escapes of 16 bits: a character beyond takes two.
            for unit in c.encode_utf16(&mut [0; 2]) {
                let _ = write!(escaped, "\\u{unit:04x}");
            }
        } else {
            escaped.push(c);
        }
    }
    escaped.into()
}

fn escaped(text: &str, acts: impl Fn(char) -> bool) -> Cow<'_, str> {
    if !text.contains(&acts) {
        return text.into();
    }
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        if acts(c) {
            escaped.extend(c.escape_unicode());
        } else {
            escaped.push(c);
        }
    }
    escaped.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_hidden_character_is_escaped_and_json_keeps_its_value() {
        let all: String = ('\0'..=char::MAX).filter(|c| is_hidden(*c)).collect();
        assert!(!line(&all).contains(is_hidden));
        assert_eq!(json("\u{e0041}"), r"\udb40\udc41");
        let kept: String = lines(&all).chars().filter(|c| is_hidden(*c)).collect();
        assert_eq!(kept, "\t\n");
        let value = serde_json::json!({ all.as_str(): [all.as_str(), "é🦀"] });
        let text = value.to_string();
        let printed = json(&text);
        assert!(!printed.contains(is_hidden));
        assert_eq!(
            serde_json::from_str::<serde_json::Value>(&printed).unwrap(),
            value
        );
    }

    #[test]
    fn shown_text_is_borrowed() {
        for text in ["", "Größe 名 🦀 é\u{301}", r"\u{1b}"] {
            assert!(matches!(line(text), Cow::Borrowed(it) if it == text));
            assert!(matches!(json(text), Cow::Borrowed(it) if it == text));
        }
    }
}
