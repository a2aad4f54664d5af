//! A YAML text comes in, its events go out; behind a syntax error it goes on with the next document.
use crate::diag::lines;
use saphyr_parser::{Event, Marker, Parser, ScanError, Span, StrInput};

/// The events of all documents of a text, each with its span in the whole text.
pub(crate) struct Events<'a> {
    parser: Parser<'a, StrInput<'a>>,
    /// What the parser reads.
    text: &'a str,
    /// Lines before that.
    skipped: usize,
    /// The line in it of the event before.
    line: usize,
    /// Whether the event before ended a document.
    ended: bool,
    index: usize,
}

/// A document that cannot be read further.
pub(crate) struct Broken<'a> {
    pub(crate) error: ScanError,
    /// The text up to the next document, from the last place that could be begun at.
    pub(crate) text: &'a str,
    /// Lines before that text.
    pub(crate) skipped: usize,
}

impl<'a> Events<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        Self {
            parser: Parser::new_from_str(text),
            text,
            skipped: 0,
            line: 0,
            ended: false,
            index: 0,
        }
    }

    /// Which document the last event was of, from 0; empty and broken ones are counted.
    pub(crate) fn document(&self) -> usize {
        self.index
    }

    /// The next event, or a broken document.
    pub(crate) fn next(&mut self) -> Option<Result<(Event<'a>, Span), Broken<'a>>> {
        if std::mem::take(&mut self.ended) {
            self.index += 1;
        }
        match self.parser.next()? {
            Ok((event, span)) => {
                self.line = span.start.line();
                self.ended = matches!(event, Event::DocumentEnd);
                Some(Ok((event, self.shift(span))))
            }
            Err(error) => Some(Err(self.skip(error))),
        }
    }

    /// Goes to the next document.
    fn skip(&mut self, error: ScanError) -> Broken<'a> {
        let next = next_document(self.text, self.line);
        let end = next.map_or(self.text.len(), |(offset, _)| offset);
        let broken = Broken {
            error,
            text: &self.text[..end],
            skipped: self.skipped,
        };
        self.text = &self.text[end..];
        self.skipped += next.map_or(0, |(_, lines)| lines);
        self.parser = Parser::new_from_str(self.text);
        self.line = 0;
        self.ended = true;
        broken
    }

    fn shift(&self, span: Span) -> Span {
        let shift = |at: Marker| Marker::new(at.index(), at.line() + self.skipped, at.col());
        Span::new(shift(span.start), shift(span.end))
    }
}

/// Where the first document begins behind a line (from 1): its offset, and how many lines are before it. A line that
/// begins with `---` begins a document whatever it stands in.
fn next_document(text: &str, behind: usize) -> Option<(usize, usize)> {
    let marks = |line: &str| {
        line.strip_prefix("---")
            .is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '\t']))
    };
    lines(text)
        .enumerate()
        .skip(behind.max(1))
        .find(|(_, (_, line))| marks(line))
        .map(|(lines, (offset, _))| (offset, lines))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The scalars that are read, each with its line and document, and the lines of the errors.
    fn read(text: &str) -> (Vec<(String, usize, usize)>, Vec<usize>) {
        let (mut scalars, mut errors) = (Vec::new(), Vec::new());
        let mut events = Events::new(text);
        while let Some(step) = events.next() {
            match step {
                Ok((Event::Scalar(text, ..), span)) => {
                    scalars.push((text.into_owned(), span.start.line(), events.document()));
                }
                Ok(_) => {}
                Err(broken) => errors.push(broken.skipped + broken.error.marker().line()),
            }
        }
        (scalars, errors)
    }

    #[test]
    fn a_broken_document_hides_no_other() {
        let (scalars, errors) = read("a\n---\n[b\n---\nc\n---\n\td: [\n--- e\n...\n---\nf\n");
        let after: Vec<_> = scalars
            .iter()
            .map(|(text, line, document)| (text.as_str(), *line, *document))
            .collect();
        assert_eq!(
            after,
            [
                ("a", 1, 0),
                ("b", 3, 1),
                ("c", 5, 2),
                ("d", 7, 3),
                ("e", 8, 4),
                ("f", 11, 5)
            ]
        );
        assert_eq!(errors.len(), 2, "{errors:?}");
    }

    #[test]
    fn what_is_never_closed_ends_with_its_document() {
        let (scalars, errors) = read("--- \"a\n---\nb\n");
        assert_eq!(scalars, [("b".to_owned(), 3, 1)]);
        assert_eq!(errors.len(), 1);
        let (scalars, errors) = read("\"a\n");
        assert_eq!((scalars.len(), errors.len()), (0, 1));
    }
}
