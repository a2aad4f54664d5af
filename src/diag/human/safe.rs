//! Text of the input comes in, text that a terminal shows as it is goes out.
use std::borrow::Cow;

/// The text with all that steers a terminal, or the direction of writing, written as an escape.
pub(super) fn safe(text: &str) -> Cow<'_, str> {
    if text.chars().any(steers) {
        text.chars()
            .map(|character| match character {
                steering if steers(steering) => Cow::Owned(steering.escape_unicode().to_string()),
                other => Cow::Owned(other.to_string()),
            })
            .collect::<String>()
            .into()
    } else {
        text.into()
    }
}

/// Whether a character does more than stand there.
pub(super) fn steers(character: char) -> bool {
    character.is_control()
        || matches!(
            character,
            '\u{ad}' | '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}'
        )
}
