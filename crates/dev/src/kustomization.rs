//! Reads the objects that a kustomization selects, like `kubectl apply -k`: from the files and directories that it names, moved into its
//! `namespace`.
//!
//! Manifests of operators need only this part of kustomize. Fields that would change objects in other ways have no effect, and `dev` names
//! them, so that nobody mistakes the result for kustomize's.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

pub(super) use kube_codegen::private::kustomization::{is_one, of};
use kube_codegen::private::{
    is_cluster_scoped,
    kustomization::{NAMES, message, not_applied},
};
use serde_json::{Map, Value};

/// Fields whose files and directories are read.
const SELECT: [&str; 3] = ["resources", "bases", "components"];

/// Other fields that are applied, or change only the images of Deployments, which do not run here.
const ALSO_APPLIED: [&str; 2] = ["namespace", "images"];

/// Objects with the file that each is from.
pub(super) type Objects = Vec<(PathBuf, Value)>;

/// Reads what kustomizations select.
pub(super) struct KustomizationReader<'a> {
    /// Reads the objects of a file.
    file: &'a dyn Fn(&Path) -> Result<Objects, String>,
    /// The fields of each kustomization that have no effect here.
    without_effect: BTreeMap<PathBuf, Vec<String>>,
    /// The directories that are being read.
    within: Vec<PathBuf>,
    /// The kustomizations and files that were read.
    paths: Vec<PathBuf>,
}

impl<'a> KustomizationReader<'a> {
    pub(super) fn new(file: &'a dyn Fn(&Path) -> Result<Objects, String>) -> Self {
        Self {
            file,
            without_effect: BTreeMap::new(),
            within: Vec::new(),
            paths: Vec::new(),
        }
    }

    /// Reads the objects that a kustomization selects.
    pub(super) fn read(&mut self, path: &Path) -> Result<Objects, String> {
        let shown = path.display();
        let directory = path.parent().unwrap_or(Path::new("."));
        let real = directory
            .canonicalize()
            .map_err(|error| format!("{shown}: {error}"))?;
        if self.within.contains(&real) {
            return Err(format!("{shown}: the kustomization selects itself"));
        }
        self.within.push(real);
        self.paths.push(path.to_owned());
        let text = fs::read_to_string(path).map_err(|error| format!("{shown}: {error}"))?;
        let fields: Map<String, Value> =
            serde_yaml::from_str(&text).map_err(|error| format!("{shown}: {error}"))?;
        let mut objects = Objects::new();
        for field in SELECT {
            let entries = match fields.get(field) {
                None | Some(Value::Null) => continue,
                Some(Value::Array(entries)) => entries,
                Some(_) => return Err(format!("{shown}: `{field}` is not a list")),
            };
            for entry in entries {
                let entry = entry
                    .as_str()
                    .ok_or_else(|| format!("{shown}: {entry} in `{field}` is not a path"))?;
                objects.extend(self.entry(path, directory, entry)?);
            }
        }
        match fields.get("namespace") {
            None | Some(Value::Null) => {}
            Some(Value::String(name)) if name.is_empty() => {}
            Some(Value::String(name)) => place(&mut objects, name),
            Some(_) => return Err(format!("{shown}: `namespace` is not a string")),
        }
        let applied = [&SELECT[..], &ALSO_APPLIED].concat();
        let others = not_applied(&fields, &applied).map(str::to_owned);
        let others: Vec<String> = others.collect();
        if !others.is_empty() {
            self.without_effect.insert(path.to_owned(), others);
        }
        self.within.pop();
        Ok(objects)
    }

    /// The kustomizations and files whose changes matter: all that were read, and one that could not be.
    pub(super) fn paths(self) -> Vec<PathBuf> {
        self.paths
    }

    /// Says which fields have no effect.
    pub(super) fn notes(&self) -> Vec<String> {
        let all = self.without_effect.iter().map(|(path, fields)| {
            let directory = path.parent().unwrap_or(Path::new("."));
            format!(
                "{}: {}; to apply the whole kustomization, run `kubectl apply --server-side -k {}` with this KUBECONFIG",
                path.display(),
                message("dev", fields.iter().map(String::as_str)),
                directory.display(),
            )
        });
        all.collect()
    }

    fn entry(&mut self, of: &Path, directory: &Path, entry: &str) -> Result<Objects, String> {
        let (shown, path) = (of.display(), directory.join(entry));
        if path.is_dir() {
            let found = self::of(&path).and_then(|it| {
                it.ok_or_else(|| {
                    let name = NAMES[0];
                    format!("{shown}: {entry} is a directory without {name}")
                })
            });
            if found.is_err() {
                self.paths.extend(NAMES.map(|name| path.join(name)));
            }
            return self.read(&found?);
        }
        self.paths.push(path.clone());
        if path.is_file() {
            return (self.file)(&path);
        }
        if entry.contains("://") || entry.starts_with("github.com/") || entry.contains("?ref=") {
            return Err(format!(
                "{shown}: {entry} is remote, and `dev` downloads nothing; save it as a local file"
            ));
        }
        Err(format!("{shown}: there is no file or directory {entry}"))
    }
}

fn text<'a>(value: &'a Value, pointer: &str) -> &'a str {
    let found = value.pointer(pointer).and_then(Value::as_str);
    found.unwrap_or_default()
}

const CRDS: &str = "apiextensions.k8s.io";
const CRD: &str = "CustomResourceDefinition";

/// The API group of an object; empty for the core group.
fn group(object: &Value) -> &str {
    let group = text(object, "/apiVersion").split_once('/');
    group.map_or("", |(group, _)| group)
}

fn is_crd(object: &Value) -> bool {
    (group(object), text(object, "/kind")) == (CRDS, CRD)
}

/// Moves objects into a namespace, with what refers to their accounts and Services, as kustomize's `namespace` does.
fn place(objects: &mut Objects, namespace: &str) {
    let all = |kind: &str| -> BTreeSet<(String, String)> {
        let found = objects.iter().filter(|(_, it)| text(it, "/kind") == kind);
        found
            .map(|(_, it)| {
                let name = text(it, "/metadata/name").to_owned();
                (text(it, "/metadata/namespace").to_owned(), name)
            })
            .collect()
    };
    let (accounts, services) = (all("ServiceAccount"), all("Service"));
    let customs: BTreeSet<(String, String)> = objects
        .iter()
        .filter(|(_, it)| is_crd(it) && text(it, "/spec/scope") == "Cluster")
        .map(|(_, it)| {
            let kind = text(it, "/spec/names/kind").to_owned();
            (text(it, "/spec/group").to_owned(), kind)
        })
        .collect();
    let refers = |reference: &Value, known: &BTreeSet<(String, String)>| {
        let [within, name] = ["/namespace", "/name"].map(|it| text(reference, it).to_owned());
        known.contains(&(within, name))
    };
    for (_, object) in objects {
        if !matches!(
            object.get("metadata"),
            None | Some(Value::Null | Value::Object(_))
        ) {
            // The server rejects it.
            continue;
        }
        let kind = text(object, "/kind").to_owned();
        let group = group(object).to_owned();
        let is_cluster_scoped =
            customs.contains(&(group.clone(), kind.clone())) || is_cluster_scoped(&group, &kind);
        if kind == "Namespace" {
            object["metadata"]["name"] = namespace.into();
        } else if !is_cluster_scoped {
            object["metadata"]["namespace"] = namespace.into();
        }
        if matches!(kind.as_str(), "RoleBinding" | "ClusterRoleBinding") {
            let subjects = object.get_mut("subjects").and_then(Value::as_array_mut);
            for subject in subjects.into_iter().flatten() {
                let is_account = text(subject, "/kind") == "ServiceAccount";
                if is_account && (text(subject, "/name") == "default" || refers(subject, &accounts))
                {
                    subject["namespace"] = namespace.into();
                }
            }
        }
        let hooks = object.get("webhooks").and_then(Value::as_array);
        let hooks = 0..hooks.map_or(0, Vec::len);
        let clients: Vec<String> = match (group.as_str(), kind.as_str()) {
            (CRDS, CRD) => vec!["/spec/conversion/webhook/clientConfig/service".to_owned()],
            ("apiregistration.k8s.io", "APIService") => vec!["/spec/service".to_owned()],
            (
                "admissionregistration.k8s.io",
                "MutatingWebhookConfiguration" | "ValidatingWebhookConfiguration",
            ) => hooks
                .map(|index| format!("/webhooks/{index}/clientConfig/service"))
                .collect(),
            _ => Vec::new(),
        };
        for pointer in clients {
            if let Some(service) = object.pointer_mut(&pointer)
                && service.is_object()
                && refers(service, &services)
            {
                service["namespace"] = namespace.into();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_namespace_reaches_what_refers_to_its_objects() {
        let service = |name: &str| json!({"name": name, "namespace": "system"});
        let own = |kind: &str, namespace: Value| json!({"apiVersion": "v1", "kind": kind, "metadata": {"name": "own", "namespace": namespace}});
        let all = [
            json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "system"}}),
            own("ServiceAccount", json!("system")),
            own("Service", json!("system")),
            own("ConfigMap", Value::Null),
            json!({"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRoleBinding", "metadata": {"name": "a"}, "subjects": [
                {"kind": "ServiceAccount", "name": "own", "namespace": "system"},
                {"kind": "ServiceAccount", "name": "default", "namespace": "x"},
                {"kind": "ServiceAccount", "name": "prometheus", "namespace": "monitoring"},
                {"kind": "User", "name": "own", "namespace": "system"},
            ]}),
            json!({"apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingWebhookConfiguration", "metadata": {"name": "a"}, "webhooks": [
                {"clientConfig": {"service": service("own")}}, {"clientConfig": {"service": service("other")}}, {"clientConfig": {"url": "x"}},
            ]}),
            json!({"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": "as.example.com"}, "spec": {
                "group": "example.com", "scope": "Cluster", "names": {"kind": "A"},
                "conversion": {"webhook": {"clientConfig": {"service": service("own")}}},
            }}),
            json!({"apiVersion": "example.com/v1", "kind": "A", "metadata": {"name": "a"}}),
            json!({"apiVersion": "other.com/v1", "kind": "A", "metadata": {"name": "a"}}),
            json!({"apiVersion": "example.com/v1", "kind": "Node", "metadata": {"name": "a"}}),
            json!({"kind": "Broken", "metadata": "x", "webhooks": 7}),
            json!({"apiVersion": "apiregistration.k8s.io/v1", "kind": "APIService", "metadata": {"name": "v1.a"}, "spec": {"service": service("own")}}),
            // These only look like references.
            json!({"apiVersion": "shop.example.com/v1", "kind": "Shop", "metadata": {"name": "a"}, "spec": {
                "group": "example.com", "scope": "Cluster", "names": {"kind": "B"}, "service": service("own"),
                "conversion": {"webhook": {"clientConfig": {"service": service("own")}}},
            }, "webhooks": [{"clientConfig": {"service": service("own")}}]}),
            json!({"apiVersion": "example.com/v1", "kind": "B", "metadata": {"name": "a"}}),
            json!({"apiVersion": "shop.example.com/v1", "kind": "APIService", "metadata": {"name": "a"}, "spec": {"service": service("own")}}),
        ];
        let mut objects: Objects = all.into_iter().map(|it| (PathBuf::new(), it)).collect();
        place(&mut objects, "new");
        let at = |index: usize, pointer: &str| {
            let value = objects[index].1.pointer(pointer);
            value.and_then(Value::as_str).unwrap_or_default().to_owned()
        };
        let namespaces: Vec<String> = (0..15).map(|it| at(it, "/metadata/namespace")).collect();
        assert_eq!(
            namespaces,
            [
                "", "new", "new", "new", "", "", "", "", "new", "new", "", "", "new", "new", "new"
            ]
        );
        assert_eq!(at(0, "/metadata/name"), "new");
        let subjects: Vec<String> = (0..4)
            .map(|it| at(4, &format!("/subjects/{it}/namespace")))
            .collect();
        assert_eq!(subjects, ["new", "new", "monitoring", "system"]);
        assert_eq!(at(5, "/webhooks/0/clientConfig/service/namespace"), "new");
        assert_eq!(
            at(5, "/webhooks/1/clientConfig/service/namespace"),
            "system"
        );
        assert_eq!(
            at(6, "/spec/conversion/webhook/clientConfig/service/namespace"),
            "new"
        );
        assert_eq!(at(11, "/spec/service/namespace"), "new");
        for pointer in [
            "/spec/service/namespace",
            "/spec/conversion/webhook/clientConfig/service/namespace",
            "/webhooks/0/clientConfig/service/namespace",
        ] {
            assert_eq!(at(12, pointer), "system", "{pointer}");
        }
        assert_eq!(at(14, "/spec/service/namespace"), "system");
    }
}
