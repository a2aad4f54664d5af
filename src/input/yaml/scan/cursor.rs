//! A position in a text, with its line and column, and what the characters there mean to YAML.

/// Moves through a text. Bytes beyond its end read as 0, which the text itself does not have.
pub(super) struct Cursor<'t> {
    text: &'t str,
    pub(super) at: usize,
    pub(super) line: usize,
    /// In characters.
    pub(super) column: usize,
}

impl<'t> Cursor<'t> {
    pub(super) fn new(text: &'t str, at: usize) -> Self {
        Self {
            text,
            at,
            line: 0,
            column: 0,
        }
    }

    pub(super) fn byte(&self, offset: usize) -> u8 {
        self.text
            .as_bytes()
            .get(self.at + offset)
            .copied()
            .unwrap_or(0)
    }

    pub(super) fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    pub(super) fn slice(&self, start: usize, end: usize) -> &'t str {
        &self.text[start..end]
    }

    pub(super) fn is_end(&self) -> bool {
        self.at >= self.text.len()
    }

    pub(super) fn column_signed(&self) -> isize {
        self.column.cast_signed()
    }

    pub(super) fn is_blank(&self, offset: usize) -> bool {
        matches!(self.byte(offset), b' ' | b'\t')
    }

    pub(super) fn is_blank_or_end(&self, offset: usize) -> bool {
        match self.byte(offset) {
            b' ' | b'\t' | b'\r' | b'\n' | 0 => true,
            0xc2 | 0xe2 => self.break_length(offset) > 0,
            _ => false,
        }
    }

    /// Whether a line break or the end of the text follows.
    pub(super) fn is_line_end(&self) -> bool {
        self.is_end() || self.break_length(0) > 0
    }

    /// Length in bytes of the line break there: `\n`, `\r`, `\r\n`, next line, line or paragraph separator.
    pub(super) fn break_length(&self, offset: usize) -> usize {
        match self.byte(offset) {
            b'\r' if self.byte(offset + 1) == b'\n' => 2,
            b'\r' | b'\n' => 1,
            0xc2 if self.byte(offset + 1) == 0x85 => 2,
            0xe2 if self.byte(offset + 1) == 0x80
                && matches!(self.byte(offset + 2), 0xa8 | 0xa9) =>
            {
                3
            }
            _ => 0,
        }
    }

    /// Whether `---` or `...` begins here, alone or before a blank; only at the start of a line does it count.
    pub(super) fn is_document_indicator(&self) -> bool {
        let rest = &self.text.as_bytes()[self.at..];
        self.column == 0
            && (rest.starts_with(b"---") || rest.starts_with(b"..."))
            && self.is_blank_or_end(3)
    }

    /// Steps over a number of characters, none of them a line break.
    pub(super) fn skip(&mut self, characters: usize) {
        for character in self.rest().chars().take(characters) {
            self.at += character.len_utf8();
            self.column += 1;
        }
    }

    /// Steps over characters up to a byte for which `stops` holds or the end; none of them is a line break.
    pub(super) fn skip_until(&mut self, mut stops: impl FnMut(&Self) -> bool) {
        while !self.is_end() && !stops(self) {
            self.at += 1;
            while self.byte(0) & 0xc0 == 0x80 {
                self.at += 1;
            }
            self.column += 1;
        }
    }

    pub(super) fn skip_blanks(&mut self) {
        while self.is_blank(0) {
            self.at += 1;
            self.column += 1;
        }
    }

    /// Steps over a comment, if one begins here.
    pub(super) fn skip_comment(&mut self) {
        if self.byte(0) == b'#' {
            self.skip_until(Self::is_line_end);
        }
    }

    /// Steps over a line break, if there is one.
    pub(super) fn skip_break(&mut self) -> bool {
        let length = self.break_length(0);
        if length > 0 {
            self.at += length;
            self.line += 1;
            self.column = 0;
        }
        length > 0
    }

    /// Steps over a line break and gives it as scalars keep it; none where none is.
    pub(super) fn read_break(&mut self) -> Option<char> {
        let next = self.rest().chars().next();
        let separator = next.filter(|next| matches!(next, '\u{2028}' | '\u{2029}'));
        self.skip_break().then_some(separator.unwrap_or('\n'))
    }
}
