//! Edits manifests that a person may have written: values decide, and the text only keeps comments.
//!
//! Each edit is made twice. In the values of a document it is exact, whatever the layout. In the lines of the text it is an attempt that
//! expects block style: it replaces the lines of one entry of a map, or adds an entry. If the edited lines read as the edited values,
//! they are the result, with all other lines as they were. If not, as in flow style, JSON, or with anchors, the values are written anew.
use std::ops::Range;

use serde_json::Value;

use crate::{
    base::{
        diag::{Diagnostics, lines},
        source::{Source, SourceId},
    },
    input::{
        list,
        yaml::{self, Document, Lines},
    },
    output::yaml::document,
};

/// The manifests of a file, and the edits of them.
pub(super) struct Manifests<'s> {
    source: &'s Source,
    /// The lines with their ends.
    lines: Vec<&'s str>,
    documents: Vec<Document>,
    /// The values of the documents, edited.
    values: Vec<Value>,
    edits: Vec<(Range<usize>, Vec<String>)>,
}

impl<'s> Manifests<'s> {
    /// # Errors
    /// If a document cannot be read: it would be lost.
    pub(super) fn read(source: &'s Source) -> Result<Self, Diagnostics> {
        let mut diagnostics = Diagnostics::new();
        let documents = yaml::read(source, SourceId(0), &mut diagnostics);
        if diagnostics.has_errors() {
            diagnostics.locate(std::slice::from_ref(source));
            return Err(diagnostics);
        }
        let text = source.text.as_str();
        let starts: Vec<usize> = lines(text).map(|(start, _)| start).collect();
        let ends = starts.iter().skip(1).copied().chain([text.len()]);
        let lines = starts.iter().zip(ends);
        let values = documents.iter().map(|it| it.root.clone().into_value());
        Ok(Self {
            source,
            lines: lines.map(|(start, end)| &text[*start..end]).collect(),
            values: values.collect(),
            documents,
            edits: Vec::new(),
        })
    }

    /// The objects, with the numbers of their documents in the file, and their pointers in these.
    pub(super) fn objects(&self) -> impl Iterator<Item = (usize, String, Value)> {
        let documents = self.documents.iter().zip(&self.values);
        documents.flat_map(|(document, value)| {
            let objects = list::objects(value.clone()).into_iter();
            objects.map(|(pointer, object)| (document.index, pointer, object))
        })
    }

    /// Sets an entry of the map at a pointer. `write` makes its lines, without ends and from the first column, of the lines below its key.
    pub(super) fn set(
        &mut self,
        document: usize,
        map: &str,
        key: &str,
        value: Value,
        write: impl FnOnce(&[&str]) -> Vec<String>,
    ) {
        let Some(at) = self.documents.iter().position(|it| it.index == document) else {
            return;
        };
        let Some(entries) = self.values[at]
            .pointer_mut(map)
            .and_then(Value::as_object_mut)
        else {
            return;
        };
        entries.insert(key.to_owned(), value);
        let root = &self.documents[at].root;
        let positions = Lines::new(&self.source.text);
        let parent = positions.position(root.find(map).value);
        let found = root.find(&format!("{map}/{key}"));
        let (range, column) = match found.key.filter(|_| found.is_exact) {
            Some(key) => {
                let key = positions.position(key);
                let start = key.line - 1;
                (start..self.end(start, key.column - 1), key.column - 1)
            }
            // An entry of the document goes to its end, after `kind` and `metadata`; one of a map within it to the beginning.
            None if map.is_empty() => {
                let rest = self.lines.iter().skip(parent.line - 1);
                let is_inside = |line: &&&str| !line.starts_with("---") && !line.starts_with("...");
                let end = parent.line - 1 + rest.take_while(is_inside).count();
                (end..end, parent.column - 1)
            }
            None => (parent.line - 1..parent.line - 1, parent.column - 1),
        };
        let below = self.lines.get(range.start + 1..range.end);
        let below: Vec<&str> = below
            .unwrap_or_default()
            .iter()
            .map(|line| line.trim_end_matches(['\r', '\n']))
            .map(|line| {
                let indent = line.len() - line.trim_start_matches(' ').len();
                &line[indent.min(column)..]
            })
            .collect();
        let indent = " ".repeat(column);
        let comment = if range.is_empty() {
            None
        } else {
            self.comment(range.start)
        };
        let written = write(&below).into_iter().enumerate();
        let written = written.map(|(index, line)| {
            let line = match comment {
                Some(comment) if index == 0 => format!("{line} {comment}"),
                _ => line,
            };
            let is_indented = line.is_empty() || column == 0;
            if is_indented {
                line
            } else {
                format!("{indent}{line}")
            }
        });
        let written = written.collect();
        self.edits.push((range, written));
    }

    /// The comment at the end of a line. A `#` begins it if the file means the same without the rest of the line: it may also be part of
    /// a string.
    fn comment(&self, line: usize) -> Option<&'s str> {
        let before: usize = self.lines.iter().take(line).map(|it| it.len()).sum();
        let text = self.lines.get(line)?.trim_end();
        let original = || self.documents.iter().map(|it| it.root.clone().into_value());
        let mut marks = text.match_indices('#').map(|(at, _)| at);
        let at = marks.find(|at| {
            let all = &self.source.text;
            let without = Source {
                text: format!("{}{}", &all[..before + at], &all[before + text.len()..]),
                ..self.source.clone()
            };
            let mut diagnostics = Diagnostics::new();
            let read = yaml::documents(&without, &mut diagnostics);
            !diagnostics.has_errors() && read.into_iter().eq(original())
        })?;
        Some(&text[at..])
    }

    /// The line after an entry, whose key is in a line and column. Blank lines and comments after it are not part of it, unless they
    /// are in the columns of its value.
    fn end(&self, start: usize, column: usize) -> usize {
        let mut end = start + 1;
        for (index, line) in self.lines.iter().enumerate().skip(start + 1) {
            let text = line.trim_start_matches(' ');
            let indent = line.len() - text.len();
            let is_list = text.starts_with("- ") || text.trim_end() == "-";
            if text.trim().is_empty() || (text.starts_with('#') && indent <= column) {
                continue;
            }
            if indent < column || (indent == column && !is_list) {
                break;
            }
            end = index + 1;
        }
        end
    }

    /// The text of the file after the edits.
    pub(super) fn text(mut self) -> String {
        let ending = match self.lines.first() {
            Some(line) if line.ends_with("\r\n") => "\r\n",
            _ => "\n",
        };
        self.edits.sort_by_key(|(range, _)| range.start);
        let mut text = String::new();
        let mut next = 0;
        for (range, written) in &self.edits {
            text.extend(
                self.lines
                    .get(next..range.start)
                    .into_iter()
                    .flatten()
                    .copied(),
            );
            if !text.is_empty() && !text.ends_with('\n') {
                text.push_str(ending);
            }
            for line in written {
                text.push_str(line);
                text.push_str(ending);
            }
            next = range.end;
        }
        text.extend(self.lines.get(next..).into_iter().flatten().copied());
        let edited = Source {
            text,
            ..self.source.clone()
        };
        let mut diagnostics = Diagnostics::new();
        let read = yaml::documents(&edited, &mut diagnostics);
        if !diagnostics.has_errors() && read == self.values {
            return edited.text;
        }
        let documents: Vec<String> = self.values.iter().map(document).collect();
        documents.join("---\n")
    }
}
