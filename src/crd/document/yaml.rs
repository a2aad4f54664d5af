//! YAML texts: documents one after another, anchors and merge keys resolved, keys looked at for duplicates.
use super::compose::{Composer, Problem};
use super::{Document, Sink, too_deep};
use crate::diag::{Broken, Code, Events, Place, Position, lines};
use saphyr_parser::{Event, Span};

pub(super) fn read(text: &str, sink: &mut Sink<'_>) -> Vec<Document> {
    let mut documents = Vec::new();
    let mut composer = Composer::default();
    let mut failed = false;
    let mut events = Events::new(text);
    while let Some(step) = events.next() {
        let index = events.document();
        let (event, span) = match step {
            Ok(event) => event,
            Err(broken) => {
                report(std::mem::take(&mut composer).finish().problems, index, sink);
                if !failed {
                    syntax(&broken, index, sink);
                }
                failed = false;
                continue;
            }
        };
        match event {
            Event::DocumentStart(_) => {
                composer = Composer::default();
                failed = false;
            }
            Event::DocumentEnd => {
                let document = std::mem::take(&mut composer).finish();
                report(document.problems, index, sink);
                if let Some(value) = document.value.filter(|value| !failed && !value.is_null()) {
                    documents.push(Document {
                        value,
                        index,
                        spellings: document.spellings,
                    });
                }
            }
            _ if failed => {}
            other => failed = composer.take(other, span).is_err(),
        }
    }
    documents
}

fn report(problems: Vec<Problem>, document: usize, sink: &mut Sink<'_>) {
    for problem in problems {
        let place = Place {
            document,
            position: Some(position(problem.span)),
            ..Place::default()
        };
        sink.report(problem.code, place, problem.message);
    }
}

pub(super) fn position(span: Span) -> Position {
    let same_line = span.start.line() == span.end.line();
    Position {
        line: span.start.line(),
        column: span.start.col() + 1,
        length: if same_line { span.len().max(1) } else { 1 },
    }
}

fn syntax(broken: &Broken<'_>, document: usize, sink: &mut Sink<'_>) {
    let Broken {
        error,
        text,
        skipped,
    } = broken;
    let mut position = Position {
        line: error.marker().line(),
        column: error.marker().col() + 1,
        length: 1,
    };
    let tab = tab_near(text, position.line);
    if let Some(tab) = tab.filter(|_| error.info().contains("tab")) {
        position = tab;
    } else if let Some(end) = end_before(text, position.line) {
        position = end;
    }
    position.line += skipped;
    let place = Place {
        document,
        position: Some(position),
        ..Place::default()
    };
    if error.info() == "recursion limit exceeded" {
        sink.report(Code::TooDeep, place, too_deep());
        return;
    }
    let finding = sink.report(Code::Syntax, place, error.info());
    if tab.is_some() {
        finding.hint("YAML indents by spaces, never by tabs");
    } else if error.info().starts_with("mapping values are not allowed") {
        finding.hint("text with `: ` in it goes in quotes");
    }
}

/// A tab that indents the line or one beside it: the scanner may stop before or behind.
fn tab_near(text: &str, line: usize) -> Option<Position> {
    let first = line.saturating_sub(2);
    let near = lines(text)
        .map(|(_, line)| line)
        .enumerate()
        .skip(first)
        .take(3);
    near.into_iter().find_map(|(index, line)| {
        let indent = line.len() - line.trim_start().len();
        let column = line[..indent].find('\t')? + 1;
        Some(Position {
            line: index + 1,
            column,
            length: 1,
        })
    })
}

/// The end of the text, if the line lies behind all that is written.
fn end_before(text: &str, line: usize) -> Option<Position> {
    let text = text.trim_end();
    let last = lines(text).count();
    (last > 0 && line > last).then(|| Position {
        line: last,
        column: lines(text)
            .last()
            .map_or(0, |(_, line)| line.chars().count())
            + 1,
        length: 1,
    })
}
