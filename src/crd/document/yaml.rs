//! YAML texts: documents one after another, anchors and merge keys resolved, keys looked at for duplicates.
use super::compose::Composer;
use super::{Document, Sink};
use crate::diag::{Code, Place, Position};
use saphyr_parser::{Event, Parser, ScanError, Span};

pub(super) fn read(text: &str, sink: &mut Sink<'_>) -> Vec<Document> {
    let mut documents = Vec::new();
    let mut index = 0;
    let mut composer = Composer::default();
    let mut failed = false;
    for step in Parser::new_from_str(text) {
        let (event, span) = match step {
            Ok(event) => event,
            Err(error) => {
                syntax(&error, text, index, sink);
                break;
            }
        };
        match event {
            Event::DocumentStart(_) => {
                composer = Composer::default();
                failed = false;
            }
            Event::DocumentEnd => {
                let document = std::mem::take(&mut composer).finish();
                for problem in document.problems {
                    let place = Place {
                        document: index,
                        position: Some(position(problem.span)),
                        ..Place::default()
                    };
                    sink.report(problem.code, place, problem.message);
                }
                if let Some(value) = document.value.filter(|value| !failed && !value.is_null()) {
                    documents.push(Document {
                        value,
                        index,
                        spellings: document.spellings,
                    });
                }
                index += 1;
            }
            _ if failed => {}
            other => failed = composer.take(other, span).is_err(),
        }
    }
    documents
}

pub(super) fn position(span: Span) -> Position {
    let same_line = span.start.line() == span.end.line();
    Position {
        line: span.start.line(),
        column: span.start.col() + 1,
        length: if same_line { span.len().max(1) } else { 1 },
    }
}

fn syntax(error: &ScanError, text: &str, document: usize, sink: &mut Sink<'_>) {
    let line = error.marker().line();
    let place = Place {
        document,
        position: Some(Position {
            line,
            column: error.marker().col() + 1,
            length: 1,
        }),
        ..Place::default()
    };
    let finding = sink.report(Code::Syntax, place, error.info());
    // The scanner often stops on the line after the tab.
    let near = text.lines().skip(line.saturating_sub(2)).take(2);
    let indented_by_tab = |line: &str| {
        let indent = line.len() - line.trim_start().len();
        line[..indent].contains('\t')
    };
    if near.into_iter().any(indented_by_tab) {
        finding.hint("YAML indents by spaces, never by tabs");
    }
}
