//! Derives a bundle for the Operator Lifecycle Manager (OLM) from manifests.
mod descriptors;
mod service_version;
pub(super) mod webhooks;

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::{MONITORING, Manifest, Tree, about::About, program::Program};
use crate::output::{
    render::{File, MARK},
    yaml,
};

/// Kinds that run Pods, which OLM does not install.
const OTHER_WORKLOADS: [&str; 6] = [
    "CronJob",
    "DaemonSet",
    "Job",
    "Pod",
    "ReplicaSet",
    "StatefulSet",
];

/// What the manifests do not say.
#[derive(Debug)]
pub(crate) struct Settings {
    pub(crate) about: About,
    /// In place of the image of the Deployment.
    pub(crate) image: Option<String>,
    /// The bundle that this one replaces: `NAME.vVERSION`.
    pub(crate) replaces: Option<String>,
    /// The versions that may be updated to this one at once.
    pub(crate) skip_range: Option<String>,
    /// The channels, the default one first.
    pub(crate) channels: Vec<String>,
    pub(crate) provider: Option<String>,
    /// The media type and the data in base64.
    pub(crate) icon: Option<(String, String)>,
    /// Objects to show as examples.
    pub(crate) samples: Vec<Value>,
    /// The oldest version of Kubernetes.
    pub(crate) minimum: String,
}

/// The kinds that OLM installs from a bundle, with their groups.
const PLAIN: [(&str, &str); 13] = [
    ("", "ConfigMap"),
    ("", "Secret"),
    ("", "Service"),
    ("", "ServiceAccount"),
    ("apiextensions.k8s.io", "CustomResourceDefinition"),
    (MONITORING, "PrometheusRule"),
    (MONITORING, "ServiceMonitor"),
    ("policy", "PodDisruptionBudget"),
    ("rbac.authorization.k8s.io", "ClusterRole"),
    ("rbac.authorization.k8s.io", "ClusterRoleBinding"),
    ("rbac.authorization.k8s.io", "Role"),
    ("rbac.authorization.k8s.io", "RoleBinding"),
    ("scheduling.k8s.io", "PriorityClass"),
];

/// A bundle for OLM.
#[derive(Debug)]
pub(crate) struct Bundle {
    pub(crate) files: Vec<File>,
    /// Says of each object that OLM does not install that the bundle does not contain it.
    pub(crate) warnings: Vec<String>,
}

/// How OLM gets an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// As a file of the bundle.
    Plain,
    /// By the `ClusterServiceVersion`, or OLM makes its own.
    Described,
    /// Not at all: the kustomization does not list its file.
    Unlisted,
    /// Not at all: OLM does not install its kind.
    Unsupported,
}

/// Returns the bundle.
///
/// # Errors
/// If the tree has no Deployment, or OLM cannot install a workload.
pub(crate) fn bundle(tree: &Tree, settings: &Settings) -> Result<Bundle, String> {
    let package = settings.about.name.as_str();
    let program = Program::of(tree, package, settings.image.as_deref())?;
    let deployment = program.deployment;
    let name = deployment.name();
    if let Some(other) = tree
        .manifests
        .iter()
        .find(|it| OTHER_WORKLOADS.contains(&it.kind()) && tree.lists(it))
    {
        let (kind, name) = (other.kind(), other.name().escape_debug());
        return Err(format!(
            "OLM installs Deployments only, not the {kind} `{name}`; leave it out of the manifests, or make it a Deployment"
        ));
    }
    let others = tree.of("Deployment").filter(|it| tree.lists(it));
    let others = others.filter(|it| !std::ptr::eq(*it, deployment));
    let deployments: Vec<&Manifest> = [deployment].into_iter().chain(others).collect();
    let version = service_version::service_version(tree, &program, &deployments, settings)?;
    let mut files = vec![file(
        format!("manifests/{name}.clusterserviceversion.yaml"),
        &version,
    )];
    let mut warnings = Vec::new();
    for manifest in &tree.manifests {
        match form(tree, manifest, &deployments) {
            Form::Plain => {}
            Form::Described | Form::Unlisted => continue,
            Form::Unsupported => {
                warnings.push(format!(
                    "the bundle does not contain the {} `{}`: OLM does not install this kind",
                    manifest.kind().escape_debug(),
                    manifest.name().escape_debug()
                ));
                continue;
            }
        }
        let mut object = manifest.value.clone();
        if let Some(metadata) = object["metadata"].as_object_mut() {
            // OLM chooses the namespace.
            metadata.remove("namespace");
        }
        let path = match manifest.kind() {
            "CustomResourceDefinition" => format!("manifests/{}.yaml", manifest.name()),
            // A colon is valid in the name of a role, not in the name of a file everywhere.
            kind => format!(
                "manifests/{}-{}.yaml",
                manifest.name().replace(':', "-"),
                kind.to_lowercase()
            ),
        };
        files.push(file(path, &object));
    }
    let labels = labels(name, settings);
    files.push(file(
        "metadata/annotations.yaml".to_owned(),
        &json!({"annotations": labels}),
    ));
    files.push(File {
        path: "bundle.Dockerfile".to_owned(),
        text: dockerfile(&labels).into(),
    });
    Ok(Bundle { files, warnings })
}

fn file(path: String, object: &Value) -> File {
    let text = format!("# {MARK}\n{}", yaml::document(object)).into();
    File { path, text }
}

/// Returns how OLM gets an object.
fn form(tree: &Tree, manifest: &Manifest, deployments: &[&Manifest]) -> Form {
    if !tree.lists(manifest) {
        return Form::Unlisted;
    }
    let mut deployments = deployments.iter();
    let is_described = match manifest.kind() {
        "Deployment"
        | "Namespace"
        | "MutatingWebhookConfiguration"
        | "ValidatingWebhookConfiguration" => true,
        "Service" => webhooks::is_service(tree, manifest),
        "ClusterRole" | "Role" => {
            deployments.any(|it| service_version::is_granted(tree, manifest, it))
        }
        "ClusterRoleBinding" | "RoleBinding" => {
            deployments.any(|it| service_version::binds_account(tree, manifest, it))
        }
        // OLM makes the accounts that the `ClusterServiceVersion` gives permissions.
        "ServiceAccount" => deployments
            .any(|it| it.account() == manifest.name() && service_version::has_rules(tree, it)),
        _ => false,
    };
    if is_described {
        Form::Described
    } else if PLAIN.contains(&(manifest.group(), manifest.kind())) {
        Form::Plain
    } else {
        Form::Unsupported
    }
}

/// Returns the labels of the image, which are the annotations of the bundle.
fn labels(name: &str, settings: &Settings) -> Value {
    let default = settings
        .channels
        .first()
        .map_or("candidate", String::as_str);
    json!({
        "operators.operatorframework.io.bundle.mediatype.v1": "registry+v1",
        "operators.operatorframework.io.bundle.manifests.v1": "manifests/",
        "operators.operatorframework.io.bundle.metadata.v1": "metadata/",
        "operators.operatorframework.io.bundle.package.v1": name,
        "operators.operatorframework.io.bundle.channels.v1": settings.channels.join(","),
        "operators.operatorframework.io.bundle.channel.default.v1": default,
    })
}

fn dockerfile(labels: &Value) -> String {
    let mut text = format!("# {MARK}\nFROM scratch\n\n");
    for (name, value) in labels.as_object().into_iter().flatten() {
        _ = writeln!(text, "LABEL {name}={value}");
    }
    text + "\nCOPY manifests /manifests/\nCOPY metadata /metadata/\n"
}
