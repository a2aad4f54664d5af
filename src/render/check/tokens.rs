//! A text comes in, its tokens go out one by one; what is not for sure a token of Rust is none here.
use crate::keywords::is_keyword;
use unicode_ident::{is_xid_continue, is_xid_start};

/// What is left of a text.
#[derive(Clone, Copy)]
pub(super) struct Tokens<'t>(&'t str);

/// An identifier or a keyword.
#[derive(Clone, Copy, PartialEq)]
pub(super) struct Word<'t> {
    text: &'t str,
    raw: bool,
}

impl<'t> Tokens<'t> {
    pub(super) fn of(text: &'t str) -> Self {
        Self(text)
    }

    /// Whether nothing is left.
    pub(super) fn are_over(&mut self) -> bool {
        self.skip();
        self.0.is_empty()
    }

    /// Goes over spaces and comments, but for docs.
    fn skip(&mut self) {
        while matches!(self.0.as_bytes().first(), Some(b' ' | b'\n' | b'/')) {
            self.0 = without_spaces(self.0);
            if !self.0.starts_with("//") || self.is_doc("///") || self.is_doc("//!") {
                return;
            }
            self.line();
        }
    }

    fn is_doc(self, mark: &str) -> bool {
        self.0.starts_with(mark) && !self.0.starts_with("////")
    }

    /// Takes the rest of the line.
    fn line(&mut self) -> &'t str {
        let (line, rest) = self.0.split_once('\n').unwrap_or((self.0, ""));
        self.0 = rest;
        line
    }

    /// Takes a line of docs that begins so; of one with a carriage return it takes the mark alone, and nothing goes on with
    /// the text behind it.
    pub(super) fn docs(&mut self, mark: &str) -> bool {
        self.skip();
        if !self.is_doc(mark) {
            return false;
        }
        let before = *self;
        if self.line().contains('\r') {
            *self = before;
            return false;
        }
        true
    }

    /// Takes a token of signs; where a longer one begins so, it is another token.
    pub(super) fn sign(&mut self, sign: &str) -> bool {
        self.skip();
        let Some(rest) = self.0.strip_prefix(sign) else {
            return false;
        };
        let longer: &[u8] = match sign {
            ":" | "::" => b":",
            "=" => b"=>",
            "&" => b"&=",
            "-" => b">=",
            "<" => b"<=-",
            ">" | "!" | "*" => b"=",
            "." => b".",
            ".." => b".=",
            _ => b"",
        };
        let ends = rest
            .bytes()
            .next()
            .is_none_or(|next| !longer.contains(&next));
        if ends {
            self.0 = rest;
        }
        ends
    }

    /// Takes a keyword.
    pub(super) fn keyword(&mut self, keyword: &str) -> bool {
        self.skip();
        if !self.0.starts_with(keyword) {
            return false;
        }
        let before = *self;
        let found = self
            .word()
            .is_some_and(|word| !word.raw && word.text == keyword);
        if !found {
            *self = before;
        }
        found
    }

    /// Takes what can be the name of something.
    pub(super) fn name(&mut self) -> Option<()> {
        self.word()?.is_name().then_some(())
    }

    /// Takes the first step of a path; says whether it is a name.
    pub(super) fn step(&mut self) -> Option<bool> {
        let word = self.word()?;
        let relative = || !word.raw && is_relative(word.text);
        (word.is_name() || relative()).then_some(word.is_name())
    }

    /// Takes a word; one that may begin a literal is none.
    pub(super) fn word(&mut self) -> Option<Word<'t>> {
        self.skip();
        let raw = self.0.starts_with("r#");
        let text = if raw { &self.0[2..] } else { self.0 };
        let starts = |c: char| c == '_' || is_xid_start(c);
        if !text.starts_with(starts) {
            return None;
        }
        let length = word_length(text);
        let (text, rest) = text.split_at(length);
        self.0 = rest;
        let refused = raw && (text == "_" || is_relative(text));
        (!refused && !rest.starts_with(['"', '\'', '#'])).then_some(Word { text, raw })
    }

    /// Takes a lifetime.
    pub(super) fn lifetime(&mut self) -> Option<()> {
        self.skip();
        self.0 = self.0.strip_prefix('\'')?;
        // No space stands behind the quote, and nothing raw.
        if self.0.starts_with([' ', '\n', '/']) || self.0.starts_with("r#") {
            return None;
        }
        let word = self.word()?;
        (word.is_name() || matches!(word.text, "static" | "_")).then_some(())
    }

    /// Takes a string or an integer.
    pub(super) fn literal(&mut self) -> Option<()> {
        self.skip();
        match self.0.bytes().next()? {
            b'"' => self.string(),
            b'0'..=b'9' => self.integer(),
            _ => None,
        }
    }

    fn integer(&mut self) -> Option<()> {
        let digits = self.0.bytes().take_while(u8::is_ascii_digit).count();
        let rest = &self.0[digits..];
        let rest = ["_i64", "_u64"]
            .into_iter()
            .find_map(|suffix| rest.strip_prefix(suffix))
            .unwrap_or(rest);
        self.0 = rest;
        self.ends_literal().filter(|()| !rest.starts_with('.'))
    }

    fn string(&mut self) -> Option<()> {
        let mut rest = self.0.strip_prefix('"')?;
        loop {
            let end = rest.find(['"', '\\', '\n', '\r'])?;
            let (sign, after) = rest[end..].split_at(1);
            rest = match sign {
                "\"" => {
                    self.0 = after;
                    return self.ends_literal();
                }
                "\\" => escape(after)?,
                _ => return None,
            };
        }
    }

    /// What stands right behind a literal belongs to it.
    fn ends_literal(self) -> Option<()> {
        let belongs = |c: char| is_xid_continue(c) || matches!(c, '"' | '\'' | '#');
        (!self.0.starts_with(belongs)).then_some(())
    }

    /// Takes a group between brackets that begin so, of any tokens.
    pub(super) fn group(&mut self, open: &str) -> Option<()> {
        let mut closing = Vec::new();
        loop {
            self.skip();
            let next = self.0.bytes().next()?;
            if closing.is_empty() && !self.0.starts_with(open) {
                return None;
            }
            match next {
                b'(' => closing.push(b')'),
                b'[' => closing.push(b']'),
                b'{' => closing.push(b'}'),
                b')' | b']' | b'}' => {
                    (closing.pop()? == next).then_some(())?;
                }
                b'"' | b'0'..=b'9' => {
                    self.literal()?;
                    continue;
                }
                b'=' | b':' | b'.' | b',' | b';' | b'!' | b'-' => {}
                _ => {
                    self.word()?;
                    continue;
                }
            }
            self.0 = &self.0[1..];
            if closing.is_empty() {
                return Some(());
            }
        }
    }
}

/// The text without the spaces before it, as they are generated; what else Rust takes for one is none here.
fn without_spaces(text: &str) -> &str {
    let spaces = text.bytes().take_while(|byte| matches!(byte, b' ' | b'\n'));
    &text[spaces.count()..]
}

fn word_length(text: &str) -> usize {
    let plain = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    let length = text.bytes().take_while(plain).count();
    match text.as_bytes().get(length) {
        Some(byte) if !byte.is_ascii() => text.find(|c| !is_xid_continue(c)).unwrap_or(text.len()),
        _ => length,
    }
}

/// What is left behind an escape, without its backslash.
fn escape(text: &str) -> Option<&str> {
    let mut chars = text.chars();
    match chars.next()? {
        'n' | 'r' | 't' | '\\' | '0' | '\'' | '"' => Some(chars.as_str()),
        'u' => {
            let (digits, rest) = chars.as_str().strip_prefix('{')?.split_once('}')?;
            let is_hex = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
            let number = u32::from_str_radix(digits, 16).ok()?;
            (is_hex && digits.len() <= 6 && char::from_u32(number).is_some()).then_some(rest)
        }
        _ => None,
    }
}

impl Word<'_> {
    /// Whether something may be called so.
    fn is_name(self) -> bool {
        let is_kept = || self.text == "_" || is_relative(self.text) || is_keyword(self.text);
        self.raw || !is_kept()
    }
}

/// Whether a path can begin with the word, which is no name otherwise.
fn is_relative(word: &str) -> bool {
    matches!(word, "crate" | "self" | "Self" | "super")
}
