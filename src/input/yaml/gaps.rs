//! The text between two scalars: blanks, comments, indicators, anchors, tags and directives.
//!
//! YAML 1.1 is stricter there than YAML 1.2: it allows tabs in fewer places, only letters and digits in the names of anchors, and no
//! directives but its own. The events of `granit-parser` do not tell, so the text between them is walked, once, from one event to
//! the next.
use memchr::{memchr2, memrchr2};

pub(super) const TAB: &str = "found a tab character where indentation is expected";

/// What YAML 1.1 does not allow, and where.
#[derive(Debug)]
pub(super) struct Error {
    pub(super) message: &'static str,
    pub(super) at: usize,
}

pub(super) struct Gaps<'t> {
    text: &'t str,
    at: usize,
    /// How many flow lists and maps are open.
    pub(super) flow: usize,
    /// Whether a key may begin here. A tab is not allowed there, outside of flow lists and maps.
    key_allowed: bool,
    /// What ended before the gap, until an indicator follows: a colon would make it a key.
    before: Option<Value>,
    /// Whether `?` begins the next value, which then may have several lines as a key.
    has_question: bool,
    is_document_open: bool,
    /// Columns of the lists and maps that are open, brackets aside.
    blocks: Vec<usize>,
    line_start: usize,
}

/// A value before the gap.
struct Value {
    /// Whether it has several lines, the line break before its colon included.
    is_broken: bool,
    /// Whether `?` began it.
    is_explicit: bool,
    /// Whether it is a plain scalar that nothing but blanks and line breaks followed: it may have gone on there.
    is_open: bool,
}

/// The indicators of the gap before an event that have no event of their own.
#[derive(Default)]
pub(super) struct Indicators {
    /// The first `-`.
    pub(super) dash: Option<usize>,
    /// The head of a block scalar.
    pub(super) block: Option<usize>,
}

impl<'t> Gaps<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Self {
            text,
            at: 0,
            flow: 0,
            key_allowed: true,
            before: None,
            has_question: false,
            is_document_open: false,
            blocks: Vec::new(),
            line_start: 0,
        }
    }

    /// Begins a list or map without brackets; none for one that has the indentation of the one around it.
    pub(super) fn open_block(&mut self, start: Option<usize>) {
        let around = self.blocks.last().copied().unwrap_or_default();
        // Between brackets, columns mean nothing.
        let start = start.filter(|_| self.flow == 0);
        self.blocks.push(start.map_or(around, |start| {
            let line = &self.text[..start];
            line.len() - memrchr2(b'\n', b'\r', line.as_bytes()).map_or(0, |at| at + 1)
        }));
    }

    pub(super) fn close_block(&mut self) {
        self.blocks.pop();
    }

    /// Steps over a plain scalar.
    pub(super) fn plain(&mut self, end: usize) {
        self.token(end);
        if let Some(value) = &mut self.before {
            value.is_open = true;
        }
    }

    /// Steps over a token that has an event.
    pub(super) fn token(&mut self, end: usize) {
        let token = self.text.get(self.at..end).unwrap_or_default();
        self.at = self.at.max(end);
        // The break that ends a block scalar belongs to it.
        self.key_allowed = token.ends_with(['\n', '\r']);
        self.before = Some(Value {
            is_broken: memchr2(b'\n', b'\r', token.as_bytes()).is_some(),
            is_explicit: std::mem::take(&mut self.has_question),
            is_open: false,
        });
        self.is_document_open = true;
    }

    /// Steps over `[` or `{`.
    pub(super) fn open(&mut self, end: usize) {
        self.token(end);
        self.flow += 1;
        self.before = None;
    }

    /// Steps over `]` or `}`.
    pub(super) fn close(&mut self, end: usize) {
        self.flow = self.flow.saturating_sub(1);
        self.token(end);
    }

    /// Steps over `---` or `...`.
    pub(super) fn document(&mut self, end: usize, is_open: bool) {
        self.token(end);
        self.before = None;
        self.is_document_open = is_open;
    }

    /// Walks up to the next event.
    pub(super) fn walk(&mut self, end: usize) -> Result<Indicators, Error> {
        let mut found = Indicators::default();
        while self.at < end {
            let rest = &self.text[self.at..end];
            let in_flow = self.flow > 0;
            let byte = rest.as_bytes()[0];
            let is_blank = matches!(byte, b' ' | b'\t' | b'\n' | b'\r');
            if let Some(value) = &mut self.before {
                value.is_open &= is_blank;
                value.is_broken |= matches!(byte, b'\n' | b'\r');
            }
            let length = match byte {
                b' ' => rest.bytes().take_while(|it| *it == b' ').count(),
                b'\t' if self.key_allowed && !in_flow && !self.may_be_plain() => {
                    return Err(self.error(TAB));
                }
                b'\n' | b'\r' => {
                    self.key_allowed = true;
                    self.line_start = self.at + 1;
                    1
                }
                b'#' => line(rest),
                b'%' if self.is_line_start() => {
                    let name = rest[1..].split([' ', '\t', '\r', '\n']).next();
                    if !matches!(name, Some("YAML" | "TAG")) {
                        return Err(self.error("found unknown directive name"));
                    }
                    line(rest)
                }
                b'.' if !self.is_document_open => {
                    return Err(self.error("did not find expected node content"));
                }
                b'-' if rest.starts_with("---") && self.is_line_start() => 3,
                b'-' => {
                    found.dash = found.dash.or(Some(self.at));
                    self.indicator(true)
                }
                b'?' => {
                    self.has_question = true;
                    self.indicator(true)
                }
                b':' => {
                    let value = self.before.as_ref();
                    if in_flow && value.is_some_and(|it| it.is_broken && !it.is_explicit) {
                        return Err(self.error("a key must end in the line in which it begins"));
                    }
                    let is_simple = value.is_some_and(|it| !it.is_broken);
                    self.indicator(!is_simple)
                }
                b',' => {
                    self.has_question = false;
                    self.indicator(true)
                }
                b'|' | b'>' => {
                    found.block = Some(self.at);
                    line(rest)
                }
                b'!' => {
                    let rest = &self.text[self.at..];
                    let length = property(rest);
                    let is_uri = |byte: u8| {
                        byte.is_ascii_alphanumeric()
                            || b"!-;/?:@&=+$,._~*'()[]%<>".contains(&byte)
                                && !(in_flow && b",[]".contains(&byte))
                    };
                    // In YAML 1.1 a tag goes on to the next blank.
                    if !rest.as_bytes()[..length].iter().copied().all(is_uri) {
                        return Err(self.error("a tag must end with a blank"));
                    }
                    self.key_allowed = false;
                    length.min(end - self.at)
                }
                b'&' => {
                    self.key_allowed = false;
                    let name = rest[1..].find(|next: char| !is_name(next));
                    1 + name.unwrap_or(rest.len() - 1)
                }
                _ => rest.chars().next().map_or(1, char::len_utf8),
            };
            self.at += length;
        }
        Ok(found)
    }

    fn indicator(&mut self, key_allowed: bool) -> usize {
        self.key_allowed = key_allowed;
        self.before = None;
        1
    }

    /// Whether a plain scalar could go on here, which may have tabs to the right of the block around it.
    fn may_be_plain(&self) -> bool {
        let column = self.at - self.line_start;
        self.before.as_ref().is_some_and(|it| it.is_open)
            && self.blocks.last().is_none_or(|around| column > *around)
    }

    fn is_line_start(&self) -> bool {
        self.text[..self.at].is_empty() || self.text[..self.at].ends_with(['\n', '\r'])
    }

    fn error(&self, message: &'static str) -> Error {
        Error {
            message,
            at: self.at,
        }
    }
}

/// Whether the name of an anchor may have the character.
pub(super) fn is_name(character: char) -> bool {
    character.is_ascii_alphanumeric() || matches!(character, '_' | '-')
}

/// The length of the rest of the line.
fn line(text: &str) -> usize {
    memchr2(b'\n', b'\r', text.as_bytes()).unwrap_or(text.len())
}

/// The length of a tag.
fn property(text: &str) -> usize {
    text.find([' ', '\t', '\n', '\r']).unwrap_or(text.len())
}
