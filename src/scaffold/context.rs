//! What templates can name: the crate and its kinds, with the names that the generated code has.
use super::{Membership, Request, versions};
use crate::ir::{Kind, Model, Module, Scope};
use crate::options::Kubernetes;
use minijinja::Value;
use std::collections::{BTreeMap, BTreeSet};

/// All that a template sees.
#[derive(Debug)]
pub(super) struct Context {
    values: BTreeMap<&'static str, Value>,
    /// One per definition: its storage version, or the first one that is served.
    pub(super) kinds: Vec<KindContext>,
}

/// What a template sees of a kind.
#[derive(Debug)]
pub(super) struct KindContext {
    /// Name of the module of its controller.
    pub(super) controller: String,
    value: Value,
}

impl Context {
    /// The context of a template that is about the whole crate.
    pub(super) fn whole(&self) -> Value {
        Value::from(self.values.clone())
    }

    /// The context of a template that is about one kind: the crate's, and `kind`.
    pub(super) fn with(&self, kind: &KindContext) -> Value {
        let mut values = self.values.clone();
        values.insert("kind", kind.value.clone());
        Value::from(values)
    }
}

pub(super) fn of(request: &Request<'_>) -> Result<Context, String> {
    let model = request.model;
    let chosen = chosen(model);
    if chosen.is_empty() {
        return Err("the input defines no kind that is served".to_owned());
    }
    let mut kinds: Vec<_> = controllers(&chosen)
        .into_iter()
        .zip(&chosen)
        .map(|(controller, (module, kind))| KindContext {
            value: kind_value(model, module, kind, &controller),
            controller,
        })
        .collect();
    kinds.sort_by(|a, b| a.controller.cmp(&b.controller));
    let values = BTreeMap::from([
        ("name", Value::from(request.name.as_str())),
        ("crate", Value::from(request.name.ident())),
        ("crates_path", Value::from(request.runtime.path()?)),
        ("versions", versions::values(request.kubernetes)),
        (
            "own_workspace",
            Value::from(request.membership == Membership::Stranger),
        ),
        (
            "newer_kubernetes",
            Value::from(request.kubernetes > Kubernetes::default()),
        ),
        ("several", Value::from(kinds.len() > 1)),
        (
            "kinds",
            kinds.iter().map(|kind| kind.value.clone()).collect(),
        ),
    ]);
    Ok(Context { values, kinds })
}

/// The kinds to be controlled, each with its module.
fn chosen(model: &Model) -> Vec<(&Module, &Kind)> {
    let mut chosen: Vec<(&Module, &Kind)> = Vec::new();
    for module in &model.modules {
        for kind in model.kinds_of(module) {
            let same = chosen
                .iter_mut()
                .find(|(_, other)| other.group == kind.group && other.plural == kind.plural);
            match same {
                Some(other) if kind.storage => *other = (module, kind),
                Some(_) => {}
                None => chosen.push((module, kind)),
            }
        }
    }
    chosen
}

/// The names of the controllers' modules: as short as they can be told apart.
fn controllers(chosen: &[(&Module, &Kind)]) -> Vec<String> {
    if chosen.len() == 1 {
        return vec!["controller".to_owned()];
    }
    let short: Vec<&str> = chosen
        .iter()
        .map(|(_, kind)| kind.names.method.trim_start_matches("r#"))
        .collect();
    let mut seen = BTreeSet::new();
    let twice: BTreeSet<_> = short.iter().filter(|name| !seen.insert(**name)).collect();
    chosen
        .iter()
        .zip(&short)
        .map(|((module, _), name)| {
            if twice.contains(name) {
                let module = module.method.trim_start_matches("r#");
                format!("{module}_{name}_controller")
            } else {
                format!("{name}_controller")
            }
        })
        .collect()
}

/// The values of one kind.
fn kind_value(model: &Model, module: &Module, kind: &Kind, controller: &str) -> Value {
    let name = model.types[kind.root].name.as_str();
    Value::from(BTreeMap::from([
        ("controller", Value::from(controller)),
        ("rust_type", Value::from(name)),
        // A line that is too long for rustfmt is broken by the template.
        ("letters", Value::from(name.len())),
        (
            "default",
            Value::from(model.types[kind.root].derives.default),
        ),
        ("group_module", Value::from(module.group_ident.as_str())),
        ("version_module", Value::from(module.version_ident.as_str())),
        ("informers_method", Value::from(module.method.as_str())),
        ("method", Value::from(kind.names.method.as_str())),
        ("kind", Value::from(kind.kind.as_str())),
        ("group", Value::from(kind.group.as_str())),
        ("version", Value::from(kind.version.as_str())),
        ("plural", Value::from(kind.plural.as_str())),
        ("namespaced", Value::from(kind.scope == Scope::Namespaced)),
    ]))
}
