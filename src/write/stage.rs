//! Texts come in and lie beside their targets under names of their own, ready to be renamed; no target is touched here.
use super::error::Error;
use std::fs;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use tempfile::TempPath;

const PREFIX: &str = ".kube-codegen-";
const SUFFIX: &str = ".tmp";

/// Whether a file of that name is one that was staged.
pub(super) fn is_staged(name: &str) -> bool {
    name.starts_with(PREFIX) && name.ends_with(SUFFIX)
}

/// Writes the text beside its target.
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

/// Directories made on the way; removed again if the run ends before they are kept.
#[derive(Default)]
pub(super) struct Made(Vec<PathBuf>);

impl Made {
    /// Makes a directory and those above it.
    pub(super) fn directory(&mut self, directory: &Path) -> Result<(), Error> {
        let missing: Vec<_> = directory
            .ancestors()
            .take_while(|directory| !directory.as_os_str().is_empty() && !directory.exists())
            .map(Path::to_owned)
            .collect();
        for directory in missing.into_iter().rev() {
            match fs::create_dir(&directory) {
                Ok(()) => self.0.push(directory),
                // Another run was faster.
                Err(error) if error.kind() == ErrorKind::AlreadyExists && directory.is_dir() => {}
                Err(error) => return Err(Error::io("make directory", &directory)(error)),
            }
        }
        Ok(())
    }

    pub(super) fn keep(mut self) {
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
