//! Errors of reading inputs.
use std::fmt;
use std::io;
use std::path::PathBuf;

/// All inputs that could not be read.
#[derive(Debug)]
pub struct Error {
    /// At least one, in the order of the inputs.
    pub problems: Vec<Problem>,
}

/// One input that could not be read.
#[derive(Debug)]
#[non_exhaustive]
pub enum Problem {
    /// The operating system returned an error.
    Io {
        /// The path.
        path: PathBuf,
        /// The error.
        source: io::Error,
    },
    /// Not UTF-8 text.
    Utf8 {
        /// The file.
        path: PathBuf,
        /// Offset of the first bad byte.
        offset: usize,
        /// Line of the first bad byte, from 1.
        line: usize,
    },
    /// Larger than [`MAX_BYTES`](super::MAX_BYTES).
    TooLarge {
        /// The file.
        path: PathBuf,
    },
    /// An invalid pattern.
    Pattern {
        /// As it was given.
        pattern: String,
        /// What is wrong with it.
        reason: String,
    },
    /// git did not find a file or a directory of a commit.
    Git {
        /// As it was given.
        input: String,
        /// What git says.
        reason: String,
    },
    /// The cluster was not read.
    Cluster {
        /// What the program that reads it says.
        reason: String,
    },
    /// A URL.
    Url {
        /// The URL.
        url: String,
    },
    /// A pattern without a match, or a directory without a manifest.
    NoFile {
        /// As it was given.
        input: String,
    },
}

impl Error {
    pub(crate) fn unless_empty(problems: Vec<Problem>) -> Result<(), Self> {
        if problems.is_empty() {
            Ok(())
        } else {
            Err(Self { problems })
        }
    }
}

// The text has all problems with their causes.
impl std::error::Error for Error {}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, problem) in self.problems.iter().enumerate() {
            if index > 0 {
                f.write_str("\n")?;
            }
            problem.fmt(f)?;
        }
        Ok(())
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io { path, source } => write!(f, "cannot read {}: {source}", path.display()),
            Self::Utf8 { path, offset, line } => write!(
                f,
                "{} is not UTF-8 text: bad byte at offset {offset}, line {line}",
                path.display()
            ),
            Self::TooLarge { path } => write!(
                f,
                "{} is larger than {} MiB",
                path.display(),
                super::MAX_BYTES >> 20
            ),
            Self::Pattern { pattern, reason } => write!(f, "invalid pattern {pattern:?}: {reason}"),
            Self::Git { input, reason } => write!(f, "cannot read {input}: {reason}"),
            Self::Cluster { reason } => write!(f, "cannot read the cluster: {reason}"),
            Self::Url { url } => write!(
                f,
                "cannot read {url}: inputs are not downloaded; use `curl -fsSL URL | kube-codegen generate -f -`, or save the \
                 file and pass its path"
            ),
            Self::NoFile { input } => {
                write!(f, "no .yaml, .yml or .json file: nothing matches {input:?}")
            }
        }
    }
}
