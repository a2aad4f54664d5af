//! Renders the crate of an operator: all its files except the generated modules.
use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

use kube_codegen_schema::Extent;
use minijinja::Value;

use super::{
    CoreKind, DeployScope, Package, Parameters, core_kind, no_kind, sample,
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
pub(crate) const CONFIG: &str = "kube-codegen.toml";

/// The program of the crate.
pub(crate) const PROGRAM: &str = "src/main.rs";

/// The roles of users of the kinds of CRDs.
const ROLES: &str = "deploy/roles.yaml";

/// A sample of each kind of a CRD.
pub(crate) const SAMPLE: &str = "deploy/sample.yaml";

/// An operator to create or to update.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Operator<'a> {
    /// What it is made from.
    pub(crate) parameters: &'a Parameters,
    /// The kinds of CRDs.
    pub(crate) model: &'a Model,
}

/// The rendered files of an operator.
#[derive(Debug)]
pub(crate) struct Rendered {
    /// All files except the CRDs and the generated modules.
    pub(crate) files: Vec<File>,
    /// The parameters, with the modules of all controllers.
    pub(crate) parameters: Parameters,
}

impl Operator<'_> {
    /// Renders the files. A template in the directory `overrides` replaces the built-in one of the same name.
    ///
    /// # Errors
    /// If there is no kind, the kinds do not fit together, or a template is invalid.
    pub(crate) fn render(&self, overrides: Option<&Path>) -> Result<Rendered, String> {
        let name = self.parameters.name.parse()?;
        let package = Package {
            name: &name,
            model: self.model,
            kubernetes: self.parameters.kubernetes()?,
            location: &self.parameters.location,
        };
        let kinds = controlled_kinds(self.model, self.parameters)?;
        if kinds.is_empty() {
            return Err(no_kind());
        }
        check_scope(self.parameters.scope, &kinds)?;
        let mut variables = self.variables(&package, &kinds);
        let templates = Templates::new(templates::OPERATOR, overrides)?;
        let mut files = Vec::new();
        for template in templates::OPERATOR {
            match template.origin() {
                None if [CONFIG, ROLES].contains(&template.path) && !self.has_crds() => {}
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
        if self.has_crds() {
            let path = SAMPLE.to_owned();
            let text = samples(self.model)?.into();
            files.push(File { path, text });
        }
        let mut parameters = self.parameters.clone();
        parameters.controllers = kinds
            .into_iter()
            .map(|(controller, kind)| (kind.id, controller))
            .collect();
        Ok(Rendered { files, parameters })
    }

    fn has_crds(&self) -> bool {
        !self.model.kinds.is_empty()
    }

    /// Returns the template variables of all files; docs/templates.md describes them.
    fn variables(
        &self,
        package: &Package<'_>,
        kinds: &BTreeMap<String, Controlled>,
    ) -> BTreeMap<&'static str, Value> {
        let mut variables = package.variables();
        let is_newer = package.kubernetes > Kubernetes::default();
        let options = Value::from_safe_string(self.parameters.options.clone());
        let cluster = self.parameters.scope == DeployScope::Cluster;
        variables.insert("cluster", Value::from(cluster));
        variables.insert("newer_kubernetes", Value::from(is_newer));
        variables.insert("options", options);
        variables.insert("several", Value::from(kinds.len() > 1));
        let crds = kinds.values().filter(|kind| kind.origin == Origin::Crd);
        let crds = crds.count();
        variables.insert("crds", Value::from(crds > 0));
        variables.insert("several_crds", Value::from(crds > 1));
        let watched: BTreeSet<&str> = kinds.values().map(|kind| kind.id.as_str()).collect();
        let owned: BTreeMap<String, &CoreKind> = kinds
            .values()
            .flat_map(|kind| &kind.owns)
            .map(|kind| (kind.name(), *kind))
            .filter(|(name, _)| !watched.contains(name.as_str()))
            .collect();
        let owned = owned.values().map(|kind| owned_variables(kind));
        variables.insert("owns", owned.collect());
        let kinds = kinds.values().map(|kind| kind.variables.clone());
        variables.insert("kinds", kinds.collect());
        variables
    }
}

/// A kind with a controller.
#[derive(Debug)]
struct Controlled {
    origin: Origin,
    /// The name of its CRD, or the API version and kind.
    id: String,
    namespaced: bool,
    owns: Vec<&'static CoreKind>,
    variables: Value,
}

/// Returns the kinds by the module of their controllers: one version of each kind of a CRD, and the watched ones. The version is
/// the storage version, or else the first served one.
fn controlled_kinds(
    model: &Model,
    parameters: &Parameters,
) -> Result<BTreeMap<String, Controlled>, String> {
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
    let watched = parameters.watched()?;
    let of_crds = chosen.iter().map(|(module, kind)| Candidate {
        id: crd_name(kind),
        group: module.names().method.plain().to_owned(),
        name: kind.names().method.plain().to_owned(),
    });
    let of_watched = watched.iter().map(|kind| Candidate {
        id: kind.name(),
        group: kind.group_ident(),
        name: kind.plural.to_owned(),
    });
    let candidates: Vec<_> = of_crds.chain(of_watched).collect();
    let controllers = controllers(&candidates, &parameters.controllers);
    let mut kinds = BTreeMap::new();
    let (of_crds, of_watched) = controllers.split_at(chosen.len());
    for (controller, (module, kind)) in of_crds.iter().zip(chosen) {
        let owns = owned_kinds(model, kind, parameters)?;
        let controlled = Controlled {
            origin: Origin::Crd,
            id: crd_name(kind),
            namespaced: kind.scope == Scope::Namespaced,
            variables: kind_variables(model, module, kind, controller, &owns),
            owns,
        };
        kinds.insert(controller.clone(), controlled);
    }
    for (controller, kind) in of_watched.iter().zip(watched) {
        let controlled = Controlled {
            origin: Origin::Kubernetes,
            id: kind.name(),
            namespaced: kind.namespaced,
            variables: core_kind_variables(kind, controller),
            owns: Vec::new(),
        };
        kinds.insert(controller.clone(), controlled);
    }
    Ok(kinds)
}

/// Returns the name of the CRD of a kind.
fn crd_name(kind: &Kind) -> String {
    format!("{}.{}", kind.plural, kind.group)
}

/// Returns the kinds of Kubernetes that objects of a kind own.
fn owned_kinds(
    model: &Model,
    kind: &Kind,
    parameters: &Parameters,
) -> Result<Vec<&'static CoreKind>, String> {
    let names = parameters.owns.get(&crd_name(kind)).into_iter().flatten();
    let owned = names.map(|name| core_kind(name));
    let mut owned = owned.collect::<Result<Vec<_>, _>>()?;
    // In the order of imports.
    owned.sort_by_key(|kind| kind.rust_path());
    let own = model.types[kind.root].name();
    let mut seen = BTreeSet::from([own.as_str()]);
    for child in &owned {
        if !seen.insert(child.kind) {
            let name = child.name();
            return Err(format!(
                "a controller of `{own}` cannot own `{name}` by --owns: another type in it is named `{}`; add it by hand",
                child.kind
            ));
        }
    }
    Ok(owned)
}

/// Fails if a kind cannot be watched with rights in one namespace.
fn check_scope(scope: DeployScope, kinds: &BTreeMap<String, Controlled>) -> Result<(), String> {
    let unreachable =
        |kind: &&Controlled| !kind.namespaced || kind.owns.iter().any(|child| !child.namespaced);
    match kinds.values().find(unreachable) {
        Some(kind) if scope == DeployScope::Namespace => Err(format!(
            "`{}` or a kind that it owns is cluster-scoped, which rights in one namespace cannot cover; use `--scope cluster`",
            kind.id
        )),
        _ => Ok(()),
    }
}

/// A kind whose controller needs a module.
struct Candidate {
    id: String,
    group: String,
    name: String,
}

/// Returns the modules of the controllers of kinds, with the group in their names only where that is needed. A recorded module
/// keeps its name.
fn controllers(kinds: &[Candidate], recorded: &BTreeMap<String, String>) -> Vec<String> {
    if kinds.len() == 1 && recorded.is_empty() {
        return vec!["controller".to_owned()];
    }
    let mut uses: BTreeMap<&str, usize> = BTreeMap::new();
    for kind in kinds {
        *uses.entry(&kind.name).or_default() += 1;
    }
    kinds
        .iter()
        .map(|Candidate { id, group, name }| {
            if let Some(recorded) = recorded.get(id) {
                recorded.clone()
            } else if uses[name.as_str()] > 1 {
                format!("{group}_{name}_controller")
            } else {
                format!("{name}_controller")
            }
        })
        .collect()
}

fn kind_variables(
    model: &Model,
    module: &Module,
    kind: &Kind,
    controller: &str,
    owns: &[&CoreKind],
) -> Value {
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
        (
            "owns",
            owns.iter().map(|kind| owned_variables(kind)).collect(),
        ),
    ]))
}

fn owned_variables(kind: &CoreKind) -> Value {
    let path = Value::from_safe_string(kind.rust_path());
    Value::from(BTreeMap::from([
        ("kind", Value::from(kind.kind)),
        ("group", Value::from(kind.group)),
        ("plural", Value::from(kind.plural)),
        ("rust_path", path),
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

/// Returns the CRDs of all kinds as YAML documents, in the order of the model, by their names.
pub(crate) fn definitions(model: &Model) -> Vec<(String, String)> {
    let mut seen = BTreeSet::new();
    let kinds = model.kinds.iter();
    kinds
        .filter(|kind| seen.insert((&kind.group, &kind.plural)))
        .map(|kind| (crd_name(kind), yaml::document(&kind.definition())))
        .collect()
}

/// Returns a sample of each kind of a CRD, in its storage version.
fn samples(model: &Model) -> Result<String, String> {
    let mut seen = BTreeSet::new();
    let mut documents = Vec::new();
    for kind in &model.kinds {
        if !seen.insert((&kind.group, &kind.plural)) {
            continue;
        }
        let crd = kind.definition();
        let versions = crd.pointer("/spec/versions").and_then(|it| it.as_array());
        let version = versions
            .into_iter()
            .flatten()
            .find(|version| version["storage"] == true);
        let null = serde_json::Value::Null;
        let (text, causes) = sample(&crd, version.unwrap_or(&null), Extent::Full, true)?;
        let refused: String = causes
            .iter()
            .map(|cause| format!("# Refused: {}\n", cause.to_string().replace('\n', " ")))
            .collect();
        documents.push(refused + &text);
    }
    Ok(documents.join("---\n"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{options::Options, pipeline, scaffold::Location, source::Source};

    #[test]
    fn every_template_and_variable_is_documented() {
        let docs = include_str!("../../docs/templates.md");
        let source = Source {
            name: "crdkind.yaml".to_owned(),
            path: None,
            text: include_str!("../../fixtures/crdkind.yaml").to_owned(),
        };
        let output = pipeline::run(&[source], &Options::default());
        let parameters = Parameters {
            name: "test-operator".to_owned(),
            scope: DeployScope::Cluster,
            kubernetes: Kubernetes::default().to_string(),
            watch: ["v1/Pod".to_owned()].into(),
            owns: BTreeMap::from([(
                "crdplural.iksoon.test.com".to_owned(),
                ["v1/Service".to_owned()].into(),
            )]),
            controllers: BTreeMap::new(),
            options: String::new(),
            templates: None,
            location: Location::of(Path::new("."), None).unwrap(),
        };
        let operator = Operator {
            parameters: &parameters,
            model: &output.model,
        };
        let package = Package {
            name: &"test-operator".parse().unwrap(),
            model: &output.model,
            kubernetes: Kubernetes::default(),
            location: &parameters.location,
        };
        let kinds = controlled_kinds(&output.model, &parameters).unwrap();
        let mut all: Vec<String> = vec!["kind".to_owned()];
        let keys = |value: &Value| value.try_iter().unwrap().map(|key| key.to_string());
        for kind in kinds.values() {
            all.extend(keys(&kind.variables).map(|key| format!("kind.{key}")));
        }
        for (name, value) in operator.variables(&package, &kinds) {
            match name {
                "versions" => all.extend(keys(&value).map(|key| format!("versions.{key}"))),
                _ => all.push(name.to_owned()),
            }
        }
        let child = owned_variables(core_kind("v1/Service").unwrap());
        all.extend(keys(&child).map(|key| format!("child.{key}")));
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
