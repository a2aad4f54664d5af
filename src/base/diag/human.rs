//! Renders diagnostics for people, as cargo and rustc show theirs.

use std::{
    collections::{BTreeMap, HashMap},
    ops::Range,
};

use annotate_snippets::{AnnotationKind, Element, Level, Origin, Renderer, Snippet};
use kube_codegen_formats::printable::{is_hidden, line as safe};

use super::{Code, Diagnostic, Position, Severity, lines};
use crate::base::source::{Source, SourceId};

/// How diagnostics are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Style {
    /// Columns of the terminal; longer source lines are cut.
    pub width: usize,
    /// Whether to colour the output with ANSI escapes.
    pub color: bool,
}

impl Default for Style {
    fn default() -> Self {
        Self {
            width: 120,
            color: false,
        }
    }
}

/// How many diagnostics of one code are shown: people do not read more, and the JSON form has all of them.
const SHOWN: usize = 40;

/// The narrowest output, whatever the terminal says.
const MIN_WIDTH: usize = 40;

/// The longest line that is shown, in bytes: the renderer takes time with its length, and minified JSON is one line of
/// megabytes.
const MAX_LINE: usize = 8 << 10;

/// Renders the diagnostics, each followed by an empty line. Of each code only the first few are shown, followed by the
/// number of the others.
pub fn render<'a>(
    diagnostics: impl IntoIterator<Item = &'a Diagnostic>,
    sources: &[Source],
    style: Style,
) -> String {
    let renderer = if style.color {
        Renderer::styled()
    } else {
        Renderer::plain()
    }
    .term_width(style.width.max(MIN_WIDTH));
    let mut lines_of: HashMap<SourceId, Vec<&str>> = HashMap::new();
    let mut counts: BTreeMap<(Code, Severity), usize> = BTreeMap::new();
    let mut text = String::new();
    for diagnostic in diagnostics {
        let count = counts
            .entry((diagnostic.code, diagnostic.severity))
            .or_default();
        *count += 1;
        if *count > SHOWN {
            continue;
        }
        let source = diagnostic.place.source.and_then(|id| {
            let source = id.of(sources)?;
            let lines = lines_of
                .entry(id)
                .or_insert_with(|| lines(&source.text).map(|(_, line)| line).collect());
            Some(excerpt(diagnostic, source, lines))
        });
        let title = level(diagnostic.severity)
            .primary_title(safe(&diagnostic.message))
            .id(diagnostic.code.as_str());
        let group = title
            .elements(source)
            .elements(context(diagnostic).map(|text| Level::NOTE.no_name().message(text)))
            .elements((diagnostic.hint.as_deref()).map(|hint| Level::HELP.message(safe(hint))));
        text.push_str(&renderer.render(&[group]));
        text.push_str("\n\n");
    }
    for ((code, severity), count) in counts {
        if count > SHOWN {
            let message = format!("{} more: {}", count - SHOWN, code.title());
            let group = level(severity)
                .primary_title(message)
                .id(code.as_str())
                .element(Level::HELP.message("`--message-format json` shows all of them"));
            text.push_str(&renderer.render(&[group]));
            text.push_str("\n\n");
        }
    }
    text
}

fn level(severity: Severity) -> Level<'static> {
    match severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Note => Level::NOTE,
    }
}

/// Where the diagnostic is, with the source line and carets below it if there is anything to show.
fn excerpt<'a>(diagnostic: &'a Diagnostic, source: &'a Source, lines: &[&str]) -> Element<'a> {
    let path = safe(&source.name);
    let Some(at) = diagnostic.place.position else {
        return Origin::path(path).into();
    };
    let line = at.line.checked_sub(1).and_then(|index| lines.get(index));
    let line = line.map(|line| line.trim_end()).unwrap_or_default();
    if line.is_empty() || line.len() > MAX_LINE {
        return Origin::path(path)
            .line(at.line)
            .char_column(at.column)
            .into();
    }
    // One character replaces another, so that columns stay the same. The renderer expands tabs.
    let line: String = line
        .chars()
        .map(|c| match c {
            '\t' => '\t',
            c if is_hidden(c) => char::REPLACEMENT_CHARACTER,
            c => c,
        })
        .collect();
    let label = diagnostic.label.as_deref().map(safe);
    let annotation = AnnotationKind::Primary.span(span(&line, at)).label(label);
    Snippet::source(line)
        .path(path)
        .line_start(at.line)
        .annotation(annotation)
        .into()
}

/// The bytes of a line that a position covers.
fn span(line: &str, at: Position) -> Range<usize> {
    let offset = |index: usize| {
        let character = line.char_indices().nth(index);
        character.map_or(line.len(), |(offset, _)| offset)
    };
    let first = at.column.saturating_sub(1);
    offset(first)..offset(first + at.length.max(1))
}

/// CRD, version and schema location, as far as they are known.
fn context(diagnostic: &Diagnostic) -> Option<String> {
    let place = &diagnostic.place;
    let known: Vec<String> = [
        ("crd", &place.crd),
        ("version", &place.version),
        ("schema", &place.schema_path),
    ]
    .into_iter()
    .filter_map(|(what, value)| {
        let value = value.as_deref().filter(|value| !value.is_empty())?;
        Some(format!("{what}: {}", safe(value)))
    })
    .collect();
    (!known.is_empty()).then(|| known.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::diag::{Diagnostics, Place};

    /// Renders one error at a position of a text.
    fn show(text: &str, column: usize, length: usize, style: Style) -> String {
        let source = Source::new("in.yaml", text);
        let place = Place {
            source: Some(SourceId(0)),
            position: Some(Position {
                line: 1,
                column,
                length,
            }),
            ..Place::default()
        };
        let mut diagnostics = Diagnostics::new();
        diagnostics.report(Code::UnknownType, place, "wrong");
        render(diagnostics.iter(), &[source], style)
    }

    /// The source line and the carets.
    fn lines_of(text: &str, column: usize, length: usize) -> (String, String) {
        let shown = show(text, column, length, Style::default());
        let mut lines = shown.lines().skip(3).map(|line| {
            let (_, rest) = line.split_once('|').expect("a gutter");
            rest.strip_prefix(' ').unwrap_or(rest).to_owned()
        });
        (
            lines.next().expect("the line"),
            lines.next().expect("carets"),
        )
    }

    #[test]
    fn carets_are_below_the_span() {
        let check = |text, column, length, line: &str, carets: &str| {
            let expected = (line.to_owned(), carets.to_owned());
            assert_eq!(lines_of(text, column, length), expected);
        };
        check("name: v1", 7, 2, "name: v1", "      ^^");
        check("\tname", 2, 4, "    name", "    ^^^^");
        check("名前: x", 5, 1, "名前: x", "      ^");
        check("a: \u{1b}[31mx", 4, 1, "a: \u{fffd}[31mx", "   ^");
        check("a: \u{9b}31mx", 4, 1, "a: \u{fffd}31mx", "   ^");
        check("a:", 9, 3, "a:", "  ^");
        check("a:", 0, 0, "a:", "^");
    }

    #[test]
    fn empty_and_huge_lines_are_not_shown() {
        for text in ["  \n", &"x".repeat(MAX_LINE + 1)] {
            let shown = show(text, 1, 0, Style::default());
            assert_eq!(shown, "error[KC0301]: wrong\n--> in.yaml:1:1\n\n");
        }
    }

    #[test]
    fn long_lines_are_cut_on_both_sides() {
        let line = "x".repeat(100) + "HERE" + &"y".repeat(100);
        for width in [0, 1, 40, 41, 60, 119] {
            let style = Style {
                width,
                color: false,
            };
            let shown = show(&line, 101, 4, style);
            assert!(shown.contains("xHEREy"), "{shown}");
            let longest = shown.lines().map(|line| line.chars().count()).max();
            assert!(longest <= Some(width.max(MIN_WIDTH) + 10), "{shown}");
        }
    }

    #[test]
    fn many_of_one_code_are_summed_up() {
        let mut diagnostics = Diagnostics::new();
        for index in 0..SHOWN + 5 {
            diagnostics.report(Code::RawJson, Place::nowhere(), format!("number {index}"));
        }
        diagnostics.report(Code::UnknownType, Place::nowhere(), "the only one");
        let text = render(diagnostics.iter(), &[], Style::default());
        assert_eq!(text.matches("number ").count(), SHOWN);
        assert!(text.contains("the only one"));
        assert!(text.contains("warning[KC0401]: 5 more: "), "{text}");
    }

    #[test]
    fn severity_of_a_diagnostic_can_differ_from_its_code() {
        let mut diagnostics = Diagnostics::new();
        diagnostics
            .report(Code::RawJson, Place::nowhere(), "by the way")
            .severity = Severity::Note;
        let text = render(diagnostics.iter(), &[], Style::default());
        assert!(text.starts_with("note[KC0401]: by the way\n"), "{text}");
        assert_eq!(diagnostics.count(Severity::Warning), 0);
    }

    #[test]
    fn color_is_an_option() {
        let style = Style {
            color: true,
            ..Style::default()
        };
        assert!(show("a", 1, 1, style).contains("\u{1b}["));
        assert!(!show("a", 1, 1, Style::default()).contains('\u{1b}'));
    }
}
