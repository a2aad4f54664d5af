//! Keeps a file list on disk that covers the files both before and after a run, while files change.
//!
//! A run that is killed therefore leaves no file that the next run would treat as foreign.

use std::{
    fs,
    path::{Path, PathBuf},
};

use super::{
    error::Error,
    file_list::{FILE_LIST, FileList},
    stage::stage,
};

/// Restores the file list when dropped, unless it is kept.
pub(super) struct Journal {
    path: PathBuf,
    undo: Option<Undo>,
}

enum Undo {
    Write(String),
    Remove,
}

impl Journal {
    /// Writes the list of all files that may exist during the run.
    pub(super) fn begin(
        root: &Path,
        known: &FileList,
        list: Option<&FileList>,
    ) -> Result<Self, Error> {
        let path = root.join(FILE_LIST);
        let Some(list) = list else {
            return Ok(Self { path, undo: None });
        };
        let text = known.union(list).to_file().text;
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

    /// Keeps the list, because files are about to change.
    pub(super) fn keep(mut self) {
        self.undo = None;
    }
}

impl Drop for Journal {
    fn drop(&mut self) {
        // If this fails, the list names too many files, which does no harm.
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
