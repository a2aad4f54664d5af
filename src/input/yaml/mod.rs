//! Reads YAML and JSON into values with positions, as kubectl and the API server read them.
//!
//! kubectl splits a text at its `---` lines and reads each part with Go's YAML reader: YAML 1.1 by the rules of libyaml.
//!
//! Scanner and parser are written here: of the texts in `go.tsv`, libyaml-safer 0.3 panics at 12, such as a block scalar at the end of a text
//! without a line break, and refuses 8 that Go reads.
mod json;
mod node;
mod number;
mod parse;
mod scalar;
mod scan;

pub(crate) use node::{Lines, Node, Span};

use serde_json::Value;

use crate::base::{
    diag::{Code, Diagnostics, Place, lines},
    source::{Source, SourceId},
};
use parse::Parser;

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

/// A syntax error of YAML.
#[derive(Debug)]
struct Error {
    message: &'static str,
    at: usize,
}

/// Something wrong with a document.
#[derive(Debug)]
struct Problem {
    code: Code,
    message: String,
    span: Span,
}

impl Problem {
    fn new(code: Code, span: Span, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            span,
        }
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
    };
    reading.all(source.is_json());
    let lines = Lines::new(&source.text);
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
        let mapping_value = problem
            .message
            .starts_with("mapping values are not allowed");
        let diagnostic = diagnostics.report(problem.code, place, problem.message);
        if tab {
            diagnostic.hint("indent with spaces: YAML does not allow tabs");
        } else if mapping_value {
            diagnostic.hint("put text that contains `: ` in quotes");
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
        let mut parser = match Parser::new(&self.text[..end], start) {
            Ok(parser) => parser,
            Err(problem) => {
                self.problems.push((index, problem));
                return index + 1;
            }
        };
        loop {
            let read = parser.document();
            self.problems
                .extend(parser.problems.drain(..).map(|problem| (index, problem)));
            let spellings = std::mem::take(&mut parser.spellings);
            match read {
                Ok(None) => return index,
                Ok(Some(root)) if !root.is_null() => {
                    self.documents.push(Document {
                        root,
                        index,
                        spellings,
                    });
                }
                Ok(Some(_)) => {}
                Err(mut problem) => {
                    // What the text lacks is missing after its last word.
                    problem.span = problem.span.up_to(self.text[..end].trim_end().len());
                    self.problems.push((index, problem));
                    return index + 1;
                }
            }
            index += 1;
        }
    }
}

/// Splits a text at the lines that begin with `---`, as kubectl does: these lines belong to no part, but for one at the
/// start of the text. kubectl refuses directives, and content in such a line; here it belongs to the part that it begins.
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
