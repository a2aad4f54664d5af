//! Findings: every stage reports all of them here; the pipeline stops at the barrier after a stage that found an error.
mod codes;
mod hints;
pub mod human;
pub mod json;
mod lines;
mod locate;
mod nearest;
pub mod pointer;

pub use codes::Code;
pub(crate) use lines::lines;
pub use nearest::nearest;

use crate::source::SourceId;

/// How grave a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Information: nothing is wrong.
    Note,
    /// Something is told, the output is right; `--deny warnings` counts it as an error.
    Warning,
    /// Nothing is written.
    Error,
}

impl Severity {
    /// The word for it, in text and in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Note => "note",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

/// A place in the input, before it is looked up: a document of a source and a JSON pointer in it.
///
/// Lines and columns are found only when a finding is shown ([`Diagnostics::locate`]), so that good input costs nothing.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// The source; see [`Place::nowhere`].
    pub source: Option<SourceId>,
    /// Index of the YAML document in the source, empty documents counted.
    pub document: usize,
    /// JSON pointer (RFC 6901) below the document's root; where it ends on nothing, the nearest parent is meant.
    pub pointer: String,
    /// Whether the key is meant, not its value.
    pub key: bool,
    /// Line and column, from 1, where they are known already (a syntax error).
    pub position: Option<Position>,
    /// Name of the CRD, where it is known.
    pub crd: Option<String>,
    /// Version of the CRD, where one is meant.
    pub version: Option<String>,
    /// Path in the version's schema, where one is meant.
    pub schema_path: Option<String>,
}

impl Place {
    /// No place in any source: for what concerns options, or the input as a whole.
    pub fn nowhere() -> Self {
        Self {
            source: None,
            document: 0,
            pointer: String::new(),
            key: false,
            position: None,
            crd: None,
            version: None,
            schema_path: None,
        }
    }
}

impl Default for Place {
    fn default() -> Self {
        Self::nowhere()
    }
}

/// A line and a column, both from 1; the column counts characters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position {
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
    /// How many characters are meant, from there on in the line; 0 where nobody knows.
    pub length: usize,
}

/// One finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// What kind of finding it is.
    pub code: Code,
    /// How grave it is.
    pub severity: Severity,
    /// What is wrong, in one sentence.
    pub message: String,
    /// Where.
    pub place: Place,
    /// What is shown beside the caret.
    pub label: Option<String>,
    /// What to do about it.
    pub hint: Option<String>,
}

/// All findings of a run, in the order they were met; once located, in the order of the text.
#[derive(Clone, Debug, Default)]
pub struct Diagnostics {
    all: Vec<Diagnostic>,
}

impl Diagnostics {
    /// No finding yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a finding with the severity of its code; returns it, so that a hint can be added.
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
            hint: hints::of(code).map(str::to_owned),
        });
        &mut self.all[index]
    }

    /// Adds the findings of a part of the work, behind those so far.
    pub(crate) fn append(&mut self, part: Self) {
        self.all.extend(part.all);
    }

    /// Whether a finding is an error.
    pub fn has_errors(&self) -> bool {
        self.all
            .iter()
            .any(|finding| finding.severity == Severity::Error)
    }

    /// How many findings are that grave.
    pub fn count(&self, severity: Severity) -> usize {
        self.all
            .iter()
            .filter(|finding| finding.severity == severity)
            .count()
    }

    /// Nothing if an error was found: `?` ends the run after the stage.
    pub fn barrier(&self) -> Option<()> {
        (!self.has_errors()).then_some(())
    }

    /// Finds line and column of every place and sorts by them, once the run is over.
    pub fn locate(&mut self, sources: &[crate::source::Source]) {
        locate::locate(&mut self.all, sources);
    }

    /// Only the findings that are at least that grave.
    #[must_use]
    pub fn at_least(&self, least: Severity) -> Self {
        let grave = self.all.iter().filter(|finding| finding.severity >= least);
        Self {
            all: grave.cloned().collect(),
        }
    }

    /// The findings so far.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &Diagnostic> {
        self.all.iter()
    }
}

impl Diagnostic {
    /// Says in a few words what stands at the place.
    pub fn label(&mut self, label: impl Into<String>) -> &mut Self {
        self.label = Some(label.into());
        self
    }

    /// Says what to do about it.
    pub fn hint(&mut self, hint: impl Into<String>) -> &mut Self {
        self.hint = Some(hint.into());
        self
    }
}
