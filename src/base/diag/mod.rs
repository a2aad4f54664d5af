//! Diagnostics: every stage reports all problems here, and the pipeline stops after a stage that reported an error.
mod codes;
mod hints;
pub mod human;
pub mod json;
mod lines;
mod nearest;

pub use codes::Code;
pub use kube_codegen_formats::pointer;
pub(crate) use lines::lines;
pub use nearest::nearest;

use std::collections::BTreeSet;

use crate::base::source::{Source, SourceId};

/// Severity of a diagnostic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Information that requires no action.
    Note,
    /// A likely mistake in the input. The output is correct; `--deny warnings` treats it as an error.
    Warning,
    /// Nothing is written.
    Error,
}

impl Severity {
    /// Returns the word used in text and JSON output.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Note => "note",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

/// A location in the input: a document of a source, and a JSON pointer into it.
///
/// [`Diagnostics::locate`] finds lines and columns, and only for locations that have a diagnostic.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub struct Place {
    /// The source; none for [`Place::nowhere`].
    pub source: Option<SourceId>,
    /// Index of the YAML document in the source; empty documents count.
    pub document: usize,
    /// JSON pointer (RFC 6901) from the document's root. If its target does not exist, the nearest parent is shown.
    pub pointer: String,
    /// Whether to point at the key instead of its value.
    pub key: bool,
    /// Line and column, if they are already known, as for a syntax error.
    pub position: Option<Position>,
    /// Name of the CRD, if known.
    pub crd: Option<String>,
    /// Version of the CRD, for locations within one.
    pub version: Option<String>,
    /// Path in the version's schema, for locations within one.
    pub schema_path: Option<String>,
}

impl Place {
    /// Returns the location for diagnostics about options, or about the input as a whole.
    pub fn nowhere() -> Self {
        Self::default()
    }
}

/// A range within one line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub struct Position {
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
    /// Length in characters; 0 if unknown.
    pub length: usize,
}

/// One diagnostic.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Diagnostic {
    /// What kind of problem it is.
    pub code: Code,
    /// Its severity.
    pub severity: Severity,
    /// What is wrong, in one sentence.
    pub message: String,
    /// Where.
    pub place: Place,
    /// Text shown beside the carets.
    pub label: Option<String>,
    /// What to do about it.
    pub hint: Option<String>,
    /// The rule of `kube-codegen lint` that found it.
    pub rule: Option<&'static str>,
}

/// Diagnostics in the order they were reported; after [`Diagnostics::locate`], in the order of the input.
#[derive(Clone, Debug, Default)]
pub struct Diagnostics {
    all: Vec<Diagnostic>,
}

impl Diagnostics {
    /// Creates an empty list.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a diagnostic with the severity and the default hint of its code, and returns it for adjustments.
    pub fn report(
        &mut self,
        code: Code,
        place: Place,
        message: impl Into<String>,
    ) -> &mut Diagnostic {
        let index = self.all.len();
        self.all.push(Diagnostic {
            code,
            severity: code.severity(),
            message: message.into(),
            place,
            label: None,
            hint: code.default_hint().map(str::to_owned),
            rule: None,
        });
        &mut self.all[index]
    }

    /// Adds all diagnostics of another list.
    pub(crate) fn append(&mut self, other: Self) {
        self.all.extend(other.all);
    }

    /// Returns whether there is an error.
    pub fn has_errors(&self) -> bool {
        self.count(Severity::Error) > 0
    }

    /// Returns how many diagnostics have this severity.
    pub fn count(&self, severity: Severity) -> usize {
        self.iter()
            .filter(|diagnostic| diagnostic.severity == severity)
            .count()
    }

    /// Returns `None` if there is an error, so that `?` ends the run after a stage.
    pub fn barrier(&self) -> Option<()> {
        (!self.has_errors()).then_some(())
    }

    /// Returns the sources that have errors, sorted.
    pub(crate) fn sources_with_errors(&self) -> Vec<SourceId> {
        let errors = self.iter().filter(|it| it.severity == Severity::Error);
        let sources: BTreeSet<SourceId> = errors.filter_map(|it| it.place.source).collect();
        sources.into_iter().collect()
    }

    /// Returns all diagnostics, to be located.
    pub(crate) fn all_mut(&mut self) -> &mut [Diagnostic] {
        &mut self.all
    }

    /// Adds hints that depend on the sources.
    pub(crate) fn add_hints(&mut self, sources: &[Source]) {
        hints::add(&mut self.all, sources);
    }

    /// Sets the severity of the diagnostics of a code.
    #[cfg(feature = "cli")]
    pub(crate) fn raise(&mut self, code: Code, severity: Severity) {
        let found = self.all.iter_mut().filter(|it| it.code == code);
        found.for_each(|it| it.severity = severity);
    }

    /// Keeps only some of the diagnostics.
    pub(crate) fn retain(&mut self, keep: impl FnMut(&Diagnostic) -> bool) {
        self.all.retain(keep);
    }

    /// Iterates over the diagnostics.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &Diagnostic> {
        self.all.iter()
    }
}

impl FromIterator<Diagnostic> for Diagnostics {
    fn from_iter<T: IntoIterator<Item = Diagnostic>>(all: T) -> Self {
        let all = all.into_iter().collect();
        Self { all }
    }
}

impl<'a> IntoIterator for &'a Diagnostics {
    type Item = &'a Diagnostic;
    type IntoIter = std::slice::Iter<'a, Diagnostic>;

    fn into_iter(self) -> Self::IntoIter {
        self.all.iter()
    }
}

impl Diagnostic {
    /// Sets the text beside the carets.
    pub fn label(&mut self, label: impl Into<String>) -> &mut Self {
        self.label = Some(label.into());
        self
    }

    /// Sets the hint.
    pub fn hint(&mut self, hint: impl Into<String>) -> &mut Self {
        self.hint = Some(hint.into());
        self
    }
}
