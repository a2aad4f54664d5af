//! Reads the manifests below `config/`: CRDs, samples, webhooks, roles, and how kustomize names them.
use std::{
    fs,
    path::{Path, PathBuf},
};

use serde_json::Value;

use crate::{
    base::{
        diag::Diagnostics,
        source::{MAX_BYTES, Source, SourceId},
    },
    input::yaml,
};

/// The manifests of a project.
#[derive(Debug, Default)]
pub(super) struct Manifests {
    /// The files with CRDs, sorted.
    pub(super) bases: Vec<Source>,
    /// Files with samples, and their objects.
    pub(super) samples: Vec<(Source, Vec<Value>)>,
    /// What kustomize puts before all names.
    pub(super) prefix: String,
    pub(super) namespace: Option<String>,
    /// The webhook configurations.
    pub(super) webhooks: Vec<Value>,
    /// The names of CRDs that a patch gives a conversion webhook.
    pub(super) conversions: Vec<String>,
    /// The Deployments of the manager.
    pub(super) deployments: Vec<Value>,
    /// The roles of the manager and of users.
    pub(super) roles: Vec<Value>,
    /// The accounts of the manager.
    pub(super) accounts: Vec<Value>,
    /// What grants rights, to the manager and to others.
    pub(super) bindings: Vec<Value>,
    /// The name of the Lease in a configuration file of the manager.
    pub(super) lease: Option<String>,
    /// What kustomize installs beside CRDs, roles, the manager and the configurations of its webhooks.
    pub(super) installed: Vec<Value>,
    /// The directories that config/default/kustomization.yaml installs.
    pub(super) directories: Vec<String>,
    /// Whether cert-manager writes the CA into CRDs.
    pub(super) injects: bool,
    /// Labels that kustomize puts on all objects.
    pub(super) labels: Vec<String>,
}

impl Manifests {
    /// Reads the files; syntax errors are reported, except in CRDs, which the generator reads again.
    ///
    /// # Errors
    /// If a file cannot be read.
    pub(super) fn read(
        project: &Path,
        sources: &mut Vec<Source>,
        found: &mut Diagnostics,
    ) -> Result<Self, String> {
        let mut all = Self::default();
        for path in files(&project.join("config"), &["yaml", "yml"])? {
            let relative = path.strip_prefix(project).unwrap_or(&path);
            let parts: Vec<&str> = relative.iter().filter_map(|it| it.to_str()).collect();
            let Some(directory) = parts.len().checked_sub(2).and_then(|at| parts.get(at)) else {
                continue;
            };
            let source = read(&path)?;
            match *directory {
                "bases" => all.bases.push(source),
                "samples" => {
                    let objects = documents(&source, sources, found);
                    all.samples.push((source, objects));
                }
                "default" | "webhook" | "manager" | "rbac" | "patches" | "certmanager" => {
                    for object in documents(&source, sources, found) {
                        all.add(directory, object);
                    }
                    all.injects |=
                        matches!(*directory, "default" | "patches") && injects(&source.text);
                }
                _ => {}
            }
        }
        Ok(all)
    }

    fn add(&mut self, directory: &str, object: Value) {
        let text = |pointer: &str| {
            let value = object.pointer(pointer).and_then(Value::as_str);
            value.unwrap_or_default().to_owned()
        };
        match (directory, text("/kind").as_str()) {
            ("webhook", "MutatingWebhookConfiguration" | "ValidatingWebhookConfiguration") => {
                self.webhooks.push(object);
            }
            ("default" | "webhook", "Service") | ("certmanager", "Certificate" | "Issuer") => {
                self.installed.push(object);
            }
            ("manager", "Deployment") => self.deployments.push(object),
            ("rbac", "ClusterRole" | "Role") => self.roles.push(object),
            ("rbac", "ServiceAccount") => self.accounts.push(object),
            ("rbac", "ClusterRoleBinding" | "RoleBinding") => self.bindings.push(object),
            ("manager", _) if !text("/leaderElection/resourceName").is_empty() => {
                self.lease = Some(text("/leaderElection/resourceName"));
            }
            ("patches", "CustomResourceDefinition")
                if text("/spec/conversion/strategy") == "Webhook" =>
            {
                self.conversions.push(text("/metadata/name"));
            }
            // A kustomization needs no kind.
            ("default", "" | "Kustomization") => {
                if let Some(namespace) = object["namespace"].as_str() {
                    self.namespace = Some(namespace.to_owned());
                }
                if let Some(prefix) = object["namePrefix"].as_str() {
                    prefix.clone_into(&mut self.prefix);
                }
                // Old projects have them in `bases`.
                for field in ["bases", "resources"] {
                    let directories = object[field].as_array().into_iter().flatten();
                    let directories = directories.filter_map(Value::as_str);
                    self.directories.extend(directories.map(str::to_owned));
                }
                let name = object.pointer("/commonLabels/app.kubernetes.io~1name");
                self.labels
                    .extend(name.and_then(Value::as_str).map(str::to_owned));
            }
            _ => {}
        }
    }
}

fn injects(text: &str) -> bool {
    text.lines()
        .any(|line| !line.trim_start().starts_with('#') && line.contains("inject-ca-from"))
        && text.contains("CustomResourceDefinition")
}

/// Reads all documents of a file, which the list of sources then has if something is wrong with it.
fn documents(source: &Source, sources: &mut Vec<Source>, found: &mut Diagnostics) -> Vec<Value> {
    let mut problems = Diagnostics::new();
    let documents = yaml::read(source, SourceId(sources.len()), &mut problems);
    if problems.iter().len() > 0 {
        sources.push(source.clone());
        found.append(problems);
    }
    documents
        .into_iter()
        .map(|document| document.root.into_value())
        .collect()
}

/// Reads a file.
pub(super) fn read(path: &Path) -> Result<Source, String> {
    let cannot = |error: String| format!("cannot read `{}`: {error}", path.display());
    let length = fs::metadata(path)
        .map_err(|error| cannot(error.to_string()))?
        .len();
    if length > MAX_BYTES {
        return Err(cannot("it is too large".to_owned()));
    }
    let text = fs::read(path).map_err(|error| cannot(error.to_string()))?;
    let text = String::from_utf8(text).map_err(|_| cannot("it is not UTF-8".to_owned()))?;
    Ok(Source::file(path, text.trim_start_matches('\u{feff}')))
}

/// Directories without code of the operator.
const SKIPPED: [&str; 8] = [
    "vendor",
    "test",
    "tests",
    "hack",
    "testdata",
    "node_modules",
    "bin",
    "third_party",
];

/// Returns the files with these extensions below a directory, sorted; none if it does not exist. Links to directories are not followed.
pub(super) fn files(directory: &Path, extensions: &[&str]) -> Result<Vec<PathBuf>, String> {
    let mut found = Vec::new();
    let mut pending = vec![directory.to_owned()];
    while let Some(directory) = pending.pop() {
        if !directory.is_dir() {
            continue;
        }
        let cannot = |error| format!("cannot read `{}`: {error}", directory.display());
        for entry in fs::read_dir(&directory).map_err(cannot)? {
            let entry = entry.map_err(cannot)?;
            let name = entry.file_name();
            let name = name.to_string_lossy();
            let kind = entry.file_type().map_err(cannot)?;
            let path = entry.path();
            if kind.is_dir() {
                if !name.starts_with('.') && !SKIPPED.contains(&&*name) {
                    pending.push(path);
                }
            } else if path
                .extension()
                .is_some_and(|it| extensions.iter().any(|extension| it == *extension))
            {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}
