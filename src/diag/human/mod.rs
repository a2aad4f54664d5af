//! Findings come in, text for people goes out: message, place, the line with a caret, help; nothing is printed here.
mod excerpt;
mod safe;

use super::{Code, Diagnostic, Diagnostics, Severity};
use crate::source::Source;
use safe::safe;
use std::collections::{BTreeMap, HashMap};
use std::fmt::Write;

/// How findings are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Style {
    /// Columns of the terminal: quoted lines are cut to it.
    pub width: usize,
    /// Whether to colour, by ANSI escapes.
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

/// How many findings of one code are shown: a person reads no more, and a machine asks for JSON.
const SHOWN: usize = 40;

/// The findings, with an empty line after each; of one code the first few, and then how many more there are.
pub fn render(findings: &Diagnostics, sources: &[Source], style: Style) -> String {
    let mut lines: HashMap<usize, Vec<&str>> = HashMap::new();
    let mut text = String::new();
    let mut met: BTreeMap<(Code, Severity), usize> = BTreeMap::new();
    for finding in findings.iter() {
        let count = met.entry((finding.code, finding.severity)).or_default();
        *count += 1;
        if *count > SHOWN {
            continue;
        }
        let index = finding.place.source;
        let source = sources.get(index);
        let lines = lines
            .entry(index)
            .or_insert_with(|| source.map_or_else(Vec::new, |source| line_texts(&source.text)));
        text.push_str(&one(finding, source, lines, style));
        text.push('\n');
    }
    for ((code, severity), count) in met {
        if count > SHOWN {
            text.push_str(&more(code, severity, count - SHOWN, style));
            text.push('\n');
        }
    }
    text
}

fn line_texts(text: &str) -> Vec<&str> {
    crate::diag::lines(text).map(|(_, line)| line).collect()
}

/// What is said of the findings that are not shown.
fn more(code: Code, severity: Severity, count: usize, style: Style) -> String {
    let paint = Paint::new(style, severity);
    let head = paint.accent(&format!("{}[{}]", severity.as_str(), code.as_str()));
    let message = paint.bold(&format!(": {count} more: {}", code.title()));
    let equals = paint.frame("=");
    let help = paint.bold("help");
    format!("{head}{message}\n  {equals} {help}: the JSON form of the messages has them all\n")
}

/// One finding; `lines` are those of its source.
fn one(finding: &Diagnostic, source: Option<&Source>, lines: &[&str], style: Style) -> String {
    let paint = Paint::new(style, finding.severity);
    let line = finding.place.position.map_or(0, |position| position.line);
    let gutter = line.to_string().len();
    let bar = paint.frame("|");
    let mut text = String::new();
    let word = finding.severity.as_str();
    let head = paint.accent(&format!("{word}[{}]", finding.code.as_str()));
    let message = paint.bold(&format!(": {}", safe(&finding.message)));
    // Writing to a String cannot fail.
    let _ = writeln!(text, "{head}{message}");
    if let Some(source) = source {
        let name = safe(&source.name);
        let arrow = paint.frame("-->");
        let _ = match finding.place.position {
            Some(at) => writeln!(
                text,
                "{:gutter$}{arrow} {name}:{}:{}",
                "", at.line, at.column
            ),
            None => writeln!(text, "{:gutter$}{arrow} {name}", ""),
        };
    }
    let excerpt = finding.place.position.and_then(|at| {
        let room = style.width.saturating_sub(gutter + 3);
        excerpt::excerpt(lines.get(at.line.checked_sub(1)?)?, at, room)
    });
    if let Some(excerpt) = excerpt {
        let number = paint.frame(&line.to_string());
        let label = finding
            .label
            .as_deref()
            .map(|label| format!(" {}", safe(label)));
        let carets = paint.accent(&("^".repeat(excerpt.carets) + &label.unwrap_or_default()));
        let _ = writeln!(text, "{:gutter$} {bar}", "");
        let _ = writeln!(text, "{number} {bar} {}", excerpt.text);
        let _ = writeln!(
            text,
            "{:gutter$} {bar} {:indent$}{carets}",
            "",
            "",
            indent = excerpt.indent
        );
    }
    let equals = paint.frame("=");
    if let Some(about) = about(finding) {
        let _ = writeln!(text, "{:gutter$} {equals} {about}", "");
    }
    if let Some(hint) = &finding.hint {
        let help = paint.bold("help");
        let _ = writeln!(text, "{:gutter$} {equals} {help}: {}", "", safe(hint));
    }
    text
}

/// CRD, version and schema path, as far as they are known.
fn about(finding: &Diagnostic) -> Option<String> {
    let place = &finding.place;
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

const RED: &str = "\u{1b}[1;31m";
const YELLOW: &str = "\u{1b}[1;33m";
const CYAN: &str = "\u{1b}[1;36m";
const BLUE: &str = "\u{1b}[1;34m";
const BOLD: &str = "\u{1b}[1m";
const RESET: &str = "\u{1b}[0m";

/// Colours text, or leaves it.
struct Paint {
    on: bool,
    accent: &'static str,
}

impl Paint {
    fn new(style: Style, severity: Severity) -> Self {
        Self {
            on: style.color,
            accent: match severity {
                Severity::Error => RED,
                Severity::Warning => YELLOW,
                Severity::Note => CYAN,
            },
        }
    }

    fn accent(&self, text: &str) -> String {
        self.by(self.accent, text)
    }

    fn frame(&self, text: &str) -> String {
        self.by(BLUE, text)
    }

    fn bold(&self, text: &str) -> String {
        self.by(BOLD, text)
    }

    fn by(&self, color: &str, text: &str) -> String {
        if self.on {
            format!("{color}{text}{RESET}")
        } else {
            text.to_owned()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diag::Place;

    #[test]
    fn many_of_one_code_are_summed_up() {
        let mut findings = Diagnostics::new();
        for index in 0..SHOWN + 5 {
            findings.report(Code::RawJson, Place::nowhere(), format!("number {index}"));
        }
        findings.report(Code::UnknownType, Place::nowhere(), "the only one");
        let text = render(&findings, &[], Style::default());
        assert_eq!(text.matches("number ").count(), SHOWN);
        assert!(text.contains("the only one"));
        assert!(text.contains("warning[KC0401]: 5 more: "), "{text}");
    }

    #[test]
    fn a_note_is_a_note() {
        let mut findings = Diagnostics::new();
        findings
            .report(Code::RawJson, Place::nowhere(), "by the way")
            .severity = Severity::Note;
        let text = render(&findings, &[], Style::default());
        assert!(text.starts_with("note[KC0401]: by the way\n"), "{text}");
        assert_eq!(findings.count(Severity::Warning), 0);
        assert_eq!(findings.at_least(Severity::Warning).iter().len(), 0);
    }
}
