//! Writes texts to temporary files next to their targets, ready to be renamed.

use std::{
    fs,
    io::{ErrorKind, Write},
    path::{Path, PathBuf},
};

use tempfile::TempPath;

use super::error::Error;

const PREFIX: &str = ".kube-codegen-";
const SUFFIX: &str = ".tmp";

/// Returns whether this is the name of a temporary file.
pub(super) fn is_staged(name: &str) -> bool {
    name.starts_with(PREFIX) && name.ends_with(SUFFIX)
}

/// Writes the text to a temporary file next to its target.
pub(super) fn stage(target: &Path, text: &str) -> Result<TempPath, Error> {
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

/// The directories that a run created; dropping it removes them unless they are kept.
#[derive(Default)]
pub(super) struct NewDirectories(Vec<PathBuf>);

impl NewDirectories {
    /// Creates a directory and its missing parents.
    pub(super) fn create(&mut self, directory: &Path) -> Result<(), Error> {
        let missing: Vec<_> = directory
            .ancestors()
            .take_while(|directory| !directory.as_os_str().is_empty() && !directory.exists())
            .map(Path::to_owned)
            .collect();
        for directory in missing.into_iter().rev() {
            match fs::create_dir(&directory) {
                Ok(()) => self.0.push(directory),
                // Another run created it in the meantime.
                Err(error) if error.kind() == ErrorKind::AlreadyExists && directory.is_dir() => {}
                Err(error) => return Err(Error::io("create directory", &directory)(error)),
            }
        }
        Ok(())
    }

    pub(super) fn keep(mut self) {
        self.0.clear();
    }
}

impl Drop for NewDirectories {
    fn drop(&mut self) {
        for directory in self.0.iter().rev() {
            let _ = fs::remove_dir(directory);
        }
    }
}
