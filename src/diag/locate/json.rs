//! The scan of a JSON text, known to be well-formed up to where its findings stand.
use super::{Position, Trail};

/// Deeper than any text that was read.
const MAX_DEPTH: usize = 256;

/// Scans values one after another; `false` if the text is no JSON after all.
pub(super) fn scan(text: &str, trail: &mut Trail) -> bool {
    let mut scan = Scan {
        rest: text,
        line: 1,
        column: 1,
        trail,
    };
    let mut document = 0;
    scan.space();
    if !scan.rest.starts_with(['{', '[']) {
        return false;
    }
    while !scan.rest.is_empty() {
        scan.trail.document(document);
        document += 1;
        if scan.value(None, 0).is_none() {
            return false;
        }
        scan.space();
    }
    true
}

struct Scan<'t, 'a> {
    rest: &'t str,
    line: usize,
    column: usize,
    trail: &'a mut Trail,
}

impl<'t> Scan<'t, '_> {
    fn value(&mut self, key: Option<Position>, depth: usize) -> Option<()> {
        self.space();
        let mut position = self.position();
        match self.rest.chars().next()? {
            _ if depth > MAX_DEPTH => None,
            '{' => {
                self.trail.here(key, position);
                self.map(depth)
            }
            '[' => {
                self.trail.here(key, position);
                self.list(depth)
            }
            '"' => {
                let text = self.string()?;
                position.length = text.chars().count();
                self.trail.here(key, position);
                Some(())
            }
            _ => {
                let end = self
                    .rest
                    .find(|next: char| !next.is_ascii_alphanumeric() && !"+-.".contains(next))
                    .unwrap_or(self.rest.len());
                position.length = self.take(end)?.len();
                self.trail.here(key, position);
                (end > 0).then_some(())
            }
        }
    }

    fn map(&mut self, depth: usize) -> Option<()> {
        self.take(1)?;
        self.space();
        while !self.rest.starts_with('}') {
            let mut position = self.position();
            let key = self.string()?;
            position.length = key.chars().count();
            let key: String = serde_json::from_str(key).ok()?;
            self.space();
            self.symbol(':')?;
            let back = self.trail.name(&key);
            self.value(Some(position), depth + 1)?;
            self.trail.up(back);
            self.comma('}')?;
        }
        self.take(1).map(|_| ())
    }

    fn list(&mut self, depth: usize) -> Option<()> {
        self.take(1)?;
        self.space();
        let mut index = 0;
        while !self.rest.starts_with(']') {
            let back = self.trail.index(index);
            self.value(None, depth + 1)?;
            self.trail.up(back);
            index += 1;
            self.comma(']')?;
        }
        self.take(1).map(|_| ())
    }

    /// A text as it is written, quotes included.
    fn string(&mut self) -> Option<&'t str> {
        let inner = self.rest.strip_prefix('"')?;
        let mut escaped = false;
        let end = inner.bytes().position(|byte| {
            let ends = byte == b'"' && !escaped;
            escaped = byte == b'\\' && !escaped;
            ends
        })?;
        self.take(end + 2)
    }

    /// A comma, unless the list or map ends here.
    fn comma(&mut self, end: char) -> Option<()> {
        self.space();
        if !self.rest.starts_with(end) {
            self.symbol(',')?;
            self.space();
        }
        Some(())
    }

    fn symbol(&mut self, symbol: char) -> Option<()> {
        self.rest.starts_with(symbol).then_some(())?;
        self.take(1).map(|_| ())
    }

    fn space(&mut self) {
        let length = self.rest.len() - self.rest.trim_start().len();
        self.take(length);
    }

    /// Steps over so many bytes.
    fn take(&mut self, length: usize) -> Option<&'t str> {
        let (taken, rest) = self.rest.split_at_checked(length)?;
        for character in taken.chars() {
            if character == '\n' {
                self.line += 1;
                self.column = 1;
            } else {
                self.column += 1;
            }
        }
        self.rest = rest;
        Some(taken)
    }

    fn position(&self) -> Position {
        Position {
            line: self.line,
            column: self.column,
            length: 1,
        }
    }
}
