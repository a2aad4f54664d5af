//! The lists before and after a run come in, one that names all of both lies on disk while files change.
//!
//! So a run that is killed leaves no file that the next one would take for a stranger's.
use super::error::Error;
use super::manifest::{MANIFEST, Manifest};
use super::stage::stage;
use std::fs;
use std::path::{Path, PathBuf};

/// Puts the list back as it was, unless it is kept.
pub(super) struct Journal {
    path: PathBuf,
    /// What to put back; none where there is nothing to undo, or no longer.
    undo: Option<Undo>,
}

enum Undo {
    Write(String),
    Remove,
}

impl Journal {
    /// Writes the list of all files that can be there until the run is over.
    pub(super) fn begin(
        root: &Path,
        known: &Manifest,
        list: Option<&Manifest>,
    ) -> Result<Self, Error> {
        let path = root.join(MANIFEST);
        let Some(list) = list else {
            return Ok(Self { path, undo: None });
        };
        let text = known.and(list).to_file().text;
        let old = fs::read(&path).ok();
        if old.as_deref() == Some(text.as_bytes()) {
            return Ok(Self { path, undo: None });
        }
        let staged = stage(&path, &text)?;
        staged
            .persist(&path)
            .map_err(|error| Error::io("write", &path)(error.error))?;
        let undo = match old {
            Some(old) => Undo::Write(String::from_utf8_lossy(&old).into_owned()),
            None => Undo::Remove,
        };
        Ok(Self {
            path,
            undo: Some(undo),
        })
    }

    /// From here on files change.
    pub(super) fn keep(mut self) {
        self.undo = None;
    }
}

impl Drop for Journal {
    fn drop(&mut self) {
        // Where it cannot be undone, the list names more than there is: no harm is in that.
        match self.undo.take() {
            Some(Undo::Write(old)) => {
                if let Ok(staged) = stage(&self.path, &old) {
                    let _ = staged.persist(&self.path);
                }
            }
            Some(Undo::Remove) => {
                let _ = fs::remove_file(&self.path);
            }
            None => {}
        }
    }
}
