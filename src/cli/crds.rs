//! Reads the CRDs that a command looks at, in the form of `apiextensions.k8s.io/v1`.
use std::cmp::Reverse;

use serde_json::Value;

use super::{CommandError, console::Console};
use crate::{
    base::{
        diag::{Diagnostics, nearest},
        source::{self, Input, Source},
    },
    input::crd,
    model::evolution::priority,
};

/// A CRD of the input.
pub(super) struct Crd {
    pub(super) group: String,
    pub(super) kind: String,
    /// The versions, the oldest first by Kubernetes' priority of versions.
    pub(super) versions: Vec<String>,
    /// The whole manifest.
    pub(super) manifest: Value,
    /// The manifest as a type.
    pub(super) typed: crd::Crd,
}

/// Reads CRDs and prints diagnostics.
pub(super) fn read(files: &[String], console: &mut Console) -> Result<Vec<Crd>, CommandError> {
    let inputs: Vec<_> = files.iter().map(|file| Input::parse(file)).collect();
    let sources = source::load(&inputs)?;
    let (crds, mut diagnostics) = parse(&sources);
    diagnostics.locate(&sources);
    console.diagnostics(&diagnostics, &sources, &[]);
    if diagnostics.has_errors() {
        return Err(CommandError::Reported);
    }
    Ok(crds)
}

/// Reads the CRDs of texts.
pub(super) fn parse(sources: &[Source]) -> (Vec<Crd>, Diagnostics) {
    let mut diagnostics = Diagnostics::new();
    let crds = crd::parse(sources, &mut diagnostics);
    let crds = crds.into_iter().map(|crd| {
        let names = crd.versions.iter().map(|version| version.name.clone());
        let mut versions: Vec<String> = names.collect();
        versions.sort_by(|a, b| Reverse(priority::of(a)).cmp(&Reverse(priority::of(b))));
        Crd {
            manifest: crd.definition(),
            group: crd.group.clone(),
            kind: crd.names.kind.clone(),
            versions,
            typed: crd,
        }
    });
    (crds.collect(), diagnostics)
}

/// Returns the CRDs of a kind, or all.
pub(super) fn of_kind(mut crds: Vec<Crd>, kind: Option<&str>) -> Result<Vec<Crd>, CommandError> {
    let Some(kind) = kind else {
        return Ok(crds);
    };
    let names: Vec<String> = crds.iter().map(|crd| crd.kind.clone()).collect();
    crds.retain(|crd| crd.kind == kind);
    if crds.is_empty() {
        let hint = match nearest(kind, names.iter().map(String::as_str)).first() {
            Some(near) => format!("did you mean {near}?"),
            None => format!("the input has {}", names.join(", ")),
        };
        let kind = kind.escape_debug();
        return Err(format!("no kind `{kind}` in the input; {hint}").into());
    }
    Ok(crds)
}
