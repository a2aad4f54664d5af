//! Inputs come in, texts go out; nothing is parsed here.
use std::path::PathBuf;

/// What the user names as input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Input {
    /// A file.
    File(PathBuf),
    /// All `.yaml`, `.yml` and `.json` files below a folder.
    Directory(PathBuf),
    /// All files that match a pattern.
    Glob(String),
    /// Standard input.
    Stdin,
    /// A text at hand, with the name to show for it.
    Text {
        /// Shown in findings.
        name: String,
        /// The text.
        text: String,
    },
}

/// A text to be parsed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// Shown in findings: the path as the user wrote it, or `<stdin>`.
    pub name: String,
    /// The file it comes from.
    pub path: Option<PathBuf>,
    /// The text.
    pub text: String,
}
