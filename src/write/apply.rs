//! A plan comes in and is carried out; a file is either its old or its new self at any moment.
use super::error::Error;
use super::journal::Journal;
use super::manifest::{MANIFEST, Manifest};
use super::path::below;
use super::plan::{Action, Change, Found, Plan, read};
use super::stage::{Made, is_staged, stage};
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use tempfile::TempPath;

impl Plan {
    /// Carries it out; returns how many files were written and removed. A plan without changes writes nothing.
    ///
    /// # Errors
    /// What the file system said. If it said so before the first rename, all is as it was.
    pub fn apply(&self) -> Result<usize, Error> {
        let mut made = Made::default();
        if !self.changes.is_empty() {
            made.directory(&self.root)?;
        }
        let _lock = lock(&self.root);
        // Whoever wrote here since the plan was made has left its list.
        let known = match self.list {
            Some(_) => Manifest::read(&self.root),
            None => Manifest::default(),
        };
        self.sweep(&known);
        if self.changes.is_empty() {
            return Ok(0);
        }
        let journal = Journal::begin(&self.root, &known, self.list.as_ref())?;
        let mut staged = Vec::new();
        for change in &self.changes {
            if change.action != Action::Remove {
                let target = self.target(change);
                made.directory(target.parent().unwrap_or(&self.root))?;
                staged.push((stage(&target, &change.new)?, target));
            }
        }
        made.keep();
        journal.keep();
        // The list of own files changes last: whatever ends the run before, the journal names all there can be.
        let (list, files): (Vec<_>, Vec<_>) = staged
            .into_iter()
            .partition(|(_, target)| target.ends_with(MANIFEST));
        rename(files)?;
        if let Some(list) = &self.list {
            self.prune(&known, list)?;
        }
        rename(list)?;
        Ok(self.changes.len())
    }

    fn target(&self, change: &Change) -> PathBuf {
        self.root.join(&change.path)
    }

    /// Removes own files that are no longer made, and the directories that are empty without them.
    fn prune(&self, known: &Manifest, list: &Manifest) -> Result<(), Error> {
        for path in known.paths().filter(|path| !list.names(path)) {
            let Ok(target) = below(&self.root, path) else {
                continue;
            };
            match read(&self.root, &target)? {
                Found::File(text) if known.may_remove(path, &text) => remove(&target)?,
                // A killed run can have come no further than the directory.
                Found::Nothing => {}
                Found::File(_) | Found::Obstacle(_) => continue,
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
        if list.is_empty() {
            remove(&self.root.join(MANIFEST))?;
        }
        Ok(())
    }

    /// Removes what a killed run left behind.
    fn sweep(&self, known: &Manifest) {
        let mut directories = self.directories.clone();
        for path in known.paths() {
            if let Ok(target) = below(&self.root, path)
                && !matches!(read(&self.root, &target), Ok(Found::Obstacle(_)) | Err(_))
            {
                directories.extend(target.parent().map(Path::to_owned));
            }
        }
        for directory in &directories {
            for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
                if is_staged(&entry.file_name().to_string_lossy()) {
                    // It is in nobody's way if it stays.
                    let _ = fs::remove_file(entry.path());
                }
            }
        }
    }
}

/// One run at a time in a directory, where the system can lock one: else the runs would sweep each other's files away.
fn lock(root: &Path) -> Option<fs::File> {
    let directory = fs::File::open(root).ok()?;
    directory.lock().ok()?;
    Some(directory)
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
