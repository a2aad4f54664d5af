//! A plan comes in and is carried out; a file is either its old or its new self at any moment.
use super::error::Error;
use super::manifest::MANIFEST;
use super::plan::{Action, Change, Plan};
use std::fs;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use tempfile::TempPath;

const PREFIX: &str = ".kube-codegen-";
const SUFFIX: &str = ".tmp";

impl Plan {
    /// Carries it out; returns how many files were written and removed. A plan without changes writes nothing.
    ///
    /// # Errors
    /// What the file system said. If it said so before the first rename, all is as it was.
    pub fn apply(&self) -> Result<usize, Error> {
        let _lock = lock(&self.root);
        self.sweep();
        if self.changes.is_empty() {
            return Ok(0);
        }
        let mut made = Made::default();
        let mut staged = Vec::new();
        for change in &self.changes {
            if change.action != Action::Remove {
                let target = self.target(change);
                made.directories_for(&target)?;
                staged.push((stage(&target, &change.new)?, target));
            }
        }
        made.keep();
        // The list of own files changes last: whatever ends the run before, the old one still names all there was.
        let (list, files): (Vec<_>, Vec<_>) = staged
            .into_iter()
            .partition(|(_, target)| target.ends_with(MANIFEST));
        rename(files)?;
        for change in &self.changes {
            if change.action == Action::Remove {
                self.remove(&self.target(change))?;
            }
        }
        rename(list)?;
        Ok(self.changes.len())
    }

    fn target(&self, change: &Change) -> PathBuf {
        self.root.join(&change.path)
    }

    /// Removes a file and the directories that are empty without it.
    fn remove(&self, target: &Path) -> Result<(), Error> {
        match fs::remove_file(target) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                return Err(Error::io("remove", target)(error));
            }
            _ => {}
        }
        for directory in target.ancestors().skip(1) {
            if directory == self.root || fs::remove_dir(directory).is_err() {
                break;
            }
        }
        Ok(())
    }

    /// Removes what a killed run left behind.
    fn sweep(&self) {
        for directory in &self.directories {
            for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
                let name = entry.file_name();
                let name = name.to_string_lossy();
                if name.starts_with(PREFIX) && name.ends_with(SUFFIX) {
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

/// Writes the text beside its target.
fn stage(target: &Path, text: &str) -> Result<TempPath, Error> {
    let directory = target.parent().unwrap_or(Path::new("."));
    let mut builder = tempfile::Builder::new();
    builder.prefix(PREFIX).suffix(SUFFIX);
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let mut file = builder
        .tempfile_in(directory)
        .map_err(Error::io("write into", directory))?;
    file.write_all(text.as_bytes())
        .map_err(Error::io("write", target))?;
    Ok(file.into_temp_path())
}

fn rename(staged: Vec<(TempPath, PathBuf)>) -> Result<(), Error> {
    for (file, target) in staged {
        file.persist(&target)
            .map_err(|error| Error::io("write", &target)(error.error))?;
    }
    Ok(())
}

/// Directories made on the way; removed again if the run ends before they are kept.
#[derive(Default)]
struct Made(Vec<PathBuf>);

impl Made {
    fn directories_for(&mut self, target: &Path) -> Result<(), Error> {
        let missing: Vec<_> = target
            .ancestors()
            .skip(1)
            .take_while(|directory| !directory.as_os_str().is_empty() && !directory.exists())
            .map(Path::to_owned)
            .collect();
        for directory in missing.into_iter().rev() {
            fs::create_dir(&directory).map_err(Error::io("make directory", &directory))?;
            self.0.push(directory);
        }
        Ok(())
    }

    fn keep(mut self) {
        self.0.clear();
    }
}

impl Drop for Made {
    fn drop(&mut self) {
        for directory in self.0.iter().rev() {
            let _ = fs::remove_dir(directory);
        }
    }
}
