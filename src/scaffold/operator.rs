//! Renders the crate of an operator: all its files except the generated modules.
use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

use minijinja::Value;

use super::{
    Package, no_kind,
    templates::{self, Templates},
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

/// The program of the crate.
pub(crate) const PROGRAM: &str = "src/main.rs";

/// Renders the files of the crate. `options` are further lines of its `kube-codegen.toml`. A template in the directory `overrides` replaces the built-in one of the same name.
///
/// # Errors
/// If no kind is served, or a template is invalid.
pub(crate) fn operator(
    package: &Package<'_>,
    options: &str,
    overrides: Option<&Path>,
) -> Result<Vec<File>, String> {
    let kinds = controlled_kinds(package.model);
    if kinds.is_empty() {
        return Err(no_kind());
    }
    let mut variables = variables(package, options, &kinds);
    let templates = Templates::new(templates::OPERATOR, overrides)?;
    let mut files = vec![File {
        path: DEFINITIONS.to_owned(),
        text: definitions(package.model).into(),
    }];
    for template in templates::OPERATOR {
        if !template.path.contains("KIND") {
            files.push(templates.render(template, template.path.to_owned(), &variables)?);
            continue;
        }
        for (controller, kind) in &kinds {
            variables.insert("kind", kind.clone());
            let path = template.path.replace("KIND", controller);
            files.push(templates.render(template, path, &variables)?);
        }
    }
    Ok(files)
}

/// Returns the template variables of all files; docs/templates.md describes them.
fn variables(
    package: &Package<'_>,
    options: &str,
    kinds: &BTreeMap<String, Value>,
) -> BTreeMap<&'static str, Value> {
    let mut variables = package.variables();
    let is_newer = package.kubernetes > Kubernetes::default();
    variables.insert("newer_kubernetes", Value::from(is_newer));
    variables.insert("options", Value::from_safe_string(options.to_owned()));
    variables.insert("several", Value::from(kinds.len() > 1));
    variables.insert("kinds", kinds.values().cloned().collect());
    variables
}

/// Returns the template variables of one version of each kind, by the module of its controller. The version is the storage
/// version, or else the first served one.
fn controlled_kinds(model: &Model) -> BTreeMap<String, Value> {
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
    let controllers = controllers(&chosen);
    let kinds = controllers.into_iter().zip(chosen);
    kinds
        .map(|(controller, (module, kind))| {
            let value = kind_variables(model, module, kind, &controller);
            (controller, value)
        })
        .collect()
}

/// Returns the modules of the controllers, with the group and version in their names only where that is needed.
fn controllers(kinds: &[(&Module, &Kind)]) -> Vec<String> {
    if kinds.len() == 1 {
        return vec!["controller".to_owned()];
    }
    let mut uses: BTreeMap<&str, usize> = BTreeMap::new();
    for (_, kind) in kinds {
        *uses.entry(kind.names().method.plain()).or_default() += 1;
    }
    kinds
        .iter()
        .map(|(module, kind)| {
            let name = kind.names().method.plain();
            if uses[name] > 1 {
                format!("{}_{name}_controller", module.names().method.plain())
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
        let package = Package {
            name: &"test-operator".parse().unwrap(),
            model: &output.model,
            kubernetes: Kubernetes::default(),
            location: &Location::of(Path::new("."), None).unwrap(),
        };
        let kinds = controlled_kinds(&output.model);
        let mut all: Vec<String> = vec!["kind".to_owned()];
        let keys = |value: &Value| value.try_iter().unwrap().map(|key| key.to_string());
        all.extend(keys(&kinds["controller"]).map(|key| format!("kind.{key}")));
        for (name, value) in variables(&package, "", &kinds) {
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
