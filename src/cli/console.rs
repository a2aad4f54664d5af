//! What is told to the user: findings and errors on the error output, results on the output, for a person or as JSON lines.
use crate::diag::{Diagnostics, Severity, human, json};
use crate::source::Source;
use serde_json::{Value, json};
use std::env;
use std::fmt::Write as _;
use std::io::{self, IsTerminal, Write as _};

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
    color: Color,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
enum MessageFormat {
    #[default]
    Human,
    Json,
}

#[derive(Clone, Copy, Debug, Default, clap::ValueEnum)]
enum Color {
    #[default]
    Auto,
    Always,
    Never,
}

/// Gathers what goes to the output until the work is done: a reader that goes away cannot stop it half-way.
#[derive(Debug)]
pub(super) struct Console {
    format: MessageFormat,
    quiet: bool,
    style: human::Style,
    color_out: bool,
    out: String,
}

impl Console {
    pub(super) fn new(face: &Face) -> Self {
        let plain = env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty())
            || env::var_os("TERM").is_some_and(|term| term == "dumb");
        let color = |is_terminal: bool| match face.color {
            Color::Auto => is_terminal && !plain,
            Color::Always => true,
            Color::Never => false,
        };
        let is_terminal = io::stderr().is_terminal();
        Self {
            format: face.message_format,
            quiet: face.quiet,
            style: human::Style {
                color: color(is_terminal),
                width: is_terminal
                    .then(width)
                    .flatten()
                    .unwrap_or(human::Style::default().width),
            },
            color_out: color(io::stdout().is_terminal()),
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
                let text = if self.quiet {
                    let errors = diagnostics.at_least(Severity::Error);
                    human::render(&errors, sources, self.style)
                } else {
                    human::render(diagnostics, sources, self.style)
                };
                // Nobody is left to be told if the error output is gone.
                let _ = io::stderr().write_all(text.as_bytes());
            }
        }
    }

    /// Tells what ended the command.
    pub(super) fn error(&mut self, message: &str) {
        match self.format {
            MessageFormat::Json => self.object(&json!({ "type": "error", "message": message })),
            MessageFormat::Human => {
                let (on, off) = if self.style.color {
                    ("\x1b[1;31m", "\x1b[0m")
                } else {
                    ("", "")
                };
                let _ = writeln!(io::stderr(), "{on}error{off}: {message}");
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

    /// A line of the result in a colour (an SGR parameter), for a person.
    pub(super) fn painted(&mut self, color: &str, text: &str) {
        if self.color_out {
            self.line(&format!("\x1b[{color}m{text}\x1b[0m"));
        } else {
            self.line(text);
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
        let mut out = io::stdout().lock();
        out.write_all(self.out.as_bytes())?;
        out.flush()
    }
}

fn width() -> Option<usize> {
    terminal_size::terminal_size().map(|(width, _)| usize::from(width.0))
}
