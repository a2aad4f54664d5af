//! What is told to the user: findings and errors on the error output, results on the output, for a person or as JSON lines.
use crate::diag::{Diagnostics, Severity, human, json};
use crate::source::Source;
use annotate_snippets::renderer::DEFAULT_ERROR_STYLE;
use anstream::{AutoStream, ColorChoice};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::io::{self, Write as _};

/// How to tell it.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Messages")]
pub(super) struct Face {
    /// How to tell findings and results: human, or json (one object per line)
    #[arg(
        long,
        global = true,
        value_enum,
        default_value_t,
        value_name = "FORMAT",
        hide_possible_values = true
    )]
    message_format: MessageFormat,

    /// Print errors only
    #[arg(long, short, global = true)]
    quiet: bool,

    /// When to colour: auto (on a terminal, unless `NO_COLOR` is set), always or never
    #[arg(
        long,
        global = true,
        value_enum,
        default_value_t,
        value_name = "WHEN",
        hide_possible_values = true
    )]
    color: clap::ColorChoice,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
enum MessageFormat {
    #[default]
    Human,
    Json,
}

/// Gathers what goes to the output until the work is done: a reader that goes away cannot stop it half-way.
#[derive(Debug)]
pub(super) struct Console {
    format: MessageFormat,
    quiet: bool,
    color: ColorChoice,
    out: String,
}

impl Console {
    pub(super) fn new(face: &Face) -> Self {
        Self {
            format: face.message_format,
            quiet: face.quiet,
            color: match face.color {
                clap::ColorChoice::Auto => ColorChoice::Auto,
                clap::ColorChoice::Always => ColorChoice::AlwaysAnsi,
                clap::ColorChoice::Never => ColorChoice::Never,
            },
            out: String::new(),
        }
    }

    /// Tells findings.
    pub(super) fn findings(&mut self, diagnostics: &Diagnostics, sources: &[Source]) {
        match self.format {
            MessageFormat::Json => {
                for finding in diagnostics.iter() {
                    let mut object = json::object(finding, sources);
                    object["type"] = Value::from("finding");
                    self.object(&object);
                }
            }
            MessageFormat::Human => {
                let style = human::Style {
                    width: width().unwrap_or(human::Style::default().width),
                    color: true,
                };
                let text = if self.quiet {
                    let errors = diagnostics.at_least(Severity::Error);
                    human::render(&errors, sources, style)
                } else {
                    human::render(diagnostics, sources, style)
                };
                // Nothing is left to report to if the error output is closed.
                let _ = self.stderr().write_all(text.as_bytes());
            }
        }
    }

    /// Tells what ended the command.
    pub(super) fn error(&mut self, message: &str) {
        match self.format {
            MessageFormat::Json => self.object(&json!({ "type": "error", "message": message })),
            MessageFormat::Human => {
                let _ = writeln!(
                    self.stderr(),
                    "{DEFAULT_ERROR_STYLE}error{DEFAULT_ERROR_STYLE:#}: {message}"
                );
            }
        }
    }

    /// Tells that findings count as errors in this run.
    pub(super) fn denied(&mut self, findings: usize) {
        if self.format == MessageFormat::Human {
            let findings = super::count(findings, "finding");
            self.error(&format!("{findings} denied; nothing was written"));
        }
    }

    /// A line of the result, for a person.
    pub(super) fn line(&mut self, text: &str) {
        if self.format == MessageFormat::Human && !self.quiet {
            let _ = writeln!(self.out, "{text}");
        }
    }

    /// A part of the result, for a program.
    pub(super) fn object(&mut self, value: &Value) {
        if self.format == MessageFormat::Json {
            let _ = writeln!(self.out, "{value}");
        }
    }

    /// Output that was asked for, whatever the format.
    pub(super) fn text(&mut self, text: &str) {
        self.out.push_str(text);
    }

    /// Prints the output.
    pub(super) fn finish(self) -> io::Result<()> {
        let mut out = AutoStream::new(io::stdout().lock(), self.color);
        out.write_all(self.out.as_bytes())?;
        out.flush()
    }

    fn stderr(&self) -> AutoStream<io::Stderr> {
        AutoStream::new(io::stderr(), self.color)
    }
}

/// The width of the terminal that the error output goes to.
fn width() -> Option<usize> {
    terminal_size::terminal_size_of(io::stderr()).map(|(width, _)| usize::from(width.0))
}
