//! Why nothing, or not all, could be written.
use super::path::Unsafe;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// Why nothing was written, or why writing stopped.
#[derive(Debug)]
pub enum Error {
    /// Something is in the way; all that is, so that it can be mended at once. Nothing was written.
    Obstacles(Vec<Obstacle>),
    /// The file system refused.
    Io {
        /// What was tried, as `write` or `rename`.
        doing: &'static str,
        /// Where.
        path: PathBuf,
        /// What it said.
        source: io::Error,
    },
}

/// What is in the way of one file.
#[derive(Debug)]
pub enum Obstacle {
    /// The path leads out of the output directory or cannot be a file's.
    Unsafe(String, Unsafe),
    /// Two files of one run have the same path, or paths that differ in case only.
    Twice(String, String),
    /// A file is there that kube-codegen did not write.
    Foreign(PathBuf),
    /// A directory is where the file should be.
    Directory(PathBuf),
    /// A file is where a directory should be.
    NotADirectory(PathBuf),
    /// A symbolic link is where the file, or a directory above it, should be.
    Symlink(PathBuf),
}

impl Error {
    /// For `map_err`: what was tried, and where.
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
            Self::Io {
                doing,
                path,
                source,
            } => write!(f, "cannot {doing} `{}`: {source}", path.display()),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Obstacles(_) => None,
            Self::Io { source, .. } => Some(source),
        }
    }
}

impl fmt::Display for Obstacle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unsafe(path, why) => write!(f, "`{}`: {why}", path.escape_debug()),
            Self::Twice(a, b) if a == b => write!(f, "`{a}` is made twice"),
            Self::Twice(a, b) => write!(
                f,
                "`{a}` and `{b}` are one file where the file system ignores case"
            ),
            Self::Foreign(path) => write!(
                f,
                "`{}` exists and was not written by kube-codegen; move it away or pass --force",
                path.display()
            ),
            Self::Directory(path) => {
                write!(
                    f,
                    "`{}` is a directory; a file should be there",
                    path.display()
                )
            }
            Self::NotADirectory(path) => {
                write!(
                    f,
                    "`{}` is a file; a directory should be there",
                    path.display()
                )
            }
            Self::Symlink(path) => write!(
                f,
                "`{}` is a symbolic link; kube-codegen does not write through links",
                path.display()
            ),
        }
    }
}
