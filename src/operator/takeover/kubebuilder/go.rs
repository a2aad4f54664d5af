//! Splits Go source into words, strings and marks, without comments: as much of Go as markers and calls of builders need.

/// A part of a text, and its offset.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Token<'t> {
    pub(super) at: usize,
    pub(super) part: Part<'t>,
}

/// What a token is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Part<'t> {
    /// An identifier, a keyword or a number.
    Word(&'t str),
    /// The value of a string literal.
    Text(String),
    /// Any other character.
    Mark(char),
}

impl Token<'_> {
    pub(super) fn is_mark(&self, mark: char) -> bool {
        self.part == Part::Mark(mark)
    }

    pub(super) fn word(&self) -> Option<&str> {
        match &self.part {
            Part::Word(word) => Some(word),
            _ => None,
        }
    }

    pub(super) fn text(&self) -> Option<&str> {
        match &self.part {
            Part::Text(text) => Some(text),
            _ => None,
        }
    }
}

/// The tokens and the line comments of a text.
#[derive(Debug, Default)]
pub(super) struct Lexed<'t> {
    pub(super) tokens: Vec<Token<'t>>,
    /// The text after `//`, and its offset.
    pub(super) comments: Vec<(usize, &'t str)>,
}

/// Splits a text. What is not Go yields tokens without a meaning, never an error.
pub(super) fn lex(text: &str) -> Lexed<'_> {
    let mut lexed = Lexed::default();
    let mut at = 0;
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        let first = rest.chars().next().unwrap_or_default();
        let length = if let Some(comment) = rest.strip_prefix("//") {
            let end = comment.find('\n').unwrap_or(comment.len());
            lexed.comments.push((at + 2, comment[..end].trim_end()));
            2 + end
        } else if let Some(comment) = rest.strip_prefix("/*") {
            comment.find("*/").map_or(rest.len(), |end| end + 4)
        } else if first == '`' {
            let end = rest[1..].find('`').unwrap_or(rest.len() - 1);
            let part = Part::Text(rest[1..=end].to_owned());
            lexed.tokens.push(Token { at, part });
            (end + 2).min(rest.len())
        } else if first == '"' {
            let (value, length) = string(rest);
            let part = Part::Text(value);
            lexed.tokens.push(Token { at, part });
            length
        } else if first == '\'' {
            rune(rest)
        } else if first.is_alphanumeric() || first == '_' {
            let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_'));
            let word = &rest[..end.unwrap_or(rest.len())];
            let part = Part::Word(word);
            lexed.tokens.push(Token { at, part });
            word.len()
        } else {
            if !first.is_whitespace() {
                let part = Part::Mark(first);
                lexed.tokens.push(Token { at, part });
            }
            first.len_utf8()
        };
        at += length;
    }
    lexed
}

/// Returns the value of a string in double quotes, and its length in the text. Escapes other than of quotes and backslashes stay.
fn string(text: &str) -> (String, usize) {
    let mut value = String::new();
    let mut letters = text.char_indices().skip(1);
    while let Some((index, letter)) = letters.next() {
        match letter {
            '"' => return (value, index + 1),
            // An unclosed string ends with its line.
            '\n' => return (value, index),
            '\\' => match letters.next() {
                Some((_, quoted @ ('"' | '\\'))) => value.push(quoted),
                Some((_, other)) => value.extend(['\\', other]),
                None => {}
            },
            letter => value.push(letter),
        }
    }
    (value, text.len())
}

/// Returns the length of a character literal.
fn rune(text: &str) -> usize {
    let mut letters = text.char_indices().skip(1);
    while let Some((index, letter)) = letters.next() {
        match letter {
            '\'' => return index + 1,
            '\n' => return index,
            '\\' => drop(letters.next()),
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_and_comments_hide_what_is_in_them() {
        let text = "a := \"For(\\\"x\\\") // no\" // +marker\n/* Owns( */ `raw\n\"`, '\"', b.C_1{é}\n\"open\nend";
        let lexed = lex(text);
        let shown: Vec<String> = lexed
            .tokens
            .iter()
            .map(|token| match &token.part {
                Part::Word(word) => (*word).to_owned(),
                Part::Text(text) => format!("<{text}>"),
                Part::Mark(mark) => mark.to_string(),
            })
            .collect();
        let expected = "a : = <For(\"x\") // no> <raw\n\"> , , b . C_1 { é } <open> end";
        assert_eq!(shown.join(" "), expected);
        assert_eq!(lexed.comments.len(), 1);
        assert_eq!(lexed.comments[0].1, " +marker");
        for end in 0..=text.len() {
            drop(text.get(..end).map(lex));
        }
        for cut in ["`", "\"", "'", "/*", "//", "\"\\", "'\\"] {
            lex(cut);
        }
    }
}
