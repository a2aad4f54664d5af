//! Errors of planning and writing.

use std::{
    fmt, io,
    path::{Path, PathBuf},
};

use super::path::InvalidPath;

/// Why nothing was written, or why writing stopped.
#[derive(Debug)]
pub enum Error {
    /// Files or paths are in the way; all of them are listed. Nothing was written.
    Obstacles(Vec<Obstacle>),
    /// Another run works on the directory, for a minute by now. Nothing was written.
    Busy(PathBuf),
    /// An I/O operation failed.
    Io {
        /// The operation, such as `write` or `remove`.
        doing: &'static str,
        /// The file or directory.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
}

/// Why one file cannot be written.
#[derive(Debug, PartialEq, Eq)]
pub enum Obstacle {
    /// The path is invalid or outside the output directory.
    InvalidPath(String, InvalidPath),
    /// Two files of the run have the same path, or paths that differ only in case.
    Duplicate(String, String),
    /// The file exists and was not written by kube-codegen.
    Foreign(PathBuf),
    /// There is a directory at the path of the file.
    Directory(PathBuf),
    /// There is a file at the path of a directory.
    NotADirectory(PathBuf),
    /// There is a symbolic link at the path of the file or of a directory above it.
    Symlink(PathBuf),
}

impl Error {
    /// Returns a function for `map_err` that adds the operation and the path.
    pub(super) fn io(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Io {
            doing,
            path,
            source,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Obstacles(all) => {
                f.write_str("nothing was written")?;
                all.iter()
                    .try_for_each(|obstacle| write!(f, "\n  {obstacle}"))
            }
            Self::Busy(path) => write!(
                f,
                "another kube-codegen process is writing to `{}`; nothing was written. Wait for it to finish, or stop it",
                path.display()
            ),
            Self::Io {
                doing,
                path,
                source,
            } => write!(f, "cannot {doing} `{}`: {source}", path.display()),
        }
    }
}

// The text has the cause.
impl std::error::Error for Error {}

impl fmt::Display for Obstacle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (path, why) = match self {
            Self::InvalidPath(path, why) => return write!(f, "`{}`: {why}", path.escape_debug()),
            Self::Duplicate(a, b) if a == b => return write!(f, "`{a}` is generated twice"),
            Self::Duplicate(a, b) => {
                return write!(
                    f,
                    "`{a}` and `{b}` are the same file on a case-insensitive file system"
                );
            }
            Self::Foreign(path) => (
                path,
                "exists and was not written by kube-codegen; move it away or pass --force",
            ),
            Self::Directory(path) => (path, "is a directory; expected a file"),
            Self::NotADirectory(path) => (path, "is a file; expected a directory"),
            Self::Symlink(path) => (
                path,
                "is a symbolic link; kube-codegen does not write through links: replace it, or give the path that it leads to",
            ),
        };
        write!(f, "`{}` {why}", path.display())
    }
}
