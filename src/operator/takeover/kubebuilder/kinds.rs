//! Finds the kind that a Go type is: of a CRD of the project, of Kubernetes itself, or of others.
use serde_json::Value;

use super::facts::{GoFile, Kind};
use crate::{
    base::{
        diag::Diagnostics,
        source::{Source, SourceId},
    },
    input::yaml,
    operator::scaffold::{CoreKind, core_kind_of_go},
};

/// A CRD of the project.
#[derive(Clone, Debug)]
pub(super) struct Crd {
    /// Its name, such as `widgets.example.com`.
    pub(super) name: String,
    pub(super) group: String,
    pub(super) kind: String,
    pub(super) plural: String,
    pub(super) versions: Vec<String>,
    pub(super) is_namespaced: bool,
    /// Whether its own text names a webhook that converts it.
    pub(super) converts: bool,
}

/// Reads the CRDs of files. The generator reports what is wrong with them.
pub(super) fn crds(bases: &[Source]) -> Vec<Crd> {
    let mut ignored = Diagnostics::new();
    let documents = bases
        .iter()
        .flat_map(|source| yaml::read(source, SourceId(0), &mut ignored));
    let documents: Vec<Value> = documents.map(|it| it.root.into_value()).collect();
    let crds = documents.iter().filter_map(|crd| {
        let text = |pointer: &str| Some(crd.pointer(pointer)?.as_str()?.to_owned());
        let versions = crd.pointer("/spec/versions").and_then(Value::as_array);
        let names = versions.into_iter().flatten();
        Some(Crd {
            name: text("/metadata/name")?,
            group: text("/spec/group")?,
            kind: text("/spec/names/kind")?,
            plural: text("/spec/names/plural")?,
            versions: names
                .filter_map(|version| Some(version["name"].as_str()?.to_owned()))
                .collect(),
            is_namespaced: text("/spec/scope")? == "Namespaced",
            converts: text("/spec/conversion/strategy").as_deref() == Some("Webhook"),
        })
    });
    crds.collect()
}

/// What a Go type is.
#[derive(Clone, Debug)]
pub(super) enum Target {
    Crd(Crd),
    Core(&'static CoreKind),
    /// A type of another project, by its import path and name.
    Other(String),
}

impl Target {
    /// Returns the name of the CRD, or the API version and kind.
    pub(super) fn id(&self) -> String {
        match self {
            Self::Crd(crd) => crd.name.clone(),
            Self::Core(kind) => kind.name(),
            Self::Other(name) => name.clone(),
        }
    }
}

/// Knows the CRDs and packages of the project.
#[derive(Debug)]
pub(super) struct Kinds {
    pub(super) crds: Vec<Crd>,
    /// The path of the Go module.
    pub(super) repo: Option<String>,
    /// The group of each directory that has a `+groupName`.
    pub(super) groups: Vec<(String, String)>,
}

impl Kinds {
    /// Returns what a type in a file is.
    pub(super) fn find(&self, file: &GoFile, kind: &Kind) -> Target {
        let own = || match (&self.repo, file.path.rsplit_once('/')) {
            (Some(repo), Some((directory, _))) => format!("{repo}/{directory}"),
            _ => String::new(),
        };
        let path = if kind.package.is_empty() {
            own()
        } else {
            let imported = file.imports.get(&kind.package);
            imported.cloned().unwrap_or_else(|| kind.package.clone())
        };
        if let Some(core) = core_kind_of_go(&path, &kind.name) {
            return Target::Core(core);
        }
        let directory = match &self.repo {
            Some(repo) => path.strip_prefix(repo.as_str()),
            None => Some(path.as_str()),
        };
        let named = |crd: &&Crd| crd.kind == kind.name;
        let all: Vec<&Crd> = self.crds.iter().filter(named).collect();
        let found = match (directory, &all[..]) {
            // The path of the module may be that of a fork.
            (_, [one]) => Some(*one),
            (Some(directory), several) => {
                let directory = directory.trim_start_matches('/');
                let group = self.groups.iter().find(|(of, _)| of == directory);
                several
                    .iter()
                    .find(|crd| group.is_some_and(|(_, group)| *group == crd.group))
                    .copied()
            }
            _ => None,
        };
        match found {
            Some(crd) => Target::Crd(crd.clone()),
            None => Target::Other(format!("{path}.{}", kind.name)),
        }
    }
}
