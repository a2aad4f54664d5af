//! Reads the inputs: files, directories, patterns, standard input, commits, a cluster and texts.
pub(crate) mod cluster;
mod directory;
mod error;
mod exclude;
mod file;
mod git;
mod pattern;

pub use error::{Error, Problem};

use exclude::Exclude;
pub(crate) use exclude::matches;
use std::collections::HashSet;
use std::path::{Path, PathBuf};

/// Largest text that is read, in bytes.
///
/// An API server accepts objects of at most 3 MiB; bundles of many CRDs are larger.
pub const MAX_BYTES: u64 = 64 << 20;

/// An input to read.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Input {
    /// A file.
    File(PathBuf),
    /// All `.yaml`, `.yml` and `.json` files below a directory.
    Directory(PathBuf),
    /// All files that match a pattern.
    Glob(String),
    /// Standard input.
    Stdin,
    /// Files of a commit of the git repository that has the working directory.
    Git {
        /// What git takes for a commit, such as `HEAD~1` or `v1.2.0`.
        revision: String,
        /// A file, or a directory with manifests, relative to the working directory.
        path: String,
    },
    /// CustomResourceDefinitions of the cluster of the kubeconfig, read with the program kube-codegen-dev.
    Cluster {
        /// Which of them: a pattern for the name, the group or the kind; empty for all.
        pattern: String,
    },
    /// A URL, which is rejected: nothing is downloaded.
    Url(String),
    /// A text.
    Text {
        /// Name in diagnostics.
        name: String,
        /// The text.
        text: String,
    },
}

impl Input {
    /// Parses an argument of `-f`: `-` is standard input; `git:REVISION:PATH` is of a commit; `cluster` and `cluster:PATTERN` are of a
    /// cluster; a path that exists is a file or directory; otherwise `*`, `?` and `[` make a pattern.
    pub fn parse(argument: &str) -> Self {
        let path = Path::new(argument);
        if argument == "-" {
            Self::Stdin
        } else if is_url(argument) {
            Self::Url(argument.to_owned())
        } else if let Some((revision, path)) = argument
            .strip_prefix("git:")
            .and_then(|rest| rest.split_once(':'))
        {
            Self::Git {
                revision: revision.to_owned(),
                path: path.to_owned(),
            }
        } else if let Some(pattern) = cluster::pattern(argument) {
            Self::Cluster {
                pattern: pattern.to_owned(),
            }
        } else if path.is_dir() {
            Self::Directory(path.to_path_buf())
        } else if !path.exists() && argument.contains(['*', '?', '[']) {
            Self::Glob(argument.to_owned())
        } else {
            Self::File(path.to_path_buf())
        }
    }
}

/// Returns whether an argument of `-f` is a URL.
pub(crate) fn is_url(argument: &str) -> bool {
    argument.starts_with("https://") || argument.starts_with("http://")
}

/// A text to be parsed.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Source {
    /// Name in diagnostics: the path as the user wrote it, or `<stdin>`.
    pub name: String,
    /// The file it comes from.
    pub path: Option<PathBuf>,
    /// The text, without a byte order mark.
    pub text: String,
}

impl Source {
    /// A text that comes from no file.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            path: None,
            text: text.into(),
        }
    }

    /// The text of a file, whose path is its name.
    pub fn file(path: impl Into<PathBuf>, text: impl Into<String>) -> Self {
        let path = path.into();
        Self {
            path: Some(path.clone()),
            ..Self::new(path.display().to_string(), text)
        }
    }

    /// Whether its file name ends in `.json`.
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

/// What was read.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Loaded {
    /// The texts, in the order of the inputs.
    pub sources: Vec<Source>,
    /// The inputs that could not be read.
    pub problems: Vec<Problem>,
    /// The patterns of files to leave out that matched none.
    pub unused: Vec<String>,
}

/// Reads every input in the order given, each file once. An error lists all inputs that could not be read.
pub fn load(inputs: &[Input]) -> Result<Vec<Source>, Error> {
    let Loaded {
        sources, problems, ..
    } = load_except(inputs, &[]);
    Error::unless_empty(problems).map(|()| sources)
}

/// Like [`load`], without the files in directories and of patterns whose path, or its end, matches a pattern of `exclude`.
pub fn load_except(inputs: &[Input], exclude: &[String]) -> Loaded {
    let mut problems = Vec::new();
    let mut sources = Vec::new();
    let mut seen = HashSet::new();
    let exclude = Exclude::new(exclude, &mut problems);
    for input in inputs {
        let read = match input {
            Input::Text { name, text } => {
                Ok(Source::new(name.clone(), file::without_mark(text.clone())))
            }
            Input::Stdin if !seen.insert(PathBuf::from("-")) => continue,
            Input::Stdin => file::read_stdin(),
            Input::Git { revision, path } => {
                match git::read(revision, path) {
                    Ok(mut found) => sources.append(&mut found),
                    Err(problem) => problems.push(problem),
                }
                continue;
            }
            Input::Cluster { pattern } => {
                match cluster::read(pattern) {
                    Ok(mut found) => sources.append(&mut found),
                    Err(problem) => problems.push(problem),
                }
                continue;
            }
            Input::Url(url) => Err(Problem::Url { url: url.clone() }),
            Input::File(_) | Input::Directory(_) | Input::Glob(_) => {
                for path in list(input, &mut problems).files {
                    let root = match input {
                        Input::Directory(root) => Some(root.clone()),
                        Input::Glob(pattern) => Some(pattern::fixed_part(pattern)),
                        _ => None,
                    };
                    if root.is_some_and(|root| exclude.excludes(&path, &root)) {
                        continue;
                    }
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
    Loaded {
        sources,
        problems,
        unused: exclude.unused(),
    }
}

/// Returns the files and directories that [`load`] depends on, sorted, for `rerun-if-changed`.
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

/// The files and directories of an input.
#[derive(Debug, Default)]
struct Listing {
    /// Files to read, in order.
    files: Vec<PathBuf>,
    /// Directories that were searched.
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
        Input::Stdin
        | Input::Git { .. }
        | Input::Cluster { .. }
        | Input::Url(_)
        | Input::Text { .. } => Listing::default(),
    }
}
