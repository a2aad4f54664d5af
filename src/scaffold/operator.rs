//! Renders the crate of an operator: all its files except the generated modules.
use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

use minijinja::Value;

use super::{
    CoreKind, Package, no_kind,
    templates::{self, Origin, Templates},
    yaml,
};
use crate::{
    ir::{Kind, Model, Module, Scope},
    options::Kubernetes,
    render::File,
};

/// The directory of the generated modules in the crate.
pub(crate) const GENERATED: &str = "src/generated";

/// The file with the CRDs in the crate.
pub(crate) const DEFINITIONS: &str = "deploy/crd.yaml";

/// The manifest of the crate.
pub(crate) const MANIFEST: &str = "Cargo.toml";

/// The options of `kube-codegen generate` in the crate.
const CONFIG: &str = "kube-codegen.toml";

/// The program of the crate.
pub(crate) const PROGRAM: &str = "src/main.rs";

/// An operator to create.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Operator<'a> {
    /// The package, with the kinds of CRDs.
    pub(crate) package: Package<'a>,
    /// The kinds of Kubernetes itself.
    pub(crate) watched: &'a BTreeSet<&'static CoreKind>,
    /// Further lines of its `kube-codegen.toml`.
    pub(crate) options: &'a str,
}

impl Operator<'_> {
    /// Renders the files of the crate. A template in the directory `overrides` replaces the built-in one of the same name.
    ///
    /// # Errors
    /// If `kinds` is empty, or a template is invalid.
    pub(crate) fn files(&self, overrides: Option<&Path>) -> Result<Vec<File>, String> {
        let kinds = controlled_kinds(self.package.model, self.watched);
        if kinds.is_empty() {
            return Err(no_kind());
        }
        let mut variables = self.variables(&kinds);
        let templates = Templates::new(templates::OPERATOR, overrides)?;
        let mut files = Vec::new();
        if self.has_crds() {
            files.push(File {
                path: DEFINITIONS.to_owned(),
                text: definitions(self.package.model).into(),
            });
        }
        for template in templates::OPERATOR {
            match template.origin() {
                None if template.path == CONFIG && !self.has_crds() => {}
                None => {
                    let path = template.path.to_owned();
                    files.push(templates.render(template, path, &variables)?);
                }
                Some(origin) => {
                    for (controller, kind) in kinds.iter().filter(|(_, kind)| kind.origin == origin)
                    {
                        variables.insert("kind", kind.variables.clone());
                        let path = template.path.replace(origin.placeholder(), controller);
                        files.push(templates.render(template, path, &variables)?);
                    }
                }
            }
        }
        Ok(files)
    }

    fn has_crds(&self) -> bool {
        !self.package.model.kinds.is_empty()
    }

    /// Returns the template variables of all files; docs/templates.md describes them.
    fn variables(&self, kinds: &BTreeMap<String, Controlled>) -> BTreeMap<&'static str, Value> {
        let mut variables = self.package.variables();
        let is_newer = self.package.kubernetes > Kubernetes::default();
        let options = Value::from_safe_string(self.options.to_owned());
        variables.insert("newer_kubernetes", Value::from(is_newer));
        variables.insert("options", options);
        variables.insert("several", Value::from(kinds.len() > 1));
        let crds = kinds.values().filter(|kind| kind.origin == Origin::Crd);
        let crds = crds.count();
        variables.insert("crds", Value::from(crds > 0));
        variables.insert("several_crds", Value::from(crds > 1));
        let kinds = kinds.values().map(|kind| kind.variables.clone());
        variables.insert("kinds", kinds.collect());
        variables
    }
}

/// A kind with a controller.
#[derive(Debug)]
struct Controlled {
    origin: Origin,
    variables: Value,
}

/// Returns the kinds by the module of their controllers: one version of each kind of a CRD, and the watched ones. The version is
/// the storage version, or else the first served one.
fn controlled_kinds(model: &Model, watched: &BTreeSet<&CoreKind>) -> BTreeMap<String, Controlled> {
    let mut chosen: Vec<(&Module, &Kind)> = Vec::new();
    for module in &model.modules {
        for kind in model.kinds_of(module) {
            let other = chosen
                .iter_mut()
                .find(|(_, other)| other.group == kind.group && other.plural == kind.plural);
            match other {
                Some(other) if kind.storage => *other = (module, kind),
                Some(_) => {}
                None => chosen.push((module, kind)),
            }
        }
    }
    let names = chosen.iter().map(|(module, kind)| {
        let (group, kind) = (module.names(), kind.names());
        let group = group.method.plain().to_owned();
        (group, kind.method.plain().to_owned())
    });
    let core_names = watched.iter();
    let core_names = core_names.map(|kind| (kind.group_ident(), kind.plural.to_owned()));
    let controllers = controllers(&names.chain(core_names).collect::<Vec<_>>());
    let mut kinds = BTreeMap::new();
    let (of_crds, of_watched) = controllers.split_at(chosen.len());
    for (controller, (module, kind)) in of_crds.iter().zip(chosen) {
        let variables = kind_variables(model, module, kind, controller);
        let origin = Origin::Crd;
        kinds.insert(controller.clone(), Controlled { origin, variables });
    }
    for (controller, kind) in of_watched.iter().zip(watched) {
        let variables = core_kind_variables(kind, controller);
        let origin = Origin::Kubernetes;
        kinds.insert(controller.clone(), Controlled { origin, variables });
    }
    kinds
}

/// Returns the modules of the controllers of kinds, given by group and kind, with the group in their names only where that is
/// needed.
fn controllers(kinds: &[(String, String)]) -> Vec<String> {
    if kinds.len() == 1 {
        return vec!["controller".to_owned()];
    }
    let mut uses: BTreeMap<&str, usize> = BTreeMap::new();
    for (_, name) in kinds {
        *uses.entry(name).or_default() += 1;
    }
    kinds
        .iter()
        .map(|(group, name)| {
            if uses[name.as_str()] > 1 {
                format!("{group}_{name}_controller")
            } else {
                format!("{name}_controller")
            }
        })
        .collect()
}

fn kind_variables(model: &Model, module: &Module, kind: &Kind, controller: &str) -> Value {
    let root = &model.types[kind.root];
    let names = module.names();
    Value::from(BTreeMap::from([
        ("controller", Value::from(controller)),
        ("of_crd", Value::from(true)),
        ("rust_type", Value::from(root.name().as_str())),
        ("group_module", Value::from(names.group.as_str())),
        ("version_module", Value::from(names.version.as_str())),
        ("informers_method", Value::from(names.method.as_str())),
        ("method", Value::from(kind.names().method.as_str())),
        ("kind", Value::from(kind.kind.as_str())),
        ("group", Value::from(kind.group.as_str())),
        ("version", Value::from(kind.version.as_str())),
        ("plural", Value::from(kind.plural.as_str())),
        ("namespaced", Value::from(kind.scope == Scope::Namespaced)),
        ("status", Value::from(kind.status)),
    ]))
}

fn core_kind_variables(kind: &CoreKind, controller: &str) -> Value {
    let path = Value::from_safe_string(kind.rust_path());
    Value::from(BTreeMap::from([
        ("controller", Value::from(controller)),
        ("of_crd", Value::from(false)),
        ("rust_type", Value::from(kind.kind)),
        ("rust_path", path),
        ("kind", Value::from(kind.kind)),
        ("group", Value::from(kind.group)),
        ("version", Value::from(kind.version())),
        ("plural", Value::from(kind.plural)),
        ("namespaced", Value::from(kind.namespaced)),
    ]))
}

/// Returns the CRDs of all kinds, in the order of the model.
fn definitions(model: &Model) -> String {
    let mut seen = BTreeSet::new();
    let kinds = model.kinds.iter();
    let documents: Vec<String> = kinds
        .filter(|kind| seen.insert((&kind.group, &kind.plural)))
        .map(|kind| yaml::document(&kind.definition()))
        .collect();
    documents.join("---\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        options::Options,
        pipeline,
        scaffold::{Location, core_kind},
        source::Source,
    };

    #[test]
    fn every_template_and_variable_is_documented() {
        let docs = include_str!("../../docs/templates.md");
        let source = Source {
            name: "crdkind.yaml".to_owned(),
            path: None,
            text: include_str!("../../fixtures/crdkind.yaml").to_owned(),
        };
        let output = pipeline::run(&[source], &Options::default());
        let operator = Operator {
            package: Package {
                name: &"test-operator".parse().unwrap(),
                model: &output.model,
                kubernetes: Kubernetes::default(),
                location: &Location::of(Path::new("."), None).unwrap(),
            },
            watched: &BTreeSet::from([core_kind("v1/Pod").unwrap()]),
            options: "",
        };
        let kinds = controlled_kinds(&output.model, operator.watched);
        let mut all: Vec<String> = vec!["kind".to_owned()];
        let keys = |value: &Value| value.try_iter().unwrap().map(|key| key.to_string());
        for kind in kinds.values() {
            all.extend(keys(&kind.variables).map(|key| format!("kind.{key}")));
        }
        for (name, value) in operator.variables(&kinds) {
            match name {
                "versions" => all.extend(keys(&value).map(|key| format!("versions.{key}"))),
                _ => all.push(name.to_owned()),
            }
        }
        all.extend(templates::OPERATOR.iter().map(|it| it.name.to_owned()));
        assert!(all.len() > 30, "{all:?}");
        for name in all {
            assert!(
                docs.contains(&format!("`{name}`")),
                "docs/templates.md lacks {name}"
            );
        }
    }
}
