//! The common reader: every command that takes CRDs finds its inputs and reads them as `generate` does.
use std::{cmp::Reverse, path::PathBuf};

use serde_json::Value;

use super::{
    CommandError,
    config::{self, Layer},
    console::Console,
};
use crate::{
    base::{
        diag::{Diagnostics, nearest},
        options::{Allow, Deny, Settings},
        source::{self, Source},
    },
    input::crd,
    model::evolution::priority,
};

/// Where the CRDs of a command are.
#[derive(Debug, clap::Args)]
pub(super) struct CrdArgs {
    /// CustomResourceDefinitions: files, directories, glob patterns, `git:REVISION:PATH`, `cluster` or `cluster:PATTERN`, or `-` for
    /// standard input; can be repeated [default: those of kube-codegen.toml]
    #[arg(short, long, value_name = "FILE|DIR|GLOB|-")]
    file: Option<Vec<PathBuf>>,

    /// Read inputs and options from this file, even with --file [default: kube-codegen.toml, only without --file]
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
}

impl CrdArgs {
    /// Returns whether there are CRDs: flags name them, or the working directory has a config file.
    pub(super) fn has_input(&self) -> bool {
        self.is_given() || config::default().is_some()
    }

    /// Returns whether a flag names CRDs.
    pub(super) fn is_given(&self) -> bool {
        self.file.is_some() || self.config.is_some()
    }

    /// Reads the options.
    pub(super) fn options(&self, console: &mut Console) -> Result<Layer, CommandError> {
        let flags = Layer {
            file: self.file.clone(),
            ..Layer::default()
        };
        config::merge(flags, self.config.as_deref(), console)
    }

    /// Reads the CRDs and prints diagnostics.
    pub(super) fn read(&self, console: &mut Console) -> Result<Vec<Crd>, CommandError> {
        let settings = self.options(console)?.settings()?;
        let sources = load(&settings, console)?;
        let (crds, mut diagnostics) = parse(&sources);
        diagnostics.locate(&sources);
        report(diagnostics, &sources, &settings, console)?;
        Ok(crds)
    }
}

/// A CRD of the input.
pub(super) struct Crd {
    pub(super) group: String,
    pub(super) kind: String,
    /// The versions, the oldest first by Kubernetes' priority of versions.
    pub(super) versions: Vec<String>,
    /// The whole manifest, in the form of `apiextensions.k8s.io/v1`.
    pub(super) manifest: Value,
    /// The manifest as a type.
    pub(super) typed: crd::Crd,
}

/// Loads the inputs.
pub(super) fn load(
    settings: &Settings,
    console: &mut Console,
) -> Result<Vec<Source>, CommandError> {
    let loaded = source::load_except(&settings.inputs(), &settings.exclude);
    source::Error::unless_empty(loaded.problems)?;
    unused(&loaded.unused, console);
    Ok(loaded.sources)
}

/// Warns about patterns of files to leave out that matched none.
pub(super) fn unused(patterns: &[String], console: &mut Console) {
    for pattern in patterns {
        let pattern = pattern.escape_debug();
        console.warning(&format!("no file matches `--exclude {pattern}`"));
    }
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

/// Prints located diagnostics.
///
/// # Errors
/// If one of them is an error or denied.
pub(super) fn report(
    mut diagnostics: Diagnostics,
    sources: &[Source],
    settings: &Settings,
    console: &mut Console,
) -> Result<(), CommandError> {
    let is_allowed = |it: &_| Allow::allows(&settings.allow, it, sources);
    diagnostics.retain(|it| !is_allowed(it));
    console.diagnostics(&diagnostics, sources, &settings.deny);
    if diagnostics.has_errors() {
        return Err(CommandError::Reported);
    }
    match Deny::count(&settings.deny, &diagnostics) {
        0 => Ok(()),
        denied => {
            console.denied(denied);
            Err(CommandError::Reported)
        }
    }
}

/// Returns the CRDs of a kind, or all.
pub(super) fn of_kind(mut crds: Vec<Crd>, kind: Option<&str>) -> Result<Vec<Crd>, CommandError> {
    let Some(kind) = kind else {
        return Ok(crds);
    };
    let unknown = unknown(kind, &crds);
    crds.retain(|crd| crd.kind == kind);
    if crds.is_empty() {
        return Err(unknown.into());
    }
    Ok(crds)
}

/// Says that no CRD has a kind.
pub(super) fn unknown(kind: &str, crds: &[Crd]) -> String {
    let kinds = || crds.iter().map(|crd| crd.kind.as_str());
    let hint = match nearest(kind, kinds()).first() {
        Some(near) => format!("did you mean {near}?"),
        None => format!("the input has {}", kinds().collect::<Vec<_>>().join(", ")),
    };
    format!("no kind `{}` in the input; {hint}", kind.escape_debug())
}
