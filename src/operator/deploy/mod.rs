//! The manifests of an operator, for `kube-codegen deploy` and `rbac`: whether they fit together, their permissions, their Helm chart and their bundle for OLM.
mod about;
mod bundle;
mod chart;
mod check;
mod flags;
mod hub;
mod pods;
mod program;
mod resources;
pub(crate) mod rights;
mod rights_page;
pub(crate) mod role;

pub(crate) use about::About;
pub(crate) use bundle::{Settings as BundleSettings, bundle};
pub(crate) use chart::chart;
pub(crate) use check::check;
pub(crate) use rights_page::page as rights_page;

use std::{fs, path::Path};

use serde_json::Value;

use crate::{
    base::{
        diag::{Code, Diagnostics, Place, pointer},
        source::{Source, SourceId},
    },
    input::{
        list,
        yaml::{self, Lines},
    },
};

use super::{kustomization, scaffold::kind_in_group};

/// Objects for users to create, which are not part of the installation.
pub(crate) const SAMPLE: &str = "sample.yaml";

/// An object of a file.
#[derive(Debug)]
pub(crate) struct Manifest {
    /// Its file.
    pub(crate) source: SourceId,
    /// The number of its document in the file.
    pub(crate) document: usize,
    /// Where it is in the document, which may be a list.
    pub(crate) pointer: String,
    /// The object.
    pub(crate) value: Value,
}

/// The files of a directory.
#[derive(Debug, Default)]
pub(crate) struct Tree {
    /// The files, sorted by name; the name is the path.
    pub(crate) sources: Vec<Source>,
    /// All objects except the kustomization.
    pub(crate) manifests: Vec<Manifest>,
    /// The kustomization.
    pub(crate) kustomization: Option<Manifest>,
    /// The file of all objects, if those of the others do not count.
    pub(crate) only: Option<SourceId>,
}

impl Tree {
    /// Reads the YAML files of a directory, without those of directories in it and without samples.
    ///
    /// # Errors
    /// If the directory or a file cannot be read. Syntax errors are diagnostics.
    pub(crate) fn read(directory: &Path, diagnostics: &mut Diagnostics) -> Result<Self, String> {
        let cannot_read = |path: &Path, error| format!("cannot read `{}`: {error}", path.display());
        let entries = fs::read_dir(directory).map_err(|error| cannot_read(directory, error))?;
        let mut paths = Vec::new();
        for entry in entries {
            let path = entry.map_err(|error| cannot_read(directory, error))?.path();
            let is_known = is_yaml(&path) || kustomization::is_one(&path);
            if path.is_file() && is_known && !path.ends_with(SAMPLE) {
                paths.push(path);
            }
        }
        paths.sort();
        kustomization::of(directory)?;
        let mut tree = Self::default();
        for path in paths {
            let text = fs::read_to_string(&path).map_err(|error| cannot_read(&path, error))?;
            tree.add(Source::file(path, text), diagnostics);
        }
        tree.not_applied(directory, diagnostics);
        Ok(tree)
    }

    /// Warns about fields and resources that kustomize would apply and we do not.
    fn not_applied(&self, directory: &Path, diagnostics: &mut Diagnostics) {
        let Some(kustomization) = &self.kustomization else {
            return;
        };
        let hint = || {
            format!(
                "pass a directory with the output of `kubectl kustomize {}`",
                directory.display()
            )
        };
        let fields = kustomization.value.as_object();
        let fields = fields
            .into_iter()
            .flat_map(|it| kustomization::not_applied(it, &APPLIED));
        for field in fields {
            let mut pointer = String::new();
            pointer::push(&mut pointer, field);
            let place = Place {
                key: true,
                ..kustomization.at(pointer)
            };
            let message = kustomization::message("kube-codegen", [field].into_iter());
            diagnostics
                .report(Code::Kustomization, place, message)
                .hint(hint());
        }
        for (index, resource) in kustomization.list("/resources").iter().enumerate() {
            let name = beside(resource.as_str().unwrap_or_default());
            if name.contains('/') || !is_yaml(Path::new(name)) {
                let message = format!(
                    "`{}` is not a YAML file next to the kustomization, so its objects are not read",
                    name.escape_debug()
                );
                let place = kustomization.at(format!("/resources/{index}"));
                diagnostics
                    .report(Code::Kustomization, place, message)
                    .hint(hint());
            }
        }
    }

    fn add(&mut self, source: Source, diagnostics: &mut Diagnostics) {
        let id = SourceId(self.sources.len());
        let is_kustomization = source
            .path
            .as_ref()
            .is_some_and(|path| kustomization::is_one(path));
        let lines = Lines::new(&source.text);
        for document in yaml::read(&source, id, diagnostics) {
            let index = document.index;
            let manifest = |(pointer, value)| Manifest {
                source: id,
                document: index,
                pointer,
                value,
            };
            let value = document.root.into_value();
            let root = Place {
                source: Some(id),
                document: index,
                ..Place::default()
            };
            for spelling in document.spellings {
                spelling.report(&lines, &root, diagnostics);
            }
            if is_kustomization {
                self.kustomization = Some(manifest((String::new(), value)));
                continue;
            }
            for object in list::objects(value).into_iter().map(manifest) {
                // Other input of kustomize, such as a `Component`.
                if object
                    .text("/apiVersion")
                    .starts_with("kustomize.config.k8s.io/")
                {
                    continue;
                }
                if object.kind() == "List" {
                    diagnostics.report(
                        Code::WrongType,
                        object.at("/items"),
                        "`items` must be a list",
                    );
                    continue;
                }
                self.manifests.push(object);
            }
        }
        self.sources.push(source);
    }

    /// Reads the samples of a directory; there may be none.
    ///
    /// # Errors
    /// If they cannot be read. Syntax errors are diagnostics.
    pub(crate) fn samples(directory: &Path, diagnostics: &mut Diagnostics) -> Result<Self, String> {
        let path = directory.join(SAMPLE);
        let mut tree = Self::default();
        if path.is_file() {
            let text = fs::read_to_string(&path);
            let text =
                text.map_err(|error| format!("cannot read `{}`: {error}", path.display()))?;
            tree.add(Source::file(path, text), diagnostics);
        }
        Ok(tree)
    }

    /// Returns the name of the file of an object.
    fn file(&self, manifest: &Manifest) -> &str {
        let path = self.sources[manifest.source.0].path.as_deref();
        let name = path.and_then(Path::file_name);
        name.and_then(|it| it.to_str()).unwrap_or_default()
    }

    /// Returns whether the kustomization lists the file of an object.
    fn lists(&self, manifest: &Manifest) -> bool {
        let Some(kustomization) = &self.kustomization else {
            return true;
        };
        let file = self.file(manifest);
        let mut listed = kustomization
            .list("/resources")
            .iter()
            .filter_map(Value::as_str);
        listed.any(|it| beside(it) == file)
    }

    /// Returns the namespace of an object: its own, or else that of the kustomization; empty if it is chosen at installation.
    fn namespace<'a>(&'a self, manifest: &'a Manifest) -> &'a str {
        let kustomization = self.kustomization.as_ref();
        match manifest.text("/metadata/namespace") {
            "" => kustomization.map_or("", |it| it.text("/namespace")),
            own => own,
        }
    }

    /// Returns whether a binding refers to a role: a `Role` has to be in its namespace.
    fn binds(&self, binding: &Manifest, role: &Manifest) -> bool {
        binding.text("/roleRef/kind") == role.kind()
            && binding.text("/roleRef/name") == role.name()
            && (role.kind() == "ClusterRole" || self.namespace(binding) == self.namespace(role))
    }

    /// The plural of a kind: from a CRD of the tree, or else that of a kind of Kubernetes or of the Prometheus operator.
    fn plural(&self, group: &str, kind: &str) -> Option<&str> {
        let is_it = |crd: &&Manifest| {
            crd.text("/spec/group") == group && crd.text("/spec/names/kind") == kind
        };
        if let Some(crd) = self.of("CustomResourceDefinition").find(is_it) {
            return Some(crd.text("/spec/names/plural"));
        }
        let monitor = || {
            let mut all = MONITORS.iter();
            let (_, plural) = all.find(|it| (MONITORING, kind) == (group, it.0))?;
            Some(*plural)
        };
        kind_in_group(group, kind).map_or_else(monitor, |it| Some(it.plural))
    }

    /// Returns the objects of a kind.
    pub(crate) fn of<'a>(&'a self, kind: &'a str) -> impl Iterator<Item = &'a Manifest> {
        self.manifests.iter().filter(move |it| it.kind() == kind)
    }
}

impl Manifest {
    /// The API group; empty for the core group.
    fn group(&self) -> &str {
        let group = self.text("/apiVersion").split_once('/');
        group.map_or("", |(group, _)| group)
    }

    /// The name of the account under which the Pods of a Deployment run. The API server fills in `default`, or the deprecated field.
    fn account(&self) -> &str {
        let pod = "/spec/template/spec";
        let names = ["serviceAccountName", "serviceAccount"];
        let mut names = names
            .map(|it| self.text(&format!("{pod}/{it}")))
            .into_iter();
        names.find(|it| !it.is_empty()).unwrap_or("default")
    }

    /// Returns the kind.
    pub(crate) fn kind(&self) -> &str {
        self.text("/kind")
    }

    /// Returns the name.
    pub(crate) fn name(&self) -> &str {
        self.text("/metadata/name")
    }

    /// Returns a string in the object, empty if there is none.
    pub(crate) fn text(&self, pointer: &str) -> &str {
        self.value
            .pointer(pointer)
            .and_then(Value::as_str)
            .unwrap_or_default()
    }

    /// Returns a value in the object.
    pub(crate) fn get(&self, pointer: &str) -> &Value {
        self.value.pointer(pointer).unwrap_or(&Value::Null)
    }

    /// Returns a list in the object.
    pub(crate) fn list(&self, pointer: &str) -> &[Value] {
        self.get(pointer)
            .as_array()
            .map(Vec::as_slice)
            .unwrap_or_default()
    }

    /// Returns a location in the object.
    pub(crate) fn at(&self, pointer: impl Into<String>) -> Place {
        Place {
            source: Some(self.source),
            document: self.document,
            pointer: format!("{}{}", self.pointer, pointer.into()),
            ..Place::default()
        }
    }
}

/// Fields of a kustomization that are applied.
const APPLIED: [&str; 2] = ["resources", "namespace"];

/// The group of the Prometheus operator, whose CRDs are not part of the manifests.
const MONITORING: &str = "monitoring.coreos.com";

/// Its kinds that manifests of operators have, with their plurals.
const MONITORS: [(&str, &str); 3] = [
    ("PodMonitor", "podmonitors"),
    ("PrometheusRule", "prometheusrules"),
    ("ServiceMonitor", "servicemonitors"),
];

fn is_yaml(path: &Path) -> bool {
    path.extension()
        .is_some_and(|it| it == "yaml" || it == "yml")
}

/// A path in the directory of a kustomization, without `./`.
fn beside(path: &str) -> &str {
    path.strip_prefix("./").unwrap_or(path)
}
