//! Inputs come in, texts go out; nothing is parsed here.
mod directory;
mod error;
mod file;
mod input;
mod pattern;
mod stdin;

pub use error::{Error, Problem};
pub use input::Input;

use std::collections::HashSet;
use std::path::{Path, PathBuf};

/// The largest text that is read, in bytes.
///
/// An API server takes objects of at most 3 MiB; bundles of many definitions are larger.
pub const MAX_BYTES: u64 = 64 << 20;

/// A text to be parsed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// Shown in findings: the path as the user wrote it, or `<stdin>`.
    pub name: String,
    /// The file it comes from.
    pub path: Option<PathBuf>,
    /// The text, without a byte order mark.
    pub text: String,
}

impl Source {
    /// Whether its name says that it is JSON.
    pub(crate) fn is_json(&self) -> bool {
        let extension = self.path.as_deref().and_then(Path::extension);
        extension.is_some_and(|extension| extension.eq_ignore_ascii_case("json"))
    }
}

/// Index of a source among those of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SourceId(pub usize);

impl SourceId {
    /// Returns the source, if it is one of these.
    pub fn of(self, sources: &[Source]) -> Option<&Source> {
        sources.get(self.0)
    }
}

/// Reads every input, in the order given and each file once; fails with all problems, never with the first alone.
pub fn load(inputs: &[Input]) -> Result<Vec<Source>, Error> {
    let mut problems = Vec::new();
    let mut sources = Vec::new();
    let mut seen = HashSet::new();
    for input in inputs {
        let read = match input {
            Input::Text { name, text } => Ok(Source {
                name: name.clone(),
                path: None,
                text: file::without_mark(text.clone()),
            }),
            Input::Stdin if !seen.insert(PathBuf::from("-")) => continue,
            Input::Stdin => stdin::read(),
            Input::File(_) | Input::Directory(_) | Input::Glob(_) => {
                for path in list(input, &mut problems).files {
                    if !seen.insert(std::fs::canonicalize(&path).unwrap_or_else(|_| path.clone())) {
                        continue;
                    }
                    match file::read(&path) {
                        Ok(source) => sources.push(source),
                        Err(problem) => problems.push(problem),
                    }
                }
                continue;
            }
        };
        match read {
            Ok(source) => sources.push(source),
            Err(problem) => problems.push(problem),
        }
    }
    Error::unless_empty(problems).map(|()| sources)
}

/// The files and folders whose change changes what [`load`] gives: for `rerun-if-changed`, sorted, each once.
pub fn watched(inputs: &[Input]) -> Result<Vec<PathBuf>, Error> {
    let mut problems = Vec::new();
    let mut paths = Vec::new();
    for input in inputs {
        let listing = list(input, &mut problems);
        paths.extend(listing.files);
        paths.extend(listing.folders);
    }
    paths.sort_unstable();
    paths.dedup();
    Error::unless_empty(problems).map(|()| paths)
}

/// What an input stands for on disk.
#[derive(Debug, Default)]
struct Listing {
    /// Files to read, in order.
    files: Vec<PathBuf>,
    /// Folders that were looked through.
    folders: Vec<PathBuf>,
}

fn list(input: &Input, problems: &mut Vec<Problem>) -> Listing {
    match input {
        Input::File(path) => Listing {
            files: vec![path.clone()],
            folders: Vec::new(),
        },
        Input::Directory(path) => directory::list(path, problems),
        Input::Glob(pattern) => pattern::list(pattern, problems),
        Input::Stdin | Input::Text { .. } => Listing::default(),
    }
}
