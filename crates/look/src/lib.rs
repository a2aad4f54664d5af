//! The look that all pages of kube-codegen share: one stylesheet, one script, the escaping of texts, and pictures of runs.

pub mod picture;

use std::fmt;

/// Colors for light and dark, type, tables, code, buttons and labels. A page adds the layout of its own parts.
///
/// All colors are variables, whose contrast is at least 4.5 on the backgrounds that they are for.
pub const CSS: &str = include_str!("look.css");

/// The theme, which `<button data-theme-switch>` changes, and copying, by `<button data-copy="TEXT">` or `<button data-copy-from="#ID">`.
///
/// It belongs into the head, so that the page is never shown in the wrong theme.
pub const SCRIPT: &str = include_str!("look.js");

/// Shows a text with the characters escaped that have a meaning in HTML and SVG, in elements and in attributes in quotes. Characters that
/// are invisible or reorder other text are shown by their numbers.
///
/// ```
/// # use kube_codegen_look::Escaped;
/// assert_eq!(Escaped("<a href='x'>\u{202e}&").to_string(), "&lt;a href=&#39;x&#39;&gt;\\u{202e}&amp;");
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Escaped<'a>(pub &'a str);

impl fmt::Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut start = 0;
        for (at, c) in self.0.char_indices() {
            let escape = match c {
                '<' => "&lt;",
                '>' => "&gt;",
                '&' => "&amp;",
                '"' => "&quot;",
                '\'' => "&#39;",
                c if is_hidden(c) => "",
                _ => continue,
            };
            f.write_str(&self.0[start..at])?;
            if escape.is_empty() {
                write!(f, "{}", c.escape_unicode())?;
            } else {
                f.write_str(escape)?;
            }
            start = at + c.len_utf8();
        }
        f.write_str(&self.0[start..])
    }
}

/// Returns whether a character is invisible or reorders other text; line breaks and tabs are not. The others are those that
/// `kube_codegen_formats::printable` escapes on terminals, which a test of the generator compares: this crate has no dependencies.
fn is_hidden(c: char) -> bool {
    (c.is_control() && !matches!(c, '\n' | '\t'))
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
