//! What the user writes after `-f` comes in, the kind of input goes out; nothing is read here.
use std::path::{Path, PathBuf};

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

impl Input {
    /// Understands an argument as `-f` does: `-` is standard input, then what is there on disk counts, then `*`, `?` and `[`
    /// make a pattern.
    pub fn parse(argument: &str) -> Self {
        let path = Path::new(argument);
        if argument == "-" {
            Self::Stdin
        } else if path.is_dir() {
            Self::Directory(path.to_path_buf())
        } else if !path.exists() && argument.contains(['*', '?', '[']) {
            Self::Glob(argument.to_owned())
        } else {
            Self::File(path.to_path_buf())
        }
    }
}
