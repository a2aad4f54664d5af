//! The common reader: every command that takes CRDs finds its inputs and reads them as `generate` does.
use std::{cmp::Reverse, path::PathBuf};

use super::{CommandError, config, console::Console, count, layer::Layer};
use crate::{
    base::{
        diag::{Diagnostic, Diagnostics, nearest},
        options::{Allow, Deny, Settings},
        source::{self, Source},
    },
    input::crd::{self, Crd, Version},
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

    /// Whether --file takes the place of the config file.
    pub(super) fn ignores_config(&self) -> bool {
        self.file.is_some() && self.config.is_none()
    }

    /// Reads the options.
    pub(super) fn options(&self, console: &mut Console) -> Result<Layer, CommandError> {
        let flags = Layer {
            file: self.file.clone(),
            ..Layer::default()
        };
        if self.ignores_config() {
            return Ok(flags);
        }
        config::merge(flags, self.config.as_deref(), console)
    }

    /// Reads the CRDs and prints diagnostics.
    pub(super) fn read(&self, console: &mut Console) -> Result<Vec<Crd>, CommandError> {
        let settings = self.options(console)?.settings()?;
        let sources = load(&settings, console)?;
        let mut diagnostics = Diagnostics::new();
        let crds = crd::parse(&sources, &mut diagnostics);
        show(diagnostics, &sources, &settings, console)?;
        Ok(crds)
    }
}

impl Crd {
    /// Returns the versions, the oldest first by Kubernetes' priority of versions.
    pub(super) fn by_age(&self) -> Vec<&Version> {
        let mut versions: Vec<&Version> = self.versions.iter().collect();
        versions.sort_by_key(|it| Reverse(priority::of(&it.name)));
        versions
    }

    /// Returns a version.
    ///
    /// # Errors
    /// If there is none of this name.
    pub(super) fn version(&self, name: &str) -> Result<&Version, CommandError> {
        let mut versions = self.versions.iter();
        let found = versions.find(|it| it.name == name);
        found.ok_or_else(|| {
            let (kind, name) = (&self.names.kind, name.escape_debug());
            let message = format!("{kind} has no version `{name}`; it has {}", self.known());
            message.into()
        })
    }

    /// Lists the names of the versions for a message.
    pub(super) fn known(&self) -> String {
        let names = self.by_age().into_iter().map(|it| it.name.as_str());
        names.collect::<Vec<_>>().join(", ")
    }
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

/// Prints diagnostics.
///
/// # Errors
/// If one of them is an error or denied.
pub(super) fn show(
    mut diagnostics: Diagnostics,
    sources: &[Source],
    settings: &Settings,
    console: &mut Console,
) -> Result<(), CommandError> {
    Allow::apply(&settings.allow, sources, &mut diagnostics);
    console.diagnostics(&diagnostics, sources, &settings.deny);
    let fails = |it: &Diagnostic| Deny::fails(&settings.deny, it);
    if !diagnostics.iter().any(fails) {
        return Ok(());
    }
    if !diagnostics.has_errors() {
        let denied = Deny::count(&settings.deny, &diagnostics);
        console.summary_error(&format!("{} denied", count(denied, "diagnostic")));
    }
    Err(CommandError::Reported)
}

/// Returns the CRDs of a kind, or all.
pub(super) fn of_kind(mut crds: Vec<Crd>, kind: Option<&str>) -> Result<Vec<Crd>, CommandError> {
    let Some(kind) = kind else {
        return Ok(crds);
    };
    let unknown = unknown(kind, &crds);
    crds.retain(|crd| crd.names.kind == kind);
    if crds.is_empty() {
        return Err(unknown.into());
    }
    Ok(crds)
}

/// Says that no CRD has a kind.
pub(super) fn unknown(kind: &str, crds: &[Crd]) -> String {
    let kinds = || crds.iter().map(|crd| crd.names.kind.as_str());
    let hint = match nearest(kind, kinds()).first() {
        Some(near) => format!("did you mean {near}?"),
        None => format!("the input has {}", kinds().collect::<Vec<_>>().join(", ")),
    };
    format!("no kind `{}` in the input; {hint}", kind.escape_debug())
}
