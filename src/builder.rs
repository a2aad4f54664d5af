//! The API for build scripts: generates into `OUT_DIR` and prints cargo's directives.
use crate::base::diag::{Diagnostics, Severity};
use crate::base::options::{
    Allow, Conversion, Deny, Emitter, Kubernetes, Options, Override, Settings, each_option,
};
use crate::{
    base::{diag, source},
    output::write,
    run,
};
use kube_codegen_formats::printable;
use std::env;
use std::ffi::OsString;
use std::fmt::{self, Write as _};
use std::path::PathBuf;

/// Generates code in a build script; see the [crate documentation](crate) for an example.
#[derive(Clone, Debug)]
pub struct Builder {
    settings: Settings,
}

/// The reason why nothing, or not everything, was generated.
///
/// Cargo shows the `Debug` output if `main` returns the error. It contains every diagnostic with its source line, and the cause.
pub struct Error {
    /// What happened; diagnostics with their source lines.
    text: String,
    diagnostics: Diagnostics,
    cause: Option<Box<dyn std::error::Error + Send + Sync>>,
}

impl Error {
    fn because(text: &str, cause: impl std::error::Error + Send + Sync + 'static) -> Self {
        Self {
            text: text.to_owned(),
            diagnostics: Diagnostics::new(),
            cause: Some(Box::new(cause)),
        }
    }

    /// Returns the errors, warnings and notes of the run; empty if an input could not be read.
    pub fn diagnostics(&self) -> &Diagnostics {
        &self.diagnostics
    }
}

impl Builder {
    /// Creates a builder without inputs. It writes to `OUT_DIR`, or to `generated` outside a build script.
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

    /// Returns the settings.
    #[cfg(all(test, feature = "cli"))]
    pub(crate) fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Generates the files, and prints warnings and the inputs that Cargo should watch.
    ///
    /// Unchanged files are not written again. Relative paths start at the package root.
    ///
    /// # Errors
    /// If an input is invalid, or a file cannot be read or written. Nothing is written in this case, unless
    /// [`keep_going`](Self::keep_going) is set.
    pub fn compile(&self) -> Result<(), Error> {
        let (outcome, directives) = self.generate();
        print!("{directives}");
        outcome
    }

    fn run(&mut self) -> &mut Settings {
        &mut self.settings
    }

    fn pipeline(&mut self) -> &mut Options {
        &mut self.settings.options
    }

    /// Returns the outcome, and the directives for cargo in either case.
    fn generate(&self) -> (Result<(), Error>, String) {
        let mut directives = String::new();
        let inputs = self.settings.inputs();
        // One by one: an input that cannot be listed does not hide the others.
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
        let outcome = self.generate_from(&inputs, &mut directives);
        (outcome, directives)
    }

    fn generate_from(
        &self,
        inputs: &[source::Input],
        directives: &mut String,
    ) -> Result<(), Error> {
        if inputs.is_empty() {
            return Err(Error {
                text: "no input: add one with `Builder::file`".to_owned(),
                diagnostics: Diagnostics::new(),
                cause: None,
            });
        }
        let directory = &self.settings.output;
        let root = write::Root::new(directory);
        let unwritten = |cause| Error::because("the generated files cannot be written", cause);
        let _lock = write::Lock::of([&root], &mut |_| {}).map_err(unwritten)?;
        let mut run = run::run(&self.settings, directory)
            .map_err(|cause| Error::because("inputs cannot be read", cause))?;
        let has_errors = run.output.diagnostics.has_errors() || run.is_partial();
        let diagnostics = &mut run.output.diagnostics;
        let denied = Deny::count(&self.settings.deny, diagnostics);
        if !has_errors && denied == 0 {
            // Cargo has no notes, only warnings.
            diagnostics.retain(|it| it.severity == Severity::Warning);
        }
        diagnostics.locate(&run.sources);
        let diagnostics = &run.output.diagnostics;
        let failed = |text| Error {
            text,
            diagnostics: diagnostics.clone(),
            cause: None,
        };
        let mut text = String::new();
        if has_errors || denied > 0 {
            let style = diag::human::Style::default();
            text = diag::human::render(diagnostics.iter(), &run.sources, style);
            for problem in &run.problems {
                // Writing to a String cannot fail.
                let _ = writeln!(text, "{}", printable::lines(&problem.to_string()));
            }
            if !run.kept.is_empty() {
                let kept = run.kept.join(", ");
                let _ = writeln!(
                    text,
                    "the code for {kept} was kept from the last run without errors"
                );
            }
            if !has_errors {
                text.push_str("warnings are denied; nothing was written");
            }
            if run.has_failed() || denied > 0 {
                return Err(failed(text));
            }
        }
        for pattern in run.unused.iter().map(|it| one_line(it)) {
            let _ = writeln!(
                directives,
                "cargo::warning=no file matches `exclude({pattern:?})`"
            );
        }
        let warnings = diagnostics.iter();
        for diagnostic in warnings.filter(|it| it.severity == Severity::Warning) {
            directives.push_str(&warning(diagnostic, &run.sources));
        }
        run.plan(&root, &run.output.files, false)
            .and_then(|plan| plan.apply())
            .map_err(unwritten)?;
        if has_errors {
            Err(failed(text))
        } else {
            Ok(())
        }
    }
}

impl Default for Builder {
    fn default() -> Self {
        Self::new()
    }
}

/// Formats a diagnostic as a cargo warning, which is one line.
fn warning(diagnostic: &diag::Diagnostic, sources: &[source::Source]) -> String {
    let place = &diagnostic.place;
    let source = place.source.and_then(|id| id.of(sources));
    let file = source.map_or("", |source| &source.name);
    let at = place
        .position
        .map_or_else(String::new, |at| format!(":{}:{}", at.line, at.column));
    let text = format!(
        "{file}{at}: [{}] {}",
        diagnostic.code.as_str(),
        diagnostic.message
    );
    format!("cargo::warning={}\n", one_line(&text))
}

fn one_line(text: &str) -> String {
    printable::line(&text.replace(char::is_control, " ")).into_owned()
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

// A build script shows its error with `Debug`, by `unwrap` or as the result of `main`.
impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\n{self}")?;
        match &self.cause {
            Some(cause) => write!(f, ": {cause}"),
            None => Ok(()),
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text.trim_end())
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        let cause: &(dyn std::error::Error + 'static) = &**self.cause.as_ref()?;
        Some(cause)
    }
}

#[cfg(test)]
mod tests;
