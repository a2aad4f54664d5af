//! Splits YAML text into tokens, with the rules of libyaml (YAML 1.1), which Go's reader follows too.
mod cursor;
mod scalars;
mod tags;
mod token;

pub(super) use token::{Kind, Token};

use std::collections::VecDeque;

use super::{Error, Span};
use cursor::Cursor;

/// How many characters a key without `?` may have, up to its colon.
const MAX_KEY: usize = 1024;

/// Finds the first character that YAML does not allow, escaped or not.
pub(super) fn refused_character(text: &str) -> Option<usize> {
    let is_plain = |byte: &u8| matches!(byte, b'\t' | b'\n' | b'\r' | b' '..=b'~');
    // By chunks without an early end, which compiles to vector instructions.
    let are_plain = |chunk: &[u8]| chunk.iter().fold(true, |all, byte| all & is_plain(byte));
    if text.as_bytes().chunks(256).all(are_plain) {
        return None;
    }
    text.find(|character| {
        !matches!(
            character,
            '\t' | '\n' | '\r' | ' '..='~' | '\u{85}' | '\u{a0}'..='\u{fffd}' | '\u{10000}'..
        )
    })
}

/// A position where a key may have started; only the `:` after it decides.
#[derive(Clone, Copy, Debug, Default)]
struct SimpleKey {
    possible: bool,
    /// Whether the block cannot go on with anything but a key.
    required: bool,
    /// Number of its token, counted from the start of the text.
    token: usize,
    at: usize,
    line: usize,
    column: usize,
}

/// Produces the tokens of a text, one after another.
pub(super) struct Scanner<'t> {
    cursor: Cursor<'t>,
    queue: VecDeque<Token<'t>>,
    /// How many tokens were taken from the queue.
    taken: usize,
    /// How many flow lists and maps are open.
    flow: usize,
    /// Column of the block at hand; -1 outside of any.
    indent: isize,
    indents: Vec<isize>,
    /// One for each flow level, and one for the block context.
    keys: Vec<SimpleKey>,
    key_allowed: bool,
}

impl<'t> Scanner<'t> {
    /// Scans from an offset on.
    pub(super) fn new(text: &'t str, start: usize) -> Self {
        Self {
            cursor: Cursor::new(text, start),
            queue: VecDeque::new(),
            taken: 0,
            flow: 0,
            indent: -1,
            indents: Vec::new(),
            keys: vec![SimpleKey::default()],
            key_allowed: true,
        }
    }

    /// The next token, which stays in the queue.
    pub(super) fn peek(&mut self) -> Result<&Token<'t>, Error> {
        while self.needs_more()? {
            self.fetch()?;
        }
        // `needs_more` is false only when the queue has a token.
        self.queue
            .front()
            .ok_or_else(|| self.error("unexpected end of the text"))
    }

    /// Takes the next token.
    pub(super) fn next(&mut self) -> Result<Token<'t>, Error> {
        self.peek()?;
        self.taken += 1;
        self.queue
            .pop_front()
            .ok_or_else(|| self.error("unexpected end of the text"))
    }

    /// Whether the first token of the queue may still turn out to be a key.
    fn needs_more(&mut self) -> Result<bool, Error> {
        if self.queue.is_empty() {
            return Ok(true);
        }
        let taken = self.taken;
        let first = self
            .keys
            .iter()
            .position(|key| key.possible && key.token == taken);
        first.map_or(Ok(false), |index| self.is_valid(index))
    }

    fn error(&self, message: &'static str) -> Error {
        Error {
            message,
            at: self.cursor.at,
        }
    }

    fn push(&mut self, kind: Kind<'t>, start: usize, end: usize) {
        let span = Span::new(start, end);
        self.queue.push_back(Token { kind, span });
    }

    /// Steps over an indicator and adds its token.
    fn indicator(&mut self, length: usize, kind: Kind<'t>) {
        let start = self.cursor.at;
        self.cursor.skip(length);
        self.push(kind, start, self.cursor.at);
    }

    /// Adds at least one token to the queue.
    fn fetch(&mut self) -> Result<(), Error> {
        self.skip_to_token();
        self.unroll(self.cursor.column_signed());
        if self.cursor.is_end() {
            return self.end();
        }
        let cursor = &self.cursor;
        let first = cursor.byte(0);
        if cursor.column == 0 {
            if first == b'%' {
                self.leave_blocks()?;
                return self.directive();
            }
            if cursor.is_document_indicator() {
                self.leave_blocks()?;
                let kind = if first == b'-' {
                    Kind::DocumentStart
                } else {
                    Kind::DocumentEnd
                };
                self.indicator(3, kind);
                return Ok(());
            }
        }
        let in_flow = self.flow > 0;
        let before_blank = cursor.is_blank_or_end(1);
        match first {
            b'[' => self.open_flow(Kind::FlowListStart)?,
            b'{' => self.open_flow(Kind::FlowMapStart)?,
            b']' => self.close_flow(Kind::FlowListEnd)?,
            b'}' => self.close_flow(Kind::FlowMapEnd)?,
            b',' => {
                self.drop_key()?;
                self.key_allowed = true;
                self.indicator(1, Kind::FlowEntry);
            }
            b'-' if before_blank => {
                if !in_flow {
                    self.begin_block(
                        Kind::BlockListStart,
                        "block sequence entries are not allowed in this context",
                    )?;
                }
                self.drop_key()?;
                self.key_allowed = true;
                self.indicator(1, Kind::BlockEntry);
            }
            b'?' if in_flow || before_blank => {
                if !in_flow {
                    self.begin_block(
                        Kind::BlockMapStart,
                        "mapping keys are not allowed in this context",
                    )?;
                }
                self.drop_key()?;
                self.key_allowed = !in_flow;
                self.indicator(1, Kind::Key);
            }
            b':' if in_flow || before_blank => self.value()?,
            b'*' | b'&' => {
                self.save_key()?;
                self.key_allowed = false;
                self.anchor()?;
            }
            b'!' => {
                self.save_key()?;
                self.key_allowed = false;
                self.tag()?;
            }
            b'|' | b'>' if !in_flow => {
                self.drop_key()?;
                self.key_allowed = true;
                self.block_scalar()?;
            }
            b'\'' | b'"' => {
                self.save_key()?;
                self.key_allowed = false;
                self.quoted()?;
            }
            b'-' if !cursor.is_blank(1) => self.plain()?,
            b'?' | b':' if !in_flow && !before_blank => self.plain()?,
            b'\t' => {
                return Err(self.error("found a tab character where indentation is expected"));
            }
            b'-' | b'?' | b':' | b'#' | b'|' | b'>' | b'%' | b'@' | b'`' => {
                return Err(self.error("found character that cannot start any token"));
            }
            _ => self.plain()?,
        }
        Ok(())
    }

    /// Steps over blanks, comments and line breaks.
    fn skip_to_token(&mut self) {
        loop {
            let tabs = self.flow > 0 || !self.key_allowed;
            while self.cursor.byte(0) == b' ' || (tabs && self.cursor.byte(0) == b'\t') {
                self.cursor.skip(1);
            }
            self.cursor.skip_comment();
            if !self.cursor.skip_break() {
                return;
            }
            if self.flow == 0 {
                self.key_allowed = true;
            }
        }
    }

    fn end(&mut self) -> Result<(), Error> {
        // No key goes on after the last line.
        self.cursor.line += 1;
        self.cursor.column = 0;
        self.leave_blocks()?;
        self.push(Kind::StreamEnd, self.cursor.at, self.cursor.at);
        Ok(())
    }

    /// Ends all blocks: a document or the text ends here.
    fn leave_blocks(&mut self) -> Result<(), Error> {
        self.unroll(-1);
        self.drop_key()?;
        self.key_allowed = false;
        Ok(())
    }

    fn open_flow(&mut self, kind: Kind<'t>) -> Result<(), Error> {
        self.save_key()?;
        self.keys.push(SimpleKey::default());
        self.flow += 1;
        self.key_allowed = true;
        self.indicator(1, kind);
        Ok(())
    }

    fn close_flow(&mut self, kind: Kind<'t>) -> Result<(), Error> {
        self.drop_key()?;
        if self.flow > 0 {
            self.flow -= 1;
            self.keys.pop();
        }
        self.key_allowed = false;
        self.indicator(1, kind);
        Ok(())
    }

    /// Begins a block at the cursor, unless it is open already.
    fn begin_block(&mut self, kind: Kind<'t>, refusal: &'static str) -> Result<(), Error> {
        if !self.key_allowed {
            return Err(self.error(refusal));
        }
        let at = self.queue.len();
        self.roll(self.cursor.column_signed(), at, kind, self.cursor.at);
        Ok(())
    }

    fn value(&mut self) -> Result<(), Error> {
        let last = self.keys.len() - 1;
        if self.is_valid(last)? {
            let key = self.keys[last];
            // A key that may still be one keeps its token in the queue.
            let at = key.token.saturating_sub(self.taken);
            let span = Span::new(key.at, key.at);
            self.queue.insert(
                at,
                Token {
                    kind: Kind::Key,
                    span,
                },
            );
            self.roll(key.column.cast_signed(), at, Kind::BlockMapStart, key.at);
            self.keys[last].possible = false;
            self.key_allowed = false;
        } else {
            if self.flow == 0 {
                self.begin_block(
                    Kind::BlockMapStart,
                    "mapping values are not allowed in this context",
                )?;
            }
            self.key_allowed = self.flow == 0;
        }
        self.indicator(1, Kind::Value);
        Ok(())
    }

    /// Notes that a key may begin here.
    fn save_key(&mut self) -> Result<(), Error> {
        if !self.key_allowed {
            return Ok(());
        }
        self.drop_key()?;
        let cursor = &self.cursor;
        let key = SimpleKey {
            possible: true,
            required: self.flow == 0 && self.indent == cursor.column_signed(),
            token: self.taken + self.queue.len(),
            at: cursor.at,
            line: cursor.line,
            column: cursor.column,
        };
        if let Some(last) = self.keys.last_mut() {
            *last = key;
        }
        Ok(())
    }

    /// Gives up the key that may have begun at this flow level.
    fn drop_key(&mut self) -> Result<(), Error> {
        let error = self.error("could not find expected ':'");
        match self.keys.last_mut() {
            Some(key) if key.possible && key.required => Err(error),
            Some(key) => {
                key.possible = false;
                Ok(())
            }
            None => Ok(()),
        }
    }

    /// Whether the key can still be one: keys end within their line, and within [`MAX_KEY`] characters.
    fn is_valid(&mut self, index: usize) -> Result<bool, Error> {
        let error = self.error("could not find expected ':'");
        let (line, column) = (self.cursor.line, self.cursor.column);
        let key = &mut self.keys[index];
        if key.possible && (key.line < line || key.column + MAX_KEY < column) {
            if key.required {
                return Err(error);
            }
            key.possible = false;
        }
        Ok(key.possible)
    }

    /// Begins a block if the column is to the right of the block at hand; its token goes to that place of the queue.
    fn roll(&mut self, column: isize, at: usize, kind: Kind<'t>, start: usize) {
        if self.flow > 0 || self.indent >= column {
            return;
        }
        self.indents.push(self.indent);
        self.indent = column;
        let span = Span::new(start, start);
        self.queue.insert(at, Token { kind, span });
    }

    /// Ends the blocks to the right of a column.
    fn unroll(&mut self, column: isize) {
        while self.flow == 0 && self.indent > column {
            self.push(Kind::BlockEnd, self.cursor.at, self.cursor.at);
            self.indent = self.indents.pop().unwrap_or(-1);
        }
    }
}
