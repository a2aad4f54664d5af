//! Reads YAML and JSON into values with positions, as kubectl and the API server read them.
//!
//! kubectl splits a text at its `---` lines and reads each part with Go's YAML reader: YAML 1.1 by the rules of libyaml.
//!
//! `granit-parser` scans and parses: it gives the place of every scalar in bytes, which diagnostics need, takes linear time, and has no
//! limits that a large CRD reaches. It reads YAML 1.2, so three steps around it read YAML 1.1: `rewrite` respells what only
//! 1.1 has, `gaps` rejects what only 1.2 has, and `scalar` finds the value of a text. `parse` makes nodes of its events, with limits
//! on depth and on what aliases copy. Wherever places do not matter, as in tests and in the operators that are made, the workspace
//! uses `serde_yaml`, in its maintained fork `yaml_serde`; it resolves scalars by YAML 1.2, and keeps neither places nor duplicate keys.
//!
//! # What Go reads otherwise
//!
//! Of the 1496 texts in `go.tsv`, most of them made to be hard, 16 give another value or error. None is one that a manifest needs:
//!
//! - A separator (U+2028, U+2029) in a folded scalar becomes a space, and no `>` or `|` follows one. Go keeps it in the text, as plain,
//!   quoted and literal text does here: `a: >\n  x\u2028  y`, `a: >\n  x\u2028\n  y\n\n  z`, `a: \u2028>`.
//! - A tag that ends with a comma, bracket or quote is rejected. Go takes these characters for a part of the tag, and ignores it:
//!   `[!!str, 1]`, `[!a, b]`, `!!fa]t 1: v`, `a: !1''f[`, `a: !!str] 1`.
//! - An empty list or map as a key, and what follows a document without `---`, are rejected. Go reads the beginning, and drops the
//!   rest: `[]: 1`, `{}: 1`, `{}\t: 1`, `{? a  b} :: b} :`, `[a]]`.
//! - `.inf` as a key is rejected, as it is as a value. Go makes it a text.
//! - `!!timestamp` is read as text, whatever follows: `a: !!timestamp x`, `a: !!timestamp 2!!time024-01-01T00:00:Z`. Go rejects what is
//!   no date.
//!
//! Mutations of manifests show three more, which are all rejected here: `|` and `>` in a line of their own in the column of their key;
//! a comment to the left of a block scalar that gives its indentation (`|2`); and text between brackets that ends with a colon before
//! a comma, as the value in `{a: 1:, b: 2}`.
mod gaps;
mod json;
mod node;
mod parse;
mod rewrite;
mod scalar;

pub(crate) use node::{Lines, Node, Span};

use std::cell::LazyCell;

use serde_json::Value;

use crate::base::{
    diag::{Code, Diagnostics, Place, lines},
    source::{Source, SourceId},
};
use parse::DocumentParser;
use rewrite::Rewritten;

/// How deep lists and maps may nest: several times what is in use, and bounded, since schemas are visited by recursion.
const MAX_DEPTH: usize = 250;

/// One document of a source.
#[derive(Debug)]
pub(crate) struct Document {
    /// Its root; never null.
    pub(crate) root: Node,
    /// Index in the source, empty and broken documents counted.
    pub(crate) index: usize,
    /// Scalars whose value is not what their text suggests.
    pub(crate) spellings: Vec<Spelling>,
}

/// A plain scalar that YAML 1.1 takes for a boolean or an octal number.
#[derive(Debug)]
pub(crate) struct Spelling {
    text: String,
    value: Value,
    span: Span,
}

impl Spelling {
    pub(crate) fn report(self, lines: &Lines<'_>, place: &Place, diagnostics: &mut Diagnostics) {
        let Self { text, value, span } = self;
        let position = Some(lines.position(span));
        let place = Place {
            position,
            ..place.clone()
        };
        let kind = if value.is_boolean() {
            "boolean"
        } else {
            "number"
        };
        diagnostics
            .report(
                Code::YamlSpelling,
                place,
                format!("plain `{text}` is read as the {kind} {value}"),
            )
            .hint(format!(
                "write \"{text}\" for the text, {value} for the {kind}"
            ));
    }
}

/// Something wrong with a document.
#[derive(Debug)]
struct Problem {
    code: Code,
    message: String,
    span: Span,
    hint: Option<&'static str>,
}

impl Problem {
    fn new(code: Code, span: Span, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            span,
            hint: None,
        }
    }

    fn syntax(span: Span, message: impl Into<String>) -> Self {
        Self::new(Code::Syntax, span, message)
    }

    fn unsupported(span: Span, message: impl Into<String>) -> Self {
        Self::new(Code::Unsupported, span, message)
    }

    fn too_deep(span: Span) -> Self {
        Self::new(
            Code::TooDeep,
            span,
            format!("nesting exceeds {MAX_DEPTH} levels"),
        )
    }

    fn duplicate(span: Span, key: &str) -> Self {
        let message = format!("duplicate key {key:?}; the last value is used");
        Self::new(Code::DuplicateKey, span, message)
    }
}

/// Reads the values of all documents of a source, whatever they describe; empty documents and those with an error are left
/// out.
pub fn documents(source: &Source, diagnostics: &mut Diagnostics) -> Vec<Value> {
    let documents = read(source, SourceId(0), diagnostics).into_iter();
    documents
        .map(|document| document.root.into_value())
        .collect()
}

/// Reads all documents of a source. A document with an error is left out and reported; it does not hide those after it,
/// except in JSON.
pub(crate) fn read(source: &Source, id: SourceId, diagnostics: &mut Diagnostics) -> Vec<Document> {
    let mut reading = Reading {
        text: &source.text,
        documents: Vec::new(),
        problems: Vec::new(),
        copied: 0,
        reread: rewrite::most(source.text.len()),
    };
    reading.all(source.is_json());
    let lines = LazyCell::new(|| Lines::new(&source.text));
    for (document, problem) in reading.problems {
        let (position, tab) = if problem.code == Code::Syntax {
            lines.syntax(problem.span)
        } else {
            (lines.position(problem.span), false)
        };
        let place = Place {
            source: Some(id),
            document,
            position: Some(position),
            ..Place::default()
        };
        let hint = if tab {
            Some("indent with spaces: YAML does not allow tabs")
        } else {
            problem.hint
        };
        let diagnostic = diagnostics.report(problem.code, place, problem.message);
        if let Some(hint) = hint {
            diagnostic.hint(hint);
        }
    }
    reading.documents
}

/// What was read of a text so far.
struct Reading<'t> {
    text: &'t str,
    documents: Vec<Document>,
    /// Each with the index of its document.
    problems: Vec<(usize, Problem)>,
    /// Bytes copied by aliases, and bytes that may be read again to try other spellings. Both count for the whole text, which may have any
    /// number of documents.
    copied: usize,
    reread: usize,
}

impl Reading<'_> {
    fn all(&mut self, is_json: bool) {
        if is_json || self.text.trim_start().starts_with('{') {
            let json::Read {
                documents,
                mut problems,
                error,
            } = json::read(self.text);
            // A map in braces may still be YAML.
            if is_json || error.is_none() {
                problems.extend(error.map(|error| (documents.len(), error)));
                (self.documents, self.problems) = (documents, problems);
                return;
            }
        }
        let mut index = 0;
        for (start, end) in parts(self.text) {
            index = self.part(start, end, index);
        }
    }

    /// Reads the documents of a part of the text, up to the first error; returns the index of the next document.
    fn part(&mut self, start: usize, end: usize, mut index: usize) -> usize {
        if let Some(at) = rejected_character(&self.text[start..end]) {
            let at = Span::new(start + at, start + at);
            let problem = Problem::syntax(at, "control characters are not allowed");
            self.problems.push((index, problem));
            return index + 1;
        }
        let mut text = Rewritten::new(&self.text[start..end]);
        let copied = self.copied;
        let (documents, problems, first) = (self.documents.len(), self.problems.len(), index);
        loop {
            let mut parser = DocumentParser::new(&text, start, copied);
            let error = loop {
                let read = parser.document();
                let found = std::mem::take(&mut parser.found);
                self.copied = parser.copied;
                let found_problems = found.problems.into_iter();
                self.problems
                    .extend(found_problems.map(|problem| (index, problem)));
                match read {
                    Ok(None) => return index,
                    Ok(Some(root)) if !root.is_null() => self.documents.push(Document {
                        root,
                        index,
                        spellings: found.spellings,
                    }),
                    Ok(Some(_)) => {}
                    Err(error) => break error,
                }
                index += 1;
            };
            if let Some((kind, at)) = parser.failed.take()
                && text.respell(&kind, at, &mut self.reread)
            {
                self.documents.truncate(documents);
                self.problems.truncate(problems);
                index = first;
                continue;
            }
            let mut problem = error;
            // What the text lacks is missing after its last word.
            problem.span = problem.span.up_to(self.text[..end].trim_end().len());
            self.problems.push((index, problem));
            return index + 1;
        }
    }
}

/// Finds the first character that YAML does not allow, escaped or not.
fn rejected_character(text: &str) -> Option<usize> {
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

/// Splits a text at the lines that begin with `---`, as kubectl does: these lines belong to no part, but for one at the
/// start of the text. kubectl rejects directives, and content in such a line; here it belongs to the part that it begins.
fn parts(text: &str) -> Vec<(usize, usize)> {
    let mut parts = Vec::new();
    let mut start = 0;
    let (mut is_separated, mut has_directive) = (false, false);
    for (at, line) in lines(text) {
        let rest = line
            .strip_prefix("---")
            .filter(|rest| rest.is_empty() || rest.starts_with([' ', '\t']));
        let Some(rest) = rest else {
            has_directive |= line.starts_with('%') && is_blank(&text[start..at]);
            continue;
        };
        if std::mem::replace(&mut has_directive, false) {
            continue;
        }
        if is_separated || start < at {
            parts.push((start, at));
            let rest = rest.trim_start();
            let is_alone = rest.is_empty() || rest.starts_with('#');
            start = at + if is_alone { line.len() } else { 0 };
        }
        is_separated = true;
    }
    parts.push((start, text.len()));
    // Files that are joined to one may each begin with a mark.
    for (start, end) in &mut parts {
        let part = text[*start..*end].trim_start_matches(['\r', '\n']);
        let part = part.strip_prefix('\u{feff}').unwrap_or(part);
        *start = *end - part.len();
    }
    parts
}

/// Whether a text has nothing but blank lines and comments.
fn is_blank(text: &str) -> bool {
    text.lines()
        .map(str::trim_start)
        .all(|line| line.is_empty() || line.starts_with('#'))
}

#[cfg(test)]
mod tests;
