//! Decides what the new operator has in common with the one that it takes over.

mod names;
mod obsolete;

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value as Json;

use super::{
    Findings, Project, SAMPLES,
    facts::{Builder, GoFile},
    go_mod,
    kinds::{Crd, Kinds, Target, crds},
    manifests::Manifests,
    project::ProjectFile,
};
use crate::{
    base::{
        diag::{Code, Diagnostics},
        source::Source,
    },
    operator::scaffold::{Takeover, WebhookType},
    output::render::File,
};
use names::value_in;

/// The field manager of what a kubebuilder project writes by `Update`: the name of its program.
const GO_MANAGER: &str = "manager";

/// The name of the role that controller-gen writes from markers.
const MANAGER_ROLE: &str = "manager-role";

/// What was read.
pub(super) struct Planner {
    file: ProjectFile,
    manifests: Manifests,
    files: Vec<GoFile>,
    kinds: Kinds,
    directory: String,
    watch: BTreeSet<String>,
    owns: BTreeMap<String, BTreeSet<String>>,
    takeover: Takeover,
    findings: Findings,
}

impl Planner {
    /// `directory` is the name of the project's directory.
    pub(super) fn new(
        file: ProjectFile,
        manifests: Manifests,
        files: Vec<GoFile>,
        directory: String,
        given: Takeover,
    ) -> Self {
        let groups = files
            .iter()
            .filter_map(|file| Some((file.directory().to_owned(), file.group.clone()?)));
        let kinds = Kinds {
            crds: crds(&manifests.bases),
            repo: file.repo.clone(),
            groups: groups.collect(),
        };
        Self {
            file,
            manifests,
            files,
            kinds,
            directory,
            watch: BTreeSet::new(),
            owns: BTreeMap::new(),
            takeover: Takeover {
                former_managers: vec![GO_MANAGER.to_owned()],
                ..given
            },
            findings: Findings::default(),
        }
    }

    /// Decides. What cannot be translated is in the report; what an installation depends on is also a diagnostic.
    pub(super) fn plan(mut self, sources: Vec<Source>, found: &mut Diagnostics) -> Project {
        self.resources(found);
        let files = std::mem::take(&mut self.files);
        let builders = files
            .iter()
            .flat_map(|file| file.controllers.iter().map(move |builder| (file, builder)));
        let mut builders: Vec<_> = builders
            .map(|(file, builder)| {
                let named = builder.named.as_ref();
                let named = named.and_then(|it| value_in(file, &files, it));
                let kind = builder.of.as_ref().map(|of| of.name.to_lowercase());
                (
                    file,
                    builder,
                    named.filter(|name| Some(name) != kind.as_ref()),
                )
            })
            .collect();
        // Of several controllers of a kind, the crate has the one with the usual name.
        builders.sort_by_key(|(_, builder, named)| {
            let kind = builder.of.as_ref().map(|of| of.name.to_lowercase());
            let (name, kind) = (named.as_deref(), kind.unwrap_or_default());
            (
                name.is_some(),
                !name.is_some_and(|name| name.ends_with(&kind)),
            )
        });
        for (file, builder, named) in builders {
            self.controller(file, builder, named);
        }
        self.names(&files, found);
        self.environment();
        for file in &files {
            self.finalizer(file, &files);
            self.metrics(file);
        }
        let kubernetes = self.file.kubernetes.take().map(|(module, version)| {
            self.note("Kubernetes of the types", &module, go_mod::FILE);
            version
        });
        let webhooks = self.webhooks(&files);
        self.rights(&files);
        self.obsolete();
        let name = self.file.name.clone().unwrap_or(self.directory);
        let roles = self.manifests.roles.iter();
        let mut roles = roles.filter(|it| it["metadata"]["name"] == MANAGER_ROLE);
        let is_role = |role: &Json| role["kind"] == "Role";
        let is_namespaced = roles.next().is_some_and(is_role)
            && roles.all(is_role)
            && self.kinds.crds.iter().all(|crd| crd.is_namespaced);
        let samples = samples(&self.manifests.samples, &self.kinds.crds);
        let mut labels: BTreeSet<String> = self.manifests.labels.into_iter().collect();
        let of_pods = self.manifests.deployments.iter();
        let of_pods = of_pods.filter_map(|it| it.pointer(POD_LABEL)?.as_str());
        labels.extend(of_pods.map(str::to_owned));
        self.findings.crds = self.kinds.crds;
        self.findings.files = files;
        Project {
            sources,
            name: format!("{name}-rs"),
            samples,
            bases: self.manifests.bases,
            watch: self.watch,
            owns: self.owns,
            webhooks,
            is_namespaced,
            kubernetes,
            takeover: self.takeover,
            labels,
            findings: self.findings,
        }
    }

    /// Looks for the CRDs of the project file.
    fn resources(&mut self, found: &mut Diagnostics) {
        for resource in self.file.resources.iter().filter(|it| it.has_api) {
            let is_of = |crd: &&Crd| crd.group == resource.group && crd.kind == resource.kind;
            let crd = self.kinds.crds.iter().find(is_of);
            if crd.is_some_and(|crd| crd.versions.contains(&resource.version)) {
                continue;
            }
            let (kind, group) = (&resource.kind, &resource.group);
            let message = match crd {
                None => {
                    format!("no CustomResourceDefinition has the kind {kind} of the group {group}")
                }
                Some(crd) => format!(
                    "the CustomResourceDefinition {} has no version {}",
                    crd.name, resource.version
                ),
            };
            let diagnostic = found.report(Code::NotTranslated, resource.at.clone(), message);
            diagnostic.hint("`make manifests` in the project writes those of its types; the type of a configuration file has none");
        }
    }

    fn by_hand(&mut self, file: &GoFile, line: usize, what: String) {
        self.findings
            .by_hand
            .push((format!("{}:{line}", file.path), what));
    }

    fn controller(&mut self, file: &GoFile, builder: &Builder, named: Option<String>) {
        let line = builder.at.line;
        let Some(of) = &builder.of else {
            let what = "a controller without `For`: feed it by `Controller::enqueue_from`";
            return self.by_hand(file, line, what.to_owned());
        };
        let target = self.kinds.find(file, of);
        let id = target.id();
        let is_known = self
            .findings
            .controllers
            .values()
            .flatten()
            .any(|it| *it == id);
        let all = self.findings.controllers.entry(file.path.clone());
        all.or_default().push(id.clone());
        if is_known {
            let name = named.unwrap_or_default();
            let what = format!(
                "a second controller of {}: add one by `manager.reconcile()` and `.named({name:?})` to `register`",
                of.name
            );
            return self.by_hand(file, line, what);
        }
        match &target {
            Target::Other(name) => {
                let what = format!(
                    "a controller of `{name}`: `kube-codegen add -f CRD.yaml` adds one, with the CRD of that project"
                );
                return self.by_hand(file, line, what);
            }
            Target::Core(kind) => drop(self.watch.insert(kind.name())),
            Target::Crd(_) => {}
        }
        if let Some(name) = named {
            self.takeover.metrics_names.insert(id.clone(), name);
        }
        let mut seen = BTreeSet::from([of.name.clone()]);
        for kind in &builder.owns {
            let child = self.kinds.find(file, kind);
            let is_possible = !matches!(child, Target::Other(_))
                && matches!(target, Target::Crd(_))
                && seen.insert(kind.name.clone());
            if is_possible {
                let owned = self.owns.entry(id.clone()).or_default();
                owned.insert(child.id());
            } else if self
                .owns
                .get(&id)
                .is_none_or(|all| !all.contains(&child.id()))
            {
                let what = format!(
                    "`Owns` of `{}`: add `.owns(&informer)` in `register`",
                    child.id()
                );
                self.by_hand(file, kind.at.line, what);
            }
        }
        for (method, at) in &builder.settings {
            let what = match method.as_str() {
                "WithOptions" => "its settings are methods of `Controller`",
                _ => "add `.filter(…)` in `register`, or use `owns_if` or `watches_if` there",
            };
            self.by_hand(
                file,
                at.line,
                format!("`{method}`: {what} (docs/manager.md)"),
            );
        }
        for kind in &builder.watches {
            let id = self.kinds.find(file, kind).id();
            let what = format!(
                "`Watches` of `{id}`: add `.watches(&informer, …)` in `register`, with what its handler maps to"
            );
            self.by_hand(file, kind.at.line, what);
        }
    }

    fn metrics(&mut self, file: &GoFile) {
        for name in &file.metrics {
            let what = format!("metric `{name}`: register it with `manager.metrics()`");
            self.by_hand(file, 1, what);
        }
    }

    /// Finds the webhooks of each kind.
    fn webhooks(&mut self, files: &[GoFile]) -> BTreeSet<WebhookType> {
        let mut by_crd: BTreeMap<String, BTreeSet<WebhookType>> = BTreeMap::new();
        for (is_mutating, webhook) in super::webhooks::all(&self.manifests, files) {
            let crd = self.kinds.crds.iter().find(|crd| {
                webhook.groups.contains(&crd.group) && webhook.resources.contains(&crd.plural)
            });
            let kind = if is_mutating {
                WebhookType::Defaulting
            } else {
                WebhookType::Validating
            };
            if let Some(crd) = crd {
                by_crd.entry(crd.name.clone()).or_default().insert(kind);
            } else {
                let method = if is_mutating {
                    "defaulting"
                } else {
                    "validating"
                };
                let resources = webhook.resources.join(", ");
                let what = format!(
                    "{method} webhook of `{resources}`: add `.{method}(…)` to `webhooks()` in src/lib.rs"
                );
                self.findings.by_hand.push((webhook.place.clone(), what));
            }
            for setting in &webhook.settings {
                let what = format!(
                    "webhook `{}` has {setting}: pass a `Webhook` with it to `.webhook(…)`",
                    webhook.name
                );
                self.findings.by_hand.push((webhook.place.clone(), what));
            }
        }
        for crd in self.kinds.crds.iter().filter(|crd| crd.versions.len() > 1) {
            let resources = self.file.resources.iter().filter(|it| it.converts);
            let in_file = resources
                .clone()
                .any(|it| it.group == crd.group && it.kind == crd.kind);
            if in_file || crd.converts || self.manifests.conversions.contains(&crd.name) {
                let types = by_crd.entry(crd.name.clone()).or_default();
                types.insert(WebhookType::Conversion);
                if self.manifests.injects {
                    self.findings.injected.push(crd.name.clone());
                }
            }
        }
        for file in files {
            let ids = file
                .webhooks
                .iter()
                .map(|kind| self.kinds.find(file, kind).id());
            let ids: Vec<String> = ids.collect();
            if !ids.is_empty() {
                self.findings.webhooks.insert(file.path.clone(), ids);
            }
        }
        let all = by_crd.values().flatten().copied().collect();
        if !by_crd.is_empty() {
            self.takeover.webhooks = Some(by_crd);
        }
        all
    }

    /// Collects the rights on kinds that the new operator does not watch already.
    fn rights(&mut self, files: &[GoFile]) {
        let markers = files.iter().flat_map(|file| &file.markers);
        for marker in markers.filter(|marker| !marker.is_webhook) {
            for resource in marker.list("resources") {
                for group in marker.list("groups") {
                    let crds = &self.kinds.crds;
                    if crds.iter().any(|crd| crd.group == *group) || resource == "events" {
                        continue;
                    }
                    let group = if group == "core" { "" } else { group };
                    let separator = if group.is_empty() { "" } else { "." };
                    let name = format!("{resource}{separator}{group}");
                    let verbs = self.findings.rights.entry(name).or_default();
                    verbs.extend(marker.list("verbs").iter().cloned());
                }
            }
        }
    }
}

/// Returns the files with objects of the CRDs.
fn samples(all: &[(Source, Vec<Json>)], crds: &[Crd]) -> Vec<File> {
    let is_of_crd = |object: &Json| {
        let version = object["apiVersion"].as_str().unwrap_or_default();
        let group = version.split('/').next().unwrap_or_default();
        let mut crds = crds.iter();
        crds.any(|crd| crd.group == group && object["kind"] == crd.kind)
    };
    let of_crds = all
        .iter()
        .filter(|(_, objects)| objects.iter().any(is_of_crd));
    let files = of_crds.filter_map(|(source, _)| {
        let name = source.path.as_ref()?.file_name()?.to_string_lossy();
        Some(File {
            path: format!("{SAMPLES}/{name}"),
            text: source.text.clone().into(),
        })
    });
    files.collect()
}

/// The label of the Pods of a Deployment that the new operator selects its own by.
const POD_LABEL: &str = "/spec/template/metadata/labels/app.kubernetes.io~1name";

/// The labels of the Pods of a Deployment.
const POD_LABELS: &str = "/spec/template/metadata/labels";
