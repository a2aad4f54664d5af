//! Reads `Cargo.toml` files: those of packages, and those of the workspaces above them.
use std::{
    fmt::Display,
    fs,
    io::ErrorKind,
    path::{Path, PathBuf},
};

use toml::{Table, Value};

/// The manifest of a package.
pub(crate) const MANIFEST: &str = "Cargo.toml";

/// Reads the manifest in a directory, if it exists.
///
/// # Errors
/// If it cannot be read or parsed.
pub(super) fn manifest(directory: &Path) -> Result<Option<Table>, String> {
    let path = directory.join(MANIFEST);
    let cannot_read = |error: &dyn Display| format!("cannot read `{}`: {error}", path.display());
    match fs::read_to_string(&path) {
        Ok(text) => match text.parse() {
            Ok(table) => Ok(Some(table)),
            Err(error) => Err(cannot_read(&error)),
        },
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(cannot_read(&error)),
    }
}

/// The name of the package in a directory; empty if it has none.
pub(super) fn package_name(directory: &Path) -> String {
    let manifest = manifest(directory).ok().flatten();
    let name = manifest
        .as_ref()
        .and_then(|it| it.get("package")?.get("name")?.as_str());
    name.unwrap_or_default().to_owned()
}

/// The first of some directories that has a workspace, with its `[workspace]`.
///
/// # Errors
/// If a manifest cannot be read.
pub(super) fn workspace<'a>(
    directories: impl IntoIterator<Item = &'a Path>,
) -> Result<Option<(PathBuf, Value)>, String> {
    for directory in directories {
        let workspace = manifest(directory)?.and_then(|mut it| it.remove("workspace"));
        if let Some(workspace) = workspace {
            return Ok(Some((directory.to_owned(), workspace)));
        }
    }
    Ok(None)
}
