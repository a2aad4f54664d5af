//! Output directories, and how far their paths are trusted.

use std::path::{Component, Path, PathBuf};

/// A directory of files, below one that may be reached through links.
///
/// A repository may contain links, and must not choose by them where files are written. So a path below the working directory is followed
/// without links, also one with `..` in it; an absolute path is the user's own, as is one that leaves the working directory by `..`.
#[derive(Clone, Debug)]
pub struct Root {
    /// The directory whose path is followed through links.
    pub(super) trusted: PathBuf,
    pub(super) directory: PathBuf,
}

impl Root {
    /// The directory at a path.
    pub fn new(path: &Path) -> Self {
        // How deep a path is at each of its parts; none once it leaves the working directory.
        let depth = path.components().try_fold(0_u32, |depth, part| match part {
            Component::Normal(_) => depth.checked_add(1),
            Component::CurDir => Some(depth),
            Component::ParentDir => depth.checked_sub(1),
            Component::RootDir | Component::Prefix(_) => None,
        });
        Self {
            trusted: if depth.is_some() {
                PathBuf::new()
            } else {
                path.to_owned()
            },
            directory: path.to_owned(),
        }
    }

    /// Another directory: followed from this one without links, if it is in it.
    #[must_use]
    pub fn within(&self, path: &Path) -> Self {
        let is_below = |rest: &Path| {
            rest.components()
                .all(|it| matches!(it, Component::Normal(_)))
        };
        match path.strip_prefix(&self.directory) {
            Ok(rest) if is_below(rest) => Self {
                trusted: self.trusted.clone(),
                directory: path.to_owned(),
            },
            _ => Self::new(path),
        }
    }

    /// The path of the directory.
    pub fn path(&self) -> &Path {
        &self.directory
    }
}

impl From<&Path> for Root {
    fn from(path: &Path) -> Self {
        Self::new(path)
    }
}

impl From<&PathBuf> for Root {
    fn from(path: &PathBuf) -> Self {
        Self::new(path)
    }
}

impl From<&Root> for Root {
    fn from(root: &Root) -> Self {
        root.clone()
    }
}
