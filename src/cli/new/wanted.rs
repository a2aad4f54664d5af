//! What a new operator is made from: the flags, or a project of kubebuilder.
use std::{
    collections::{BTreeMap, BTreeSet},
    path::PathBuf,
};

use kube_codegen_formats::names;

use super::Args;
use crate::{
    base::{diag::Diagnostics, source::Source},
    cli::{CommandError, console::Console, layer::Layer, owns},
    model::ir::Model,
    operator::scaffold::{self, DeployScope, PackageName, Takeover, WebhookType},
    operator::takeover::{
        kube_derive::{self, DerivedCrate},
        kubebuilder::{self, Project},
    },
    output::render::File,
};

/// An operator to create.
pub(super) struct Wanted {
    pub(super) name: PackageName,
    pub(super) watch: BTreeSet<String>,
    pub(super) webhooks: BTreeSet<WebhookType>,
    pub(super) scope: DeployScope,
    pub(super) takeover: Takeover,
    /// The project that it takes over.
    pub(super) project: Option<Project>,
    /// The crate with derived types that it replaces.
    derived: Option<DerivedCrate>,
    /// The problems of the project, which have been printed.
    pub(super) found: Diagnostics,
}

impl Wanted {
    /// Reads the flags and the project, whose problems are printed.
    pub(super) fn new(args: &Args, console: &mut Console) -> Result<Self, CommandError> {
        let mut found = Diagnostics::new();
        let given = Takeover {
            namespace: args.deploy_namespace.clone(),
            lease: args.lease.clone(),
            field_manager: args.field_manager.clone(),
            ..Takeover::default()
        };
        let project = match &args.from_kubebuilder {
            Some(directory) => Some(kubebuilder::read(directory, given.clone(), &mut found)?),
            None => None,
        };
        let derived = match &args.from_kube_derive {
            Some(directory) => Some(kube_derive::read(directory)?),
            None => None,
        };
        let takeover = match (&project, &derived) {
            (Some(project), _) => project.takeover.clone(),
            (None, Some(derived)) => derived.takeover(given),
            (None, None) => given,
        };
        let sources = project.as_ref().map_or(&[][..], |it| &it.sources);
        console.diagnostics(&found, sources, &[]);
        let name = match (&args.name, &project) {
            (Some(name), _) => name.clone(),
            (None, Some(project)) => project.name.to_lowercase().replace('_', "-").parse()?,
            (None, None) => {
                let message = "NAME is needed: the name of the new package";
                return Err(message.to_owned().into());
            }
        };
        if let Some(project) = &project
            && project.labels.contains(name.as_str())
        {
            return Err(format!(
                "the Pods of the running operator have the label `app.kubernetes.io/name: {name}`, so that Services would send requests to \
                 both; use another name, such as `{}`",
                project.name
            )
            .into());
        }
        let names = args.watch.iter().map(|kind| kind.name());
        let is_namespaced = project.as_ref().is_some_and(|it| it.is_namespaced);
        Ok(Self {
            name,
            watch: match &project {
                Some(project) => project.watch.clone(),
                None => names.collect(),
            },
            webhooks: match &project {
                Some(project) => project.webhooks.clone(),
                None => args.webhooks.iter().copied().collect(),
            },
            scope: args.scope.unwrap_or(if is_namespaced {
                DeployScope::Namespace
            } else {
                DeployScope::default()
            }),
            takeover,
            derived,
            found,
            project,
        })
    }

    /// Adds the CRDs of the project, and its version of Kubernetes unless another is given, to the options.
    pub(super) fn add_inputs(&self, options: &mut Layer) {
        if let Some(project) = &self.project {
            let paths = project.bases.iter().filter_map(|it| it.path.clone());
            options.file = Some(paths.collect::<Vec<PathBuf>>());
            options.kubernetes = options.kubernetes.or(project.kubernetes);
        }
    }

    /// Returns what is as in the installation.
    ///
    /// # Errors
    /// If no derived kind is in the CRDs. One of several is a warning: it may be of another project.
    pub(super) fn takeover(
        &self,
        model: &Model,
        console: &mut Console,
    ) -> Result<Takeover, String> {
        let mut takeover = self.takeover.clone();
        if let Some(derived) = &self.derived {
            for missing in derived.check(model)? {
                console.warning(&missing);
            }
            takeover.finalizers = derived.finalizers(model);
        }
        Ok(takeover)
    }

    /// Returns the files that only an operator has that takes over. `controllers` are the modules by the name of a CRD.
    pub(super) fn files(&self, model: &Model, controllers: &BTreeMap<String, String>) -> Vec<File> {
        let report = match (&self.project, &self.derived) {
            (Some(project), _) => project.report(self.name.as_str(), &self.takeover, controllers),
            (None, Some(derived)) => derived.report(self.name.as_str(), model, controllers),
            (None, None) => return Vec::new(),
        };
        let samples = self.project.iter().flat_map(|it| &it.samples).cloned();
        samples.chain([report]).collect()
    }

    /// Returns the owned kinds by the name of a CRD.
    pub(super) fn owns(
        &self,
        args: &Args,
        model: &Model,
    ) -> Result<BTreeMap<String, BTreeSet<String>>, String> {
        if let Some(project) = &self.project {
            return Ok(project.owns.clone());
        }
        let crds = scaffold::definitions(model);
        owns::by_crd(&args.owns, crds.iter().map(|(crd, _)| crd.as_str()), model)
    }

    /// The text of all CRDs: as the project or the inputs have it, with comments, or else written from the model.
    pub(super) fn definitions(&self, sources: &[Source], model: &Model) -> String {
        if let Some(project) = &self.project {
            return scaffold::joined(project.bases.iter().map(|base| base.text.as_str()));
        }
        let definitions = scaffold::definitions(model);
        let names: Vec<_> = definitions.iter().map(|(name, _)| name.as_str()).collect();
        let texts = definitions.iter().map(|(_, text)| text.as_str());
        scaffold::as_written(sources, &names).unwrap_or_else(|| scaffold::joined(texts))
    }
}

/// Parses the name of a namespace.
pub(super) fn namespace(text: &str) -> Result<String, String> {
    valid(text, &names::dns_1123_label(text))
}

/// Parses the name of a Lease.
pub(super) fn lease(text: &str) -> Result<String, String> {
    valid(text, &names::dns_1123_subdomain(text))
}

/// Parses the name of a field manager.
pub(super) fn field_manager(text: &str) -> Result<String, String> {
    let is_printable = text.chars().all(|letter| !letter.is_control());
    if is_printable && (1..=128).contains(&text.len()) {
        return Ok(text.to_owned());
    }
    Err("must have 1 to 128 printable characters".to_owned())
}

fn valid(text: &str, problems: &[String]) -> Result<String, String> {
    match problems.first() {
        None => Ok(text.to_owned()),
        Some(problem) => Err(problem.clone()),
    }
}
