//! Prints diagnostics, errors and results, for people or as JSON lines.
use std::{
    fmt::Write as _,
    io::{self, IsTerminal as _, Write as _},
};

use annotate_snippets::renderer::{DEFAULT_ERROR_STYLE, DEFAULT_WARNING_STYLE};
use anstream::{AutoStream, ColorChoice};
use clap::builder::styling::Style;
use kube_codegen_formats::printable;
use serde_json::{Value, json};

use crate::base::{
    diag::{Diagnostic, Diagnostics, Severity, human, json},
    options::Deny,
    source::Source,
};

/// The options that every command has.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Message options")]
pub(super) struct Messages {
    /// Format of messages: `human`, or `json` (one object per line)
    #[arg(
        long,
        global = true,
        value_enum,
        default_value_t,
        value_name = "FORMAT",
        hide_possible_values = true
    )]
    message_format: MessageFormat,

    /// Print notes in full: they require no action
    #[arg(long, short, global = true, conflicts_with = "quiet")]
    verbose: bool,

    /// Print only warnings and errors; if given twice, only errors
    #[arg(long, short, global = true, action = clap::ArgAction::Count)]
    quiet: u8,

    /// When to use colors: `auto` (on a terminal, unless `NO_COLOR` is set), `always` or `never`
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

/// Prints messages. Standard output is buffered until the command has finished, so that a closed pipe cannot interrupt it.
///
/// All output of a command passes through here, and here text from CRDs, objects and files is escaped: commands format without a thought of
/// escape sequences, and leave styles to the methods below. Serializers have escaped the strings of YAML and JSON before.
#[derive(Debug)]
pub(super) struct Console {
    format: MessageFormat,
    verbose: bool,
    quiet: u8,
    color: ColorChoice,
    out: String,
}

impl Console {
    pub(super) fn new(messages: &Messages) -> Self {
        Self {
            format: messages.message_format,
            verbose: messages.verbose,
            quiet: messages.quiet,
            color: match messages.color {
                clap::ColorChoice::Auto => ColorChoice::Auto,
                clap::ColorChoice::Always => ColorChoice::AlwaysAnsi,
                clap::ColorChoice::Never => ColorChoice::Never,
            },
            out: String::new(),
        }
    }

    /// Returns the flags of a program that has to print as this one does.
    pub(super) fn flags(&self) -> impl Iterator<Item = &'static str> {
        let color = match self.color {
            ColorChoice::Auto => None,
            ColorChoice::Never => Some("--color=never"),
            ColorChoice::Always | ColorChoice::AlwaysAnsi => Some("--color=always"),
        };
        color
            .into_iter()
            .chain((self.quiet > 0).then_some("--quiet"))
    }

    /// Returns whether everything is printed in full.
    pub(super) fn is_verbose(&self) -> bool {
        self.verbose
    }

    /// Returns whether a bar on the terminal disturbs nothing.
    pub(super) fn shows_progress(&self) -> bool {
        self.prints_lines() && io::stderr().is_terminal()
    }

    /// Finds the lines of diagnostics and prints them. For people, notes are only counted unless they are asked for or denied.
    pub(super) fn diagnostics(
        &mut self,
        diagnostics: &Diagnostics,
        sources: &[Source],
        deny: &[Deny],
    ) {
        match self.format {
            MessageFormat::Json => {
                let mut diagnostics = diagnostics.clone();
                diagnostics.locate(sources);
                for diagnostic in diagnostics.iter() {
                    let mut object = json::object(diagnostic, sources);
                    object["type"] = Value::from("finding");
                    self.object(&object);
                }
            }
            MessageFormat::Human => {
                let style = human::Style {
                    width: width().unwrap_or(human::Style::default().width),
                    color: true,
                };
                let least = match self.quiet {
                    0 if self.verbose => Severity::Note,
                    0 | 1 => Severity::Warning,
                    _ => Severity::Error,
                };
                let is_shown = |it: &&Diagnostic| it.severity >= least || Deny::denies(deny, it);
                let mut shown: Diagnostics = diagnostics.iter().filter(is_shown).cloned().collect();
                shown.locate(sources);
                let mut text = human::render(shown.iter(), sources, style);
                let hidden = diagnostics.iter().len() - shown.iter().len();
                if hidden > 0 && self.quiet == 0 {
                    let (notes, them) = (
                        super::count(hidden, "note"),
                        if hidden == 1 { "it" } else { "them" },
                    );
                    let _ = writeln!(text, "{notes}; -v shows {them}");
                }
                // If standard error is closed, there is nowhere to report it.
                let _ = self.stderr().write_all(text.as_bytes());
            }
        }
    }

    /// Prints why the command failed.
    pub(super) fn error(&mut self, message: &str) {
        self.message("error", DEFAULT_ERROR_STYLE, message);
    }

    /// Prints for people why the command failed; the summary has it for programs.
    pub(super) fn summary_error(&mut self, message: &str) {
        if self.format == MessageFormat::Human {
            self.error(message);
        }
    }

    /// Prints a warning that has no location in the input.
    pub(super) fn warning(&mut self, message: &str) {
        if self.quiet < 2 {
            self.message("warning", DEFAULT_WARNING_STYLE, message);
        }
    }

    /// Prints a line of the result for people.
    pub(super) fn line(&mut self, text: &str) {
        self.styled_line(Style::new(), text);
    }

    /// Returns whether lines for people are printed.
    pub(super) fn prints_lines(&self) -> bool {
        self.format == MessageFormat::Human && self.quiet == 0
    }

    /// Prints a line of the result for people in a style.
    pub(super) fn styled_line(&mut self, style: Style, text: &str) {
        if self.prints_lines() {
            let text = printable::lines(text);
            let _ = writeln!(self.out, "{style}{text}{style:#}");
        }
    }

    /// Prints a part of the result for programs.
    pub(super) fn object(&mut self, value: &Value) {
        if self.format == MessageFormat::Json {
            let _ = writeln!(self.out, "{}", printable::json(&value.to_string()));
        }
    }

    /// Prints requested text in either format.
    pub(super) fn text(&mut self, text: &str) {
        self.out.push_str(&printable::lines(text));
    }

    /// Prints a file of the user unchanged. On a terminal, hidden characters are escaped, since the terminal would act on them.
    pub(super) fn file(&mut self, text: &str) {
        if io::stdout().is_terminal() {
            self.text(text);
        } else {
            self.out.push_str(text);
        }
    }

    /// Writes the buffered standard output.
    pub(super) fn finish(self) -> io::Result<()> {
        let mut out = AutoStream::new(io::stdout().lock(), self.color);
        out.write_all(self.out.as_bytes())?;
        out.flush()
    }

    fn message(&mut self, level: &str, style: Style, message: &str) {
        match self.format {
            MessageFormat::Json => self.object(&json!({ "type": level, "message": message })),
            MessageFormat::Human => {
                let message = printable::lines(message);
                let _ = writeln!(self.stderr(), "{style}{level}{style:#}: {message}");
            }
        }
    }

    fn stderr(&self) -> AutoStream<io::Stderr> {
        AutoStream::new(io::stderr(), self.color)
    }
}

/// Returns the width of the terminal, if standard error is one.
fn width() -> Option<usize> {
    terminal_size::terminal_size_of(io::stderr()).map(|(width, _)| usize::from(width.0))
}
