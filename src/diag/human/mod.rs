//! Findings come in, text for people goes out: message, place, the line with a caret, help; nothing is printed here.
mod excerpt;
mod safe;

use super::{Diagnostic, Diagnostics, Severity};
use crate::source::Source;
use safe::safe;
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

/// All findings, with an empty line after each.
pub fn render(findings: &Diagnostics, sources: &[Source], style: Style) -> String {
    findings
        .iter()
        .map(|finding| one(finding, sources, style) + "\n")
        .collect()
}

/// One finding.
pub fn one(finding: &Diagnostic, sources: &[Source], style: Style) -> String {
    let paint = Paint {
        on: style.color,
        accent: match finding.severity {
            Severity::Error => RED,
            Severity::Warning => YELLOW,
        },
    };
    let source = sources.get(finding.place.source);
    let line = finding.place.position.map_or(0, |position| position.line);
    let gutter = line.to_string().len();
    let bar = paint.frame("|");
    let mut text = String::new();
    let word = match finding.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
    };
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
    let excerpt = source.zip(finding.place.position).and_then(|(source, at)| {
        let room = style.width.saturating_sub(gutter + 3);
        excerpt::excerpt(&source.text, at, room)
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
const BLUE: &str = "\u{1b}[1;34m";
const BOLD: &str = "\u{1b}[1m";
const RESET: &str = "\u{1b}[0m";

/// Colours text, or leaves it.
struct Paint {
    on: bool,
    accent: &'static str,
}

impl Paint {
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
