//! Files of definitions come in, crates of types and clients are written: one of all, and more for definitions that exclude one another.
use super::Result;
use crate::corpus::generate::names;
use crate::corpus::input::Manifest;
use crate::folders::root;
use kube_codegen::crd;
use kube_codegen::diag::Diagnostics;
use kube_codegen::ir::Module;
use kube_codegen::options::Options;
use kube_codegen::pipeline;
use kube_codegen::scaffold::{self, LibraryRequest, Membership, Runtime};
use kube_codegen::source::Source;
use kube_codegen::write;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// What was made.
#[derive(Default)]
pub(super) struct Made {
    /// The crates: the first has all that can be in one.
    pub(super) libraries: Vec<Library>,
    /// Files that were read.
    pub(super) files: usize,
    /// Files that were refused for errors of their own.
    pub(super) refused: usize,
}

/// A crate.
pub(super) struct Library {
    /// Its name.
    pub(super) name: String,
    /// Where it lies.
    pub(super) path: PathBuf,
    /// Its features, one per group and version.
    pub(super) features: Vec<String>,
}

/// What goes into one crate.
#[derive(Default)]
struct Share {
    sources: Vec<Source>,
    taken: BTreeSet<(String, String)>,
}

/// Makes the crates; a file with an error is left out, and counted.
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
    let options = Options {
        feature_gates: true,
        ..Options::default()
    };
    let output = pipeline::run(sources, &options);
    if let Some(error) = output
        .diagnostics
        .iter()
        .find(|_| output.diagnostics.has_errors())
    {
        return Err(format!("{name}: {}", error.message).into());
    }
    let path = out.join(&name);
    let library = scaffold::library(&LibraryRequest {
        name: &name.parse()?,
        model: &output.model,
        generated: &output.files,
        kubernetes: options.kubernetes,
        runtime: &Runtime::Path(root().join("crates")),
        membership: Membership::Stranger,
        license: "Apache-2.0",
        command: "cargo xtask features",
        existing: &|_| Ok(None),
    })?;
    for note in &library.notes {
        eprintln!("note: {note}");
    }
    write::plan_once(&path, &library.own, true)?.apply()?;
    write::plan(&path.join(scaffold::SOURCE), &library.source, true)?.apply()?;
    // The same versions as this repository itself, whatever is newest.
    fs::copy(root().join("Cargo.lock"), path.join("Cargo.lock"))?;
    Ok(Library {
        name,
        path,
        features: output.model.modules.iter().map(Module::feature).collect(),
    })
}
