//! Resolves the paths of generated files below the output directory, on every file system.

use std::{
    fmt,
    path::{Path, PathBuf},
};

/// Why a path is rejected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InvalidPath {
    /// It is empty or has an empty component.
    Empty,
    /// It is absolute, or has a component `.` or `..`.
    Outside,
    /// It contains a path separator, a stream separator or a control character.
    Character(char),
}

impl fmt::Display for InvalidPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("the path has an empty component"),
            Self::Outside => f.write_str("the path is outside the output directory"),
            Self::Character(c) => write!(f, "the path contains {c:?}"),
        }
    }
}

/// Returns the path below the output directory.
pub(super) fn below(root: &Path, path: &str) -> Result<PathBuf, InvalidPath> {
    let mut target = root.to_owned();
    if path.starts_with('/') {
        return Err(InvalidPath::Outside);
    }
    for part in path.split('/') {
        match part {
            "" => return Err(InvalidPath::Empty),
            "." | ".." => return Err(InvalidPath::Outside),
            _ => {}
        }
        if let Some(bad) = part
            .chars()
            .find(|c| matches!(c, '\\' | ':') || c.is_control())
        {
            return Err(InvalidPath::Character(bad));
        }
        target.push(part);
    }
    Ok(target)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_outside_the_root_are_rejected() {
        let root = Path::new("out");
        assert_eq!(
            below(root, "a/b.rs"),
            Ok(Path::new("out").join("a").join("b.rs"))
        );
        for (path, why) in [
            ("", InvalidPath::Empty),
            ("a//b", InvalidPath::Empty),
            ("/etc/passwd", InvalidPath::Outside),
            ("../x", InvalidPath::Outside),
            ("a/../../x", InvalidPath::Outside),
            ("./x", InvalidPath::Outside),
            ("a\\..\\x", InvalidPath::Character('\\')),
            ("C:x", InvalidPath::Character(':')),
            ("a\nb", InvalidPath::Character('\n')),
        ] {
            assert_eq!(below(root, path), Err(why), "{path:?}");
        }
    }
}
