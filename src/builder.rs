//! The face for build scripts: settings come in one by one, the files go to `OUT_DIR`, and cargo is told what to watch.
use crate::diag::Severity;
use crate::options::{Deny, Emitter, Kubernetes, Options, Override, Settings, each_option};
use crate::{diag, pipeline, source, write};
use std::env;
use std::ffi::OsString;
use std::fmt::{self, Write as _};
use std::path::PathBuf;

/// Generates from a build script; see the [crate's documentation](crate) for a whole one.
#[derive(Clone, Debug)]
pub struct Builder {
    settings: Settings,
}

/// Why nothing was generated: every finding with the line it concerns, for cargo to show as it stands.
pub struct Error(String);

impl Builder {
    /// Nothing to read yet; everything is generated, into `OUT_DIR` (and into `generated` where cargo has set none).
    pub fn new() -> Self {
        Self::with(env::var_os("OUT_DIR"))
    }

    fn with(out_dir: Option<OsString>) -> Self {
        let mut settings = Settings::default();
        if let Some(directory) = out_dir {
            settings.output = PathBuf::from(directory);
        }
        Self { settings }
    }

    /// The settings as they are now.
    #[cfg(all(test, feature = "cli"))]
    pub(crate) fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Reads, generates and writes; tells cargo what to watch and passes warnings on.
    ///
    /// Files that are the same already are not touched. Relative paths start at the package's root, where cargo runs
    /// build scripts.
    ///
    /// # Errors
    /// Everything that is wrong with the inputs, or what kept the files from being written. Nothing is written then.
    pub fn compile(&self) -> Result<(), Error> {
        let (outcome, directives) = self.work();
        print!("{directives}");
        outcome
    }

    fn run(&mut self) -> &mut Settings {
        &mut self.settings
    }

    fn pipeline(&mut self) -> &mut Options {
        &mut self.settings.options
    }

    /// The outcome, and what cargo is to be told either way.
    fn work(&self) -> (Result<(), Error>, String) {
        let mut directives = String::new();
        let inputs = self.settings.inputs();
        // One by one: an input that cannot be listed must not hide the others.
        let mut watched: Vec<PathBuf> = inputs
            .iter()
            .flat_map(|input| source::watched(std::slice::from_ref(input)).unwrap_or_default())
            .collect();
        watched.sort_unstable();
        watched.dedup();
        for path in watched {
            // Writing to a String cannot fail.
            let _ = writeln!(directives, "cargo::rerun-if-changed={}", path.display());
        }
        let outcome = self.generate(&inputs, &mut directives);
        (outcome, directives)
    }

    fn generate(&self, inputs: &[source::Input], directives: &mut String) -> Result<(), Error> {
        if inputs.is_empty() {
            return Err(Error("no input: name one with `Builder::file`".to_owned()));
        }
        let sources = source::load(inputs).map_err(|error| Error(error.to_string()))?;
        let output = pipeline::run(&sources, &self.settings.options);
        let denied = Deny::count(&self.settings.deny, &output.diagnostics);
        if output.diagnostics.has_errors() || denied > 0 {
            let style = diag::human::Style::default();
            let mut text = diag::human::render(&output.diagnostics, &sources, style);
            if !output.diagnostics.has_errors() {
                text.push_str("warnings are denied; nothing was written");
            }
            return Err(Error(text));
        }
        // A note is for whoever asks; cargo would show it as a warning.
        let warnings =
            (output.diagnostics.iter()).filter(|finding| finding.severity == Severity::Warning);
        for finding in warnings {
            directives.push_str(&warning(finding, &sources));
        }
        write::plan(&self.settings.output, &output.files, false)
            .and_then(|plan| plan.apply())
            .map_err(|error| Error(error.to_string()))?;
        Ok(())
    }
}

impl Default for Builder {
    fn default() -> Self {
        Self::new()
    }
}

/// A finding in the one line that cargo takes for a warning.
fn warning(finding: &diag::Diagnostic, sources: &[source::Source]) -> String {
    let place = &finding.place;
    let source = place.source.and_then(|id| id.of(sources));
    let file = source.map_or("", |source| &source.name);
    let at = place
        .position
        .map_or_else(String::new, |at| format!(":{}:{}", at.line, at.column));
    let text = format!(
        "{file}{at}: [{}] {}",
        finding.code.as_str(),
        finding.message
    );
    let line: String = text
        .chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect();
    format!("cargo::warning={line}\n")
}

macro_rules! methods {
    (run { $($run:tt)* } pipeline { $($pipeline:tt)* }) => {
        impl Builder {
            methods! { @in run $($run)* }
            methods! { @in pipeline $($pipeline)* }
        }
    };
    (@in $part:ident $($(#[doc = $doc:literal])* $field:ident: $ty:ty = $default:expr, key $key:literal, flag($($_f:tt)*),
        builder $method:ident($arg:ident: $arg_ty:ty) $set:block;)*) => {
        $(
            $(#[doc = $doc])*
            #[must_use]
            pub fn $method(mut self, $arg: $arg_ty) -> Self {
                let $field = &mut self.$part().$field;
                $set
                self
            }
        )*
    };
}

each_option!(methods);

// A build script shows its error by `Debug`: through `unwrap` and through the result of `main`.
impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\n{}", self.0.trim_end())
    }
}

impl std::error::Error for Error {}

#[cfg(test)]
mod tests;
