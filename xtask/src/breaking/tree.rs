//! Copies the tracked files of the working tree. An existing copy is updated only where it differs, so that cargo rebuilds little.
use super::Result;
use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A copy of the working tree.
pub(super) struct Tree {
    path: PathBuf,
}

/// A change that is reverted when this is dropped.
pub(super) struct Change {
    file: PathBuf,
    before: String,
}

impl Tree {
    /// Makes `path` a copy of the files in `from` that git tracks.
    pub(super) fn copy(from: &Path, path: PathBuf) -> Result<Self> {
        let listed = Command::new("git")
            .args(["ls-files", "-z"])
            .current_dir(from)
            .output()?;
        if !listed.status.success() {
            return Err(String::from_utf8_lossy(&listed.stderr).into());
        }
        let listed = String::from_utf8(listed.stdout)?;
        let files = listed.split_terminator('\0').map(PathBuf::from);
        let files: BTreeSet<_> = files
            .filter(|file| from.join(file).symlink_metadata().is_ok())
            .collect();
        fs::create_dir_all(&path)?;
        remove_others(&path, Path::new(""), &files)?;
        for file in &files {
            copy_file(&from.join(file), &path.join(file))
                .map_err(|error| format!("{}: {error}", file.display()))?;
        }
        Ok(Self { path })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Reads a file of the copy.
    pub(super) fn read(&self, file: &Path) -> Result<String> {
        fs::read_to_string(self.path.join(file))
            .map_err(|error| format!("{}: {error}", file.display()).into())
    }

    /// Replaces the text of a file until the result is dropped.
    pub(super) fn change(&self, file: &Path, text: &str) -> Result<Change> {
        let change = Change {
            before: self.read(file)?,
            file: self.path.join(file),
        };
        fs::write(&change.file, text)?;
        Ok(change)
    }
}

impl Drop for Change {
    fn drop(&mut self) {
        // If this fails, the next copy repairs the file.
        if let Err(error) = fs::write(&self.file, &self.before) {
            eprintln!("{}: {error}", self.file.display());
        }
    }
}

/// Removes what exists only in the copy.
fn remove_others(root: &Path, directory: &Path, files: &BTreeSet<PathBuf>) -> Result<()> {
    for entry in fs::read_dir(root.join(directory))? {
        let entry = entry?;
        let path = directory.join(entry.file_name());
        if !entry.file_type()?.is_dir() {
            if !files.contains(&path) {
                fs::remove_file(entry.path())?;
            }
        } else if files.iter().any(|file| file.starts_with(&path)) && !files.contains(&path) {
            remove_others(root, &path, files)?;
        } else {
            fs::remove_dir_all(entry.path())?;
        }
    }
    Ok(())
}

/// Copies a file or a symbolic link, unless it is up to date.
fn copy_file(from: &Path, to: &Path) -> Result<()> {
    if let Some(parent) = to.parent() {
        fs::create_dir_all(parent)?;
    }
    if from.symlink_metadata()?.is_symlink() {
        let target = fs::read_link(from)?;
        if fs::read_link(to).ok().as_ref() != Some(&target) {
            remove(to)?;
            symlink(target, to)?;
        }
    } else if to.is_symlink() || fs::read(to).ok() != Some(fs::read(from)?) {
        remove(to)?;
        fs::copy(from, to)?;
    }
    Ok(())
}

fn remove(file: &Path) -> Result<()> {
    if file.symlink_metadata().is_ok() {
        fs::remove_file(file)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copy_matches_the_tracked_files_and_changes_are_reverted() {
        let scratch = tempfile::tempdir().unwrap();
        let (from, to) = (scratch.path().join("from"), scratch.path().join("to"));
        fs::create_dir_all(from.join("a/b")).unwrap();
        fs::write(from.join("a/b/file"), "whole").unwrap();
        fs::write(from.join("untracked"), "").unwrap();
        symlink("b", from.join("a/link")).unwrap();
        for arguments in [&["init", "-q"][..], &["add", "a"]] {
            let git = Command::new("git")
                .args(arguments)
                .current_dir(&from)
                .status();
            assert!(git.unwrap().success());
        }
        fs::create_dir_all(to.join("left/over")).unwrap();
        fs::create_dir_all(to.join("a/link")).unwrap();
        fs::write(to.join("a/rest"), "").unwrap();

        let tree = Tree::copy(&from, to.clone()).unwrap();
        let file = Path::new("a/b/file");
        assert_eq!(tree.read(file).unwrap(), "whole");
        assert_eq!(fs::read_link(to.join("a/link")).unwrap(), Path::new("b"));
        assert!(!to.join("left").exists() && !to.join("a/rest").exists());
        assert!(!to.join("untracked").exists());

        let written = |path: &Path| path.metadata().unwrap().modified().unwrap();
        let before = written(&to.join(file));
        Tree::copy(&from, to.clone()).unwrap();
        assert_eq!(
            written(&to.join(file)),
            before,
            "equal files are not rewritten"
        );

        let change = tree.change(file, "broken").unwrap();
        assert_eq!(tree.read(file).unwrap(), "broken");
        drop(change);
        assert_eq!(tree.read(file).unwrap(), "whole");
        assert_eq!(fs::read_to_string(from.join(file)).unwrap(), "whole");
    }
}
