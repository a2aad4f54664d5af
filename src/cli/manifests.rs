//! Reads the manifests of an operator and the package above them.
use std::{
    fs,
    path::{Path, PathBuf},
};

use super::{CommandError, console::Console};
use crate::{
    base::diag::Diagnostics,
    operator::{
        deploy::{About, Tree, rights::Needs},
        scaffold::{BASELINE, Baseline},
    },
};

/// Reads manifests that have to be valid YAML.
pub(super) fn read(directory: &Path, console: &mut Console) -> Result<Tree, CommandError> {
    let mut diagnostics = Diagnostics::new();
    let tree = Tree::read(directory, &mut diagnostics)?;
    valid(tree, &diagnostics, console)
}

/// Reports the syntax errors of manifests.
pub(super) fn valid(
    tree: Tree,
    diagnostics: &Diagnostics,
    console: &mut Console,
) -> Result<Tree, CommandError> {
    console.diagnostics(diagnostics, &tree.sources, &[]);
    if diagnostics.has_errors() {
        return Err(CommandError::Reported);
    }
    Ok(tree)
}

/// Returns the directory of the package above a directory of manifests, which may be `.` or a link.
pub(super) fn package(directory: &Path) -> Result<PathBuf, String> {
    let path = fs::canonicalize(directory)
        .map_err(|error| format!("cannot read `{}`: {error}", directory.display()))?;
    Ok(path.parent().unwrap_or(&path).to_owned())
}

/// Returns the name of the package above a directory of manifests; empty if there is none.
pub(super) fn package_name(directory: &Path) -> Result<String, String> {
    Ok(About::name(&package(directory)?))
}

/// Adds what the owner references of children need, by the record of what was scaffolded in the package above a directory of manifests.
pub(super) fn add_owners(needs: &mut Needs, directory: &Path) -> Result<(), String> {
    let package = package(directory)?;
    if !package.join(BASELINE).is_file() {
        return Ok(());
    }
    for (crd, owned) in Baseline::read(&package)?.parameters.owns {
        if let Some((plural, group)) = crd.split_once('.')
            && !owned.is_empty()
        {
            needs.add_owner(group, plural);
        }
    }
    Ok(())
}
