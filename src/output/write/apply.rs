//! Applies a plan; at any moment, each file has either its old or its new contents.

use std::{
    fs,
    io::ErrorKind,
    path::{Path, PathBuf},
};

use tempfile::TempPath;

use super::{
    error::Error,
    file_list::{FILE_LIST, FileList},
    path::below,
    plan::{Action, Change, Found, Plan, read},
    stage::{NewDirectories, is_staged, stage},
};

impl Plan {
    /// Applies the plan and returns how many files were written and removed. A plan without changes writes nothing. Whoever has other runs
    /// holds a [`Lock`](super::Lock) since before the plan was made.
    ///
    /// # Errors
    /// An I/O error. If it occurs before the first rename, the directory is left as it was.
    pub fn apply(&self) -> Result<usize, Error> {
        let mut directories = NewDirectories::default();
        if !self.changes.is_empty() {
            directories.create(&self.root)?;
        }
        let known = match self.list {
            Some(_) => FileList::read(&self.root),
            None => FileList::default(),
        };
        self.remove_staged(&known);
        if self.changes.is_empty() {
            return Ok(0);
        }
        let mut staged = Vec::new();
        for change in &self.changes {
            if change.action != Action::Remove {
                let target = self.target(change);
                directories.create(target.parent().unwrap_or(&self.root))?;
                staged.push((stage(&target, &change.new)?, target));
            }
        }
        let (list_file, files): (Vec<_>, Vec<_>) = staged
            .into_iter()
            .partition(|(_, target)| target.ends_with(FILE_LIST));
        // While files change, the list names the old and the new ones: after a killed run, the next one recognizes all of them.
        if let Some(list) = &self.list {
            let target = self.root.join(FILE_LIST);
            let both = list.clone().with_former(known.clone()).to_file();
            rename(vec![(stage(&target, &both.text)?, target)])?;
        }
        directories.keep();
        rename(files)?;
        let removals = self.changes.iter();
        let removals = removals.filter(|change| change.action == Action::Remove);
        let (stale_list, stale): (Vec<_>, Vec<_>) =
            removals.partition(|change| change.path == FILE_LIST);
        for change in stale {
            remove(&self.target(change))?;
        }
        if let Some(list) = &self.list {
            self.prune(&known, list)?;
        }
        for change in stale_list {
            remove(&self.target(change))?;
        }
        rename(list_file)?;
        Ok(self.changes.len())
    }

    fn target(&self, change: &Change) -> PathBuf {
        self.root.join(&change.path)
    }

    /// Removes the directories of stale files that have become empty.
    fn prune(&self, known: &FileList, list: &FileList) -> Result<(), Error> {
        for path in known.paths().filter(|path| !list.contains(path)) {
            let Ok(target) = below(&self.root, path) else {
                continue;
            };
            // A killed run may have created only the directory. A link on the way leads elsewhere.
            if !matches!(read(&self.trusted, &target)?, Found::Nothing) {
                continue;
            }
            for directory in target.ancestors().skip(1) {
                if directory == self.root {
                    break;
                }
                match fs::remove_dir(directory) {
                    Err(error) if error.kind() != ErrorKind::NotFound => break,
                    _ => {}
                }
            }
        }
        Ok(())
    }

    /// Removes the temporary files of a killed run.
    fn remove_staged(&self, known: &FileList) {
        let mut directories = self.directories.clone();
        for path in known.paths() {
            if let Ok(target) = below(&self.root, path)
                && !matches!(
                    read(&self.trusted, &target),
                    Ok(Found::Obstacle(_)) | Err(_)
                )
            {
                directories.extend(target.parent().map(Path::to_owned));
            }
        }
        for directory in &directories {
            for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
                if is_staged(&entry.file_name().to_string_lossy()) {
                    // A leftover does no harm.
                    let _ = fs::remove_file(entry.path());
                }
            }
        }
    }
}

fn rename(staged: Vec<(TempPath, PathBuf)>) -> Result<(), Error> {
    for (file, target) in staged {
        file.persist(&target)
            .map_err(|error| Error::io("write", &target)(error.error))?;
    }
    Ok(())
}

fn remove(target: &Path) -> Result<(), Error> {
    match fs::remove_file(target) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            Err(Error::io("remove", target)(error))
        }
        _ => Ok(()),
    }
}
