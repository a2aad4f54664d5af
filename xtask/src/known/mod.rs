//! `cargo xtask known-types`: generates the tables of reusable types and of kinds from the sources of k8s-openapi.
mod kinds;
mod merge;
mod read;
mod records;
// The table has the sentences that the generator looks up, so both extract them alike.
#[path = "../../../src/model/pass/known/sentence.rs"]
mod sentence;
mod types;
mod write;

use crate::root;
use clap::Args;
use kube_codegen::Kubernetes;
use std::error::Error;
use std::fs;
use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::process::Command;

#[derive(Args)]
pub(crate) struct Arguments {
    /// Write nothing, and fail if a table is stale
    #[arg(long)]
    check: bool,
}

/// Generates the tables, or checks that they are up to date.
pub(crate) fn run(arguments: &Arguments) -> Result<bool, Box<dyn Error>> {
    let mut stale = Vec::new();
    for (path, text) in tables()? {
        let path = root().join(path);
        if fs::read_to_string(&path).is_ok_and(|old| old == text) {
            continue;
        }
        if !arguments.check {
            if let Some(folder) = path.parent() {
                fs::create_dir_all(folder)?;
            }
            fs::write(&path, text)?;
        }
        stale.push(path);
    }
    let what = if arguments.check { "stale" } else { "written" };
    for path in &stale {
        println!("{what}: {}", path.display());
    }
    Ok(stale.is_empty() || !arguments.check)
}

/// Returns the files, relative to the root of this repository.
fn tables() -> Result<Vec<(PathBuf, String)>, Box<dyn Error>> {
    let sources = &sources()?;
    // Each parses the sources of four versions, which takes ten seconds.
    std::thread::scope(|scope| {
        let text = |error: Box<dyn Error>| error.to_string();
        let records = scope.spawn(move || records::files(sources).map_err(text));
        let kinds = scope.spawn(move || kinds::table(sources).map_err(text));
        let mut files = types(sources)?;
        files.extend(
            records
                .join()
                .unwrap_or_else(|panic| resume_unwind(panic))?,
        );
        files.push((
            kinds::TABLE.into(),
            kinds.join().unwrap_or_else(|panic| resume_unwind(panic))?,
        ));
        Ok(files)
    })
}

/// Returns the tables of reusable types.
fn types(sources: &Path) -> Result<Vec<(PathBuf, String)>, Box<dyn Error>> {
    let mut versions = Vec::new();
    for version in Kubernetes::ALL {
        let found = read::version(&sources.join(version.feature()), version)?;
        if found.is_empty() {
            return Err(format!("k8s-openapi has no Kubernetes {version}").into());
        }
        versions.push((version, found));
    }
    Ok(write::files(&merge::merge(versions)?))
}

/// Returns the `src` folder of the k8s-openapi that this workspace builds with.
fn sources() -> Result<PathBuf, Box<dyn Error>> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args(["metadata", "--format-version", "1", "--locked"])
        .current_dir(root())
        .output()?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into());
    }
    let metadata: serde_json::Value = serde_json::from_slice(&output.stdout)?;
    let packages = metadata["packages"].as_array();
    packages
        .into_iter()
        .flatten()
        .find(|package| package["name"] == "k8s-openapi")
        .and_then(|package| Path::new(package["manifest_path"].as_str()?).parent())
        .map(|folder| folder.join("src"))
        .ok_or_else(|| "this workspace has no k8s-openapi".into())
}

#[cfg(test)]
mod tests {
    #[test]
    fn tables_are_up_to_date() {
        assert!(
            super::run(&super::Arguments { check: true }).unwrap(),
            "run: cargo xtask known-types"
        );
    }
}
