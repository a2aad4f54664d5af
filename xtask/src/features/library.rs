//! Writes crates of types and clients: one with all CRDs, and further ones for CRDs that conflict with it.
use super::Result;
use crate::corpus::generate::names;
use crate::corpus::input::Manifest;
use crate::root;
use kube_codegen::diag::Diagnostics;
use kube_codegen::options::Options;
use kube_codegen::pipeline;
use kube_codegen::private::crd;
use kube_codegen::source::Source;
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// The result.
#[derive(Default)]
pub(super) struct Made {
    /// The crates; the first contains all CRDs that do not conflict.
    pub(super) libraries: Vec<Library>,
    /// Files that were read.
    pub(super) files: usize,
    /// Files that were rejected because of errors in them.
    pub(super) refused: usize,
}

/// A crate.
pub(super) struct Library {
    /// Its name.
    pub(super) name: String,
    /// Its directory.
    pub(super) path: PathBuf,
    /// Its features, one per group and version.
    pub(super) features: Vec<String>,
}

/// The contents of one crate.
#[derive(Default)]
struct Share {
    sources: Vec<Source>,
    taken: BTreeSet<(String, String)>,
}

/// Writes the crates; a file with an error is omitted and counted.
pub(super) fn make(manifests: Vec<Manifest>, out: &Path) -> Result<Made> {
    let mut made = Made::default();
    let mut shares: Vec<Share> = Vec::new();
    for manifest in manifests {
        made.files += 1;
        let source = manifest.source;
        let alone = pipeline::run(std::slice::from_ref(&source), &Options::default());
        if alone.diagnostics.has_errors() {
            made.refused += 1;
            continue;
        }
        let crds = crd::parse(std::slice::from_ref(&source), &mut Diagnostics::new());
        let own = names(&crds);
        let free = shares.iter().position(|it| it.taken.is_disjoint(&own));
        let at = free.unwrap_or(shares.len());
        if at == shares.len() {
            shares.push(Share::default());
        }
        shares[at].taken.extend(own);
        shares[at].sources.push(source);
    }
    for (index, share) in shares.iter().enumerate() {
        let name = match index {
            0 => "corpus".to_owned(),
            more => format!("corpus-{}", more + 1),
        };
        made.libraries.push(library(name, &share.sources, out)?);
    }
    Ok(made)
}

fn library(name: String, sources: &[Source], out: &Path) -> Result<Library> {
    let path = out.join(&name);
    // An existing manifest would be kept, from an older template or another checkout.
    let _ = fs::remove_file(path.join("Cargo.toml"));
    let mut args: Vec<OsString> = ["kube-codegen", "crate", &name, "--quiet", "--force"]
        .map(Into::into)
        .to_vec();
    args.extend(["--output".into(), path.clone().into()]);
    for source in sources {
        let file = source.path.as_ref().ok_or("a source without a file")?;
        args.extend(["--file".into(), file.clone().into()]);
    }
    if kube_codegen::cli::run(args) != ExitCode::SUCCESS {
        return Err(format!("cannot create the crate `{name}`").into());
    }
    // Builds with the dependency versions of this repository.
    fs::copy(root().join("Cargo.lock"), path.join("Cargo.lock"))?;
    let manifest: toml::Table = fs::read_to_string(path.join("Cargo.toml"))?.parse()?;
    let features = manifest.get("features").and_then(toml::Value::as_table);
    let features = features.into_iter().flat_map(toml::Table::keys).cloned();
    Ok(Library {
        name,
        path,
        features: features
            .filter(|it| !matches!(it.as_str(), "default" | "full"))
            .collect(),
    })
}
