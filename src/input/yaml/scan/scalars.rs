//! Scans scalars: plain, quoted, literal and folded.
use std::borrow::Cow;

use super::{Cursor, Error, Kind, Scanner};

/// Blanks and line breaks between two words of a scalar.
#[derive(Default)]
struct Gap<'t> {
    blanks: &'t str,
    is_broken: bool,
    /// The first line break, unless it was escaped.
    first: Option<char>,
    further: String,
}

impl Gap<'_> {
    /// Adds what the gap means: blanks as they are, a single line break as a space.
    fn fold(&self, text: &mut String) {
        match self.first {
            None if !self.is_broken => text.push_str(self.blanks),
            Some('\n') if self.further.is_empty() => text.push(' '),
            Some('\n') | None => text.push_str(&self.further),
            Some(separator) => {
                text.push(separator);
                text.push_str(&self.further);
            }
        }
    }
}

impl<'t> Scanner<'t> {
    pub(super) fn plain(&mut self) -> Result<(), Error> {
        self.save_key()?;
        self.key_allowed = false;
        let (start, in_flow) = (self.cursor.at, self.flow > 0);
        // The lines before the one at hand; the words of that one, with the blanks between them.
        let mut folded: Option<String> = None;
        let (mut words, mut end) = (start, start);
        let mut before: Option<Gap<'_>> = None;
        while !self.cursor.is_document_indicator() && self.cursor.byte(0) != b'#' {
            let word = self.cursor.at;
            self.cursor.skip_until(|cursor| match cursor.byte(0) {
                b':' => cursor.is_blank_or_end(1),
                b',' | b'?' | b'[' | b']' | b'{' | b'}' => in_flow,
                _ => cursor.is_blank_or_end(0),
            });
            if self.cursor.at > word {
                if let Some(gap) = before.take() {
                    let text = folded.get_or_insert_default();
                    text.push_str(self.cursor.slice(words, end));
                    gap.fold(text);
                    words = word;
                }
                end = self.cursor.at;
            }
            if self.cursor.is_end() || !self.cursor.is_blank_or_end(0) {
                break;
            }
            let gap = self.gap(false, self.indent + 1)?;
            if gap.is_broken {
                before = Some(gap);
            }
            if !in_flow && self.cursor.column_signed() <= self.indent {
                break;
            }
        }
        if before.is_some() {
            self.key_allowed = true;
        }
        let line = self.cursor.slice(words, end);
        let text = folded.map_or(Cow::Borrowed(line), |text| Cow::Owned(text + line));
        self.push(Kind::Scalar { text, plain: true }, start, end);
        Ok(())
    }

    pub(super) fn quoted(&mut self) -> Result<(), Error> {
        let start = self.cursor.at;
        let quote = self.cursor.byte(0);
        self.cursor.skip(1);
        // What precedes the run of characters that stand for themselves.
        let mut before: Option<String> = None;
        let mut run = self.cursor.at;
        loop {
            if self.cursor.is_document_indicator() {
                let message = "found unexpected document indicator in a quoted scalar";
                return Err(Error { message, at: start });
            }
            if self.cursor.is_end() {
                let message = "found unexpected end of stream in a quoted scalar";
                return Err(Error { message, at: start });
            }
            self.cursor.skip_until(|cursor| {
                let byte = cursor.byte(0);
                byte == quote || byte == b'\\' && quote == b'"' || cursor.is_blank_or_end(0)
            });
            let byte = self.cursor.byte(0);
            if byte == quote && !(quote == b'\'' && self.cursor.byte(1) == quote) {
                break;
            }
            let text = before.get_or_insert_default();
            text.push_str(self.cursor.slice(run, self.cursor.at));
            if byte == quote {
                text.push('\'');
                self.cursor.skip(2);
            } else if byte == b'\\' && quote == b'"' && self.cursor.break_length(1) == 0 {
                text.push(self.escape()?);
            } else {
                let escaped = byte == b'\\' && quote == b'"';
                if escaped {
                    self.cursor.skip(1);
                    self.cursor.skip_break();
                }
                self.gap(escaped, 0)?.fold(text);
            }
            run = self.cursor.at;
        }
        let last = self.cursor.slice(run, self.cursor.at);
        let text = before.map_or(Cow::Borrowed(last), |text| Cow::Owned(text + last));
        self.cursor.skip(1);
        self.push(Kind::Scalar { text, plain: false }, start, self.cursor.at);
        Ok(())
    }

    /// Reads blanks and line breaks; after a break, a tab to the left of `tabs_from` is an error.
    fn gap(&mut self, escaped: bool, tabs_from: isize) -> Result<Gap<'t>, Error> {
        let start = self.cursor.at;
        let mut gap = Gap {
            is_broken: escaped,
            ..Gap::default()
        };
        loop {
            while self.cursor.is_blank(0) {
                let is_left = self.cursor.column_signed() < tabs_from;
                if gap.is_broken && is_left && self.cursor.byte(0) == b'\t' {
                    return Err(self.error("found a tab character that violates indentation"));
                }
                self.cursor.skip(1);
            }
            if !gap.is_broken {
                gap.blanks = self.cursor.slice(start, self.cursor.at);
            }
            match self.cursor.read_break() {
                None => return Ok(gap),
                Some(character) if gap.is_broken => gap.further.push(character),
                Some(character) => {
                    gap.is_broken = true;
                    gap.first = Some(character);
                }
            }
        }
    }

    /// Reads an escape sequence of a double-quoted scalar.
    fn escape(&mut self) -> Result<char, Error> {
        let digits = match self.cursor.byte(1) {
            b'x' => 2,
            b'u' => 4,
            b'U' => 8,
            _ => 0,
        };
        let character = match self.cursor.byte(1) {
            b'0' => '\0',
            b'a' => '\x07',
            b'b' => '\x08',
            b't' | b'\t' => '\t',
            b'n' => '\n',
            b'v' => '\x0b',
            b'f' => '\x0c',
            b'r' => '\r',
            b'e' => '\x1b',
            same @ (b' ' | b'"' | b'\'' | b'\\') => char::from(same),
            b'N' => '\u{85}',
            b'_' => '\u{a0}',
            b'L' => '\u{2028}',
            b'P' => '\u{2029}',
            b'x' | b'u' | b'U' => {
                let code = self.cursor.rest().get(2..2 + digits);
                let code = code.filter(|code| code.bytes().all(|byte| byte.is_ascii_hexdigit()));
                let code = code.and_then(|code| u32::from_str_radix(code, 16).ok());
                let Some(code) = code else {
                    return Err(self.error("did not find expected hexdecimal number"));
                };
                let character = char::from_u32(code);
                character
                    .ok_or_else(|| self.error("found invalid Unicode character escape code"))?
            }
            _ => return Err(self.error("found unknown escape character")),
        };
        self.cursor.skip(2 + digits);
        Ok(character)
    }

    pub(super) fn block_scalar(&mut self) -> Result<(), Error> {
        let start = self.cursor.at;
        let literal = self.cursor.byte(0) == b'|';
        self.cursor.skip(1);
        let (chomping, mut indent) = self.block_header()?;
        let (mut text, mut first, mut further) = (String::new(), None, String::new());
        let mut end = self.block_breaks(&mut indent, &mut further)?;
        let mut was_blank = false;
        while self.cursor.column == indent && !self.cursor.is_end() {
            let is_blank = self.cursor.is_blank(0);
            if !literal && !was_blank && !is_blank && first == Some('\n') {
                if further.is_empty() {
                    text.push(' ');
                }
            } else {
                text.extend(first);
            }
            text.push_str(&further);
            further.clear();
            was_blank = is_blank;
            let line = self.cursor.at;
            self.cursor.skip_until(|cursor| cursor.break_length(0) > 0);
            text.push_str(self.cursor.slice(line, self.cursor.at));
            // kubectl ends the last line with a break, too.
            first = self.cursor.read_break().or(Some('\n'));
            end = self.block_breaks(&mut indent, &mut further)?;
        }
        if chomping != b'-' {
            text.extend(first);
        }
        if chomping == b'+' {
            text.push_str(&further);
        }
        let text = Cow::Owned(text);
        self.push(Kind::Scalar { text, plain: false }, start, end);
        Ok(())
    }

    /// Reads the rest of a block scalar's first line: its chomping indicator or 0, and its indentation if that is given.
    fn block_header(&mut self) -> Result<(u8, usize), Error> {
        let (mut chomping, mut increment) = (0, 0);
        for _ in 0..2 {
            match self.cursor.byte(0) {
                sign @ (b'+' | b'-') if chomping == 0 => chomping = sign,
                b'0' if increment == 0 => {
                    return Err(self.error("found an indentation indicator equal to 0"));
                }
                digit @ b'1'..=b'9' if increment == 0 => increment = usize::from(digit - b'0'),
                _ => break,
            }
            self.cursor.skip(1);
        }
        self.cursor.skip_blanks();
        self.cursor.skip_comment();
        if !self.cursor.is_line_end() {
            return Err(self.error("did not find expected comment or line break"));
        }
        self.cursor.skip_break();
        let around = usize::try_from(self.indent).unwrap_or(0);
        Ok((
            chomping,
            if increment == 0 {
                0
            } else {
                around + increment
            },
        ))
    }

    /// Reads indentation and empty lines; an indentation of 0 is not known yet and found here. Returns where the last
    /// line break ended.
    fn block_breaks(&mut self, indent: &mut usize, breaks: &mut String) -> Result<usize, Error> {
        let mut end = self.cursor.at;
        let mut widest = 0;
        loop {
            let is_indentation = |cursor: &Cursor<'_>| *indent == 0 || cursor.column < *indent;
            while is_indentation(&self.cursor) && self.cursor.byte(0) == b' ' {
                self.cursor.skip(1);
            }
            widest = widest.max(self.cursor.column);
            if is_indentation(&self.cursor) && self.cursor.byte(0) == b'\t' {
                return Err(
                    self.error("found a tab character where an indentation space is expected")
                );
            }
            let Some(character) = self.cursor.read_break() else {
                break;
            };
            breaks.push(character);
            end = self.cursor.at;
        }
        if *indent == 0 {
            let least = usize::try_from(self.indent + 1).unwrap_or(0);
            *indent = widest.max(least).max(1);
        }
        Ok(end)
    }
}
