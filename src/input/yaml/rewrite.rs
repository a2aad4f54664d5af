//! Spellings that YAML 1.1 has and YAML 1.2 lacks, written as YAML 1.2 before `granit-parser` reads them.
//!
//! Line breaks of YAML 1.1 are replaced up front. What else differs depends on the context, which only the parser knows: it stops
//! with an error, the place gets another spelling, and the text is read once more. Each such round costs as much as the text is long,
//! so their number is bounded; past the bound, the error is reported. Offsets lead back to the text as it was written.
use std::{borrow::Cow, ops::Range};

use granit_parser::{ErrorKind, ScalarStyle};

/// Line breaks that only YAML 1.1 has.
const BREAKS: [char; 3] = ['\u{85}', LINE, PARAGRAPH];
/// Those of them that text keeps.
const LINE: char = '\u{2028}';
const PARAGRAPH: char = '\u{2029}';

/// Returns how many bytes may be read once more for the sake of other spellings, in a text of a length.
pub(super) fn most(length: usize) -> usize {
    (32 * length).clamp(2 << 20, 32 << 20)
}

/// A text in the spelling of YAML 1.2.
pub(super) struct Rewritten<'t> {
    pub(super) text: Cow<'t, str>,
    written: &'t str,
    /// Where replacements end, here and in the original text, in ascending order.
    moved: Vec<(usize, usize)>,
}

/// A part of the text and what stands for it.
struct Edit {
    start: usize,
    end: usize,
    with: &'static str,
}

impl<'t> Rewritten<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        let mut rewritten = Self {
            text: Cow::Borrowed(text),
            written: text,
            moved: Vec::new(),
        };
        // All of these begin with one of two bytes, which ASCII does not have.
        if !text.is_ascii() {
            let breaks = text.match_indices(BREAKS);
            let edits: Vec<Edit> = breaks
                .map(|(start, found)| Edit {
                    start,
                    end: start + found.len(),
                    with: "\n",
                })
                .collect();
            rewritten.apply(&edits);
        }
        rewritten
    }

    /// Where an offset of this text is in the original one.
    pub(super) fn original(&self, at: usize) -> usize {
        let after = self.moved.partition_point(|(here, _)| *here <= at);
        match after.checked_sub(1).and_then(|index| self.moved.get(index)) {
            Some((here, there)) => there + (at - here),
            None => at,
        }
    }

    /// A scalar with the line and paragraph separators that a line break stands for here.
    pub(super) fn folded<'s>(
        &self,
        text: Cow<'s, str>,
        style: ScalarStyle,
        at: Range<usize>,
    ) -> Cow<'s, str> {
        if self.moved.is_empty() {
            return text;
        }
        let written = &self.written[self.original(at.start)..self.original(at.end)];
        if !written.contains([LINE, PARAGRAPH]) {
            return text;
        }
        let written = match style {
            ScalarStyle::Plain => written,
            ScalarStyle::SingleQuoted | ScalarStyle::DoubleQuoted => &written[1..written.len() - 1],
            ScalarStyle::Literal => return Cow::Owned(unfolded(&text, written)),
            ScalarStyle::Folded => return text,
        };
        if written.contains("''") || written.contains('\\') {
            return text;
        }
        Cow::Owned(fold(written))
    }

    /// Gives the place of an error the spelling that YAML 1.2 has for it, if it has one. `left`: how many bytes may be read once more.
    pub(super) fn respell(&mut self, kind: &ErrorKind, at: usize, left: &mut usize) -> bool {
        let Some(rest) = left.checked_sub(self.text.len()) else {
            return false;
        };
        *left = rest;
        let rest = self.text.get(at..).unwrap_or_default();
        let insert = |at, with| Edit {
            start: at,
            end: at,
            with,
        };
        let edits = match kind {
            // A comment right behind a bracket, a quote or the head of a block scalar.
            ErrorKind::CommentNotSeparated | ErrorKind::InvalidBlockScalarHeader
                if rest.starts_with('#') =>
            {
                vec![insert(at, " ")]
            }
            // `[-]` is a list of one text.
            ErrorKind::PlainScalarStartsWithDashFlowIndicator if rest.starts_with('-') => {
                vec![insert(at, "\""), insert(at + 1, "\"")]
            }
            ErrorKind::UnknownQuotedScalarEscape => escaped_quotes(rest, at),
            _ => Vec::new(),
        };
        self.apply(&edits);
        !edits.is_empty()
    }

    /// Applies edits, which are in ascending order.
    fn apply(&mut self, edits: &[Edit]) {
        if edits.is_empty() {
            return;
        }
        let mut text = String::with_capacity(self.text.len() + edits.len());
        let mut moved = Vec::with_capacity(self.moved.len() + edits.len());
        let (mut copied, mut known) = (0, 0);
        for edit in edits {
            while let Some((here, there)) = self.moved.get(known).filter(|it| it.0 <= edit.start) {
                moved.push((text.len() + here - copied, *there));
                known += 1;
            }
            text.push_str(&self.text[copied..edit.start]);
            text.push_str(edit.with);
            moved.push((text.len(), self.original(edit.end)));
            copied = edit.end;
        }
        for (here, there) in &self.moved[known..] {
            moved.push((text.len() + here - copied, *there));
        }
        text.push_str(&self.text[copied..]);
        (self.text, self.moved) = (Cow::Owned(text), moved);
    }
}

/// Drops the backslashes before single quotes in a text in double quotes, from its beginning on.
fn escaped_quotes(text: &str, at: usize) -> Vec<Edit> {
    let mut edits = Vec::new();
    let mut bytes = text.bytes().enumerate().skip(1);
    while let Some((index, byte)) = bytes.next() {
        match byte {
            b'"' => break,
            b'\\' => {
                if let Some((_, b'\'')) = bytes.next() {
                    edits.push(Edit {
                        start: at + index,
                        end: at + index + 1,
                        with: "",
                    });
                }
            }
            _ => {}
        }
    }
    edits
}

/// Folds the lines of a text: one line break is a space, and of several the first goes; separators stay.
fn fold(text: &str) -> String {
    let text = text.replace("\r\n", "\n").replace(['\r', '\u{85}'], "\n");
    let mut folded = String::new();
    let mut breaks = String::new();
    let mut lines = text.split_inclusive(['\n', LINE, PARAGRAPH]).peekable();
    while let Some(line) = lines.next() {
        let mut word = line.trim_end_matches(['\n', LINE, PARAGRAPH]);
        let end = &line[word.len()..];
        if !end.is_empty() {
            word = word.trim_end_matches([' ', '\t']);
        }
        if !breaks.is_empty() {
            word = word.trim_start_matches([' ', '\t']);
        }
        if !word.is_empty() || lines.peek().is_none() {
            match breaks.strip_prefix('\n') {
                Some("") => folded.push(' '),
                Some(further) => folded.push_str(further),
                None => folded.push_str(&breaks),
            }
            breaks.clear();
        }
        folded.push_str(word);
        breaks.push_str(end);
    }
    folded
}

/// A literal block scalar with the line breaks that are written; its head has one more.
fn unfolded(text: &str, written: &str) -> String {
    let written = one_break(written);
    let mut breaks = written
        .chars()
        .filter(|it| matches!(*it, '\n' | LINE | PARAGRAPH));
    breaks.next();
    let restored = text.chars().map(|it| match it {
        '\n' => breaks.next().unwrap_or(it),
        _ => it,
    });
    restored.collect()
}

/// All line breaks but separators as line feeds.
fn one_break(text: &str) -> String {
    text.replace("\r\n", "\n").replace(['\r', '\u{85}'], "\n")
}
