//! Reads an operator that kubebuilder scaffolded: its project file, manifests and markers, and what an operator has to keep that takes over.
mod facts;
mod go;
mod go_mod;
mod kinds;
mod manifests;
mod markers;
mod plan;
mod project;
mod report;
mod webhooks;

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

use crate::{
    base::{
        diag::{Code, Diagnostics, Place},
        options::Kubernetes,
        source::{Source, SourceId},
    },
    operator::scaffold::{Takeover, WebhookType},
    output::render::File,
};
use facts::GoFile;
use kinds::Crd;
use manifests::Manifests;
use project::ProjectFile;

/// The directory of the samples in the crate.
const SAMPLES: &str = "deploy/samples";

/// An operator to take over.
#[derive(Debug)]
pub(crate) struct Project {
    /// The texts that diagnostics refer to.
    pub(crate) sources: Vec<Source>,
    /// The name of the new operator, unless the user gives another.
    pub(crate) name: String,
    /// The files with CRDs.
    pub(crate) bases: Vec<Source>,
    /// The samples, as files of the crate.
    pub(crate) samples: Vec<File>,
    /// The watched kinds of Kubernetes itself.
    pub(crate) watch: BTreeSet<String>,
    /// The owned kinds by the name of a CRD.
    pub(crate) owns: BTreeMap<String, BTreeSet<String>>,
    /// What the webhooks of all kinds do.
    pub(crate) webhooks: BTreeSet<WebhookType>,
    /// Whether the operator has rights in its own namespace alone.
    pub(crate) is_namespaced: bool,
    /// The version of Kubernetes whose types the CRDs have.
    pub(crate) kubernetes: Option<Kubernetes>,
    /// What is as in the installation.
    pub(crate) takeover: Takeover,
    /// Labels of the Pods that must not be those of the new ones.
    pub(crate) labels: BTreeSet<String>,
    /// What the report says.
    findings: Findings,
}

/// What is found, and what is left to do.
#[derive(Debug, Default)]
struct Findings {
    prefix: String,
    /// CRDs by name: group, kind and versions.
    crds: Vec<Crd>,
    /// Where values were found.
    values: Vec<(&'static str, String, String)>,
    /// What is not translated: where, and what to do.
    by_hand: Vec<(String, String)>,
    files: Vec<GoFile>,
    /// The controlled kind of each controller's Go file: the name of a CRD or the kind of Kubernetes.
    controllers: BTreeMap<String, Vec<String>>,
    /// The kinds of each Go file of webhooks.
    webhooks: BTreeMap<String, Vec<String>>,
    /// Rights of the old operator on other kinds.
    rights: BTreeMap<String, BTreeSet<String>>,
    /// Objects of the old installation that go: arguments of `kubectl delete`.
    obsolete: Vec<String>,
    /// The account of the old operator and what grants it rights: arguments of `kubectl delete`.
    former_rights: Vec<String>,
    /// The namespace and name of the old Deployments.
    deployments: Vec<String>,
    /// CRDs into which cert-manager writes a CA.
    injected: Vec<String>,
}

/// Reads the project in a directory; problems are reported. What is `given` takes precedence over what the project says.
///
/// # Errors
/// If a file cannot be read.
pub(crate) fn read(
    directory: &Path,
    given: Takeover,
    found: &mut Diagnostics,
) -> Result<Project, String> {
    let mut sources = Vec::new();
    let path = directory.join(project::FILE);
    if !path.is_file() {
        return Err(format!(
            "`{}` has no project of kubebuilder: the file {} is missing",
            directory.display(),
            project::FILE
        ));
    }
    let source = manifests::read(&path)?;
    let id = SourceId(0);
    let mut file = ProjectFile::read(&source, id, found);
    sources.push(source);
    let modules = directory.join(go_mod::FILE);
    if modules.is_file() {
        file.kubernetes = go_mod::kubernetes(&manifests::read(&modules)?.text);
    }
    let manifests = Manifests::read(directory, &mut sources, found)?;
    if manifests.bases.is_empty() {
        let place = Place {
            source: Some(id),
            ..Place::default()
        };
        let message =
            "no file with a CustomResourceDefinition in a directory `crd/bases` below `config`";
        let diagnostic = found.report(Code::Project, place, message);
        diagnostic.hint("`make manifests` in the project writes them");
    }
    let mut files = Vec::new();
    for path in manifests::files(directory, &["go"])? {
        let relative = path.strip_prefix(directory).unwrap_or(&path);
        let relative = relative.to_string_lossy().replace('\\', "/");
        if relative.ends_with("_test.go") {
            continue;
        }
        let source = manifests::read(&path)?;
        let id = SourceId(sources.len());
        files.push(facts::read(&source, id, relative, found));
        sources.push(source);
    }
    let default = directory.canonicalize().ok();
    let default = default.as_deref().and_then(Path::file_name);
    let default = default.map(|name| name.to_string_lossy().into_owned());
    let plan = plan::Planner::new(file, manifests, files, default.unwrap_or_default(), given);
    Ok(plan.plan(sources, found))
}

impl Project {
    /// Returns the report for the crate: what was found, and what is left to do by hand. `controllers` are the modules of the
    /// crate by the name of a CRD or a kind of Kubernetes, `takeover` what the crate has in common with the installation.
    pub(crate) fn report(
        &self,
        name: &str,
        takeover: &Takeover,
        controllers: &BTreeMap<String, String>,
    ) -> File {
        report::report(self, name, takeover, controllers)
    }
}
