//! Paths of files come in, safe ones go out: below the output directory on every file system.
use std::fmt;
use std::path::{Path, PathBuf};

/// Why a path is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unsafe {
    /// It has no part at all, or an empty one.
    Empty,
    /// It has a part `.` or `..`, or begins at the root.
    Leaves,
    /// It has a character that separates paths, names streams or cannot be shown.
    Character(char),
}

impl fmt::Display for Unsafe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("a path has no empty parts"),
            Self::Leaves => f.write_str("the path leads out of the output directory"),
            Self::Character(c) => write!(f, "a path must not hold {c:?}"),
        }
    }
}

/// The path below the output directory, or why it is none.
pub(super) fn below(root: &Path, path: &str) -> Result<PathBuf, Unsafe> {
    let mut target = root.to_owned();
    if path.starts_with('/') {
        return Err(Unsafe::Leaves);
    }
    for part in path.split('/') {
        match part {
            "" => return Err(Unsafe::Empty),
            "." | ".." => return Err(Unsafe::Leaves),
            _ => {}
        }
        if let Some(bad) = part
            .chars()
            .find(|c| matches!(c, '\\' | ':') || c.is_control())
        {
            return Err(Unsafe::Character(bad));
        }
        target.push(part);
    }
    Ok(target)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stays_below_the_root() {
        let root = Path::new("out");
        assert_eq!(
            below(root, "a/b.rs"),
            Ok(Path::new("out").join("a").join("b.rs"))
        );
        for (path, why) in [
            ("", Unsafe::Empty),
            ("a//b", Unsafe::Empty),
            ("/etc/passwd", Unsafe::Leaves),
            ("../x", Unsafe::Leaves),
            ("a/../../x", Unsafe::Leaves),
            ("./x", Unsafe::Leaves),
            ("a\\..\\x", Unsafe::Character('\\')),
            ("C:x", Unsafe::Character(':')),
            ("a\nb", Unsafe::Character('\n')),
        ] {
            assert_eq!(below(root, path), Err(why), "{path:?}");
        }
    }
}
