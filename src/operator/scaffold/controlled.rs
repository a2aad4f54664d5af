//! Chooses the kinds that get a controller, and names their modules.
use std::collections::{BTreeMap, BTreeSet};

use minijinja::Value;

use super::{
    CoreKind, DeployScope, Parameters, WebhookType, core_kind,
    templates::{Origin, webhooks_module},
    webhooks,
};
use crate::{
    model::ir::{Kind, Model, Module, Scope},
    output::render::File,
};

/// A kind with a controller.
#[derive(Debug)]
pub(super) struct Controlled {
    /// Where it is defined.
    pub(super) origin: Origin,
    /// The name of its CRD, or the API version and kind.
    pub(super) id: String,
    namespaced: bool,
    /// The kinds that it owns.
    pub(super) owns: Vec<Owned>,
    /// What its webhooks do.
    pub(super) webhooks: Vec<WebhookType>,
    /// The template variables.
    pub(super) variables: Value,
}

/// A kind whose objects are children.
#[derive(Clone, Debug)]
pub(super) struct Owned {
    /// The name of its CRD, or the API version and kind.
    pub(super) id: String,
    group: String,
    kind: String,
    plural: String,
    namespaced: bool,
    /// The path of its type.
    path: String,
}

impl From<&CoreKind> for Owned {
    fn from(kind: &CoreKind) -> Self {
        Self {
            id: kind.name(),
            group: kind.group.to_owned(),
            kind: kind.kind.to_owned(),
            plural: kind.plural.to_owned(),
            namespaced: kind.namespaced,
            path: kind.rust_path(),
        }
    }
}

impl Owned {
    /// Returns an owned kind of a CRD of the operator.
    fn of_crd(model: &Model, (module, kind): (&Module, &Kind)) -> Self {
        Self {
            id: kind.crd_name(),
            group: kind.group.clone(),
            kind: model.types[kind.root].name().as_str().to_owned(),
            plural: kind.names().method.as_str().to_owned(),
            namespaced: kind.scope == Scope::Namespaced,
            path: path(model, module, kind),
        }
    }

    fn is_of_crd(&self) -> bool {
        self.path.starts_with("crate::")
    }

    /// Returns the template variables.
    pub(super) fn variables(&self) -> Value {
        Value::from(BTreeMap::from([
            ("kind", Value::from(self.kind.as_str())),
            ("group", Value::from(self.group.as_str())),
            ("namespaced", Value::from(self.namespaced)),
            ("of_crd", Value::from(self.is_of_crd())),
            ("plural", Value::from(self.plural.as_str())),
            ("rust_path", Value::from_safe_string(self.path.clone())),
        ]))
    }
}

/// Returns the path of the type of a kind of a CRD in the crate.
fn path(model: &Model, module: &Module, kind: &Kind) -> String {
    let names = module.names();
    format!(
        "crate::generated::{}::{}::{}",
        names.group.as_str(),
        names.version.as_str(),
        model.types[kind.root].name().as_str()
    )
}

/// Returns the kinds by the module of their controllers: one version of each kind of a CRD, and the watched ones. The version is
/// the storage version, or else the first served one.
pub(super) fn controlled_kinds(
    model: &Model,
    parameters: &Parameters,
    generated: &[File],
) -> Result<BTreeMap<String, Controlled>, String> {
    webhooks::check(model, &parameters.webhooks)?;
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
        id: kind.crd_name(),
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
    let all = chosen.clone();
    for (controller, (module, kind)) in of_crds.iter().zip(chosen) {
        let owns = owned_kinds(model, kind, parameters, &all)?;
        let webhooks = webhooks::webhooks_of(model, kind, parameters);
        let mut variables = kind_variables(model, module, kind, controller, &owns);
        variables.extend(takeover_variables(&kind.crd_name(), parameters));
        variables.extend(webhooks::variables(
            model, module, kind, &webhooks, generated,
        ));
        let controlled = Controlled {
            origin: Origin::Crd,
            id: kind.crd_name(),
            namespaced: kind.scope == Scope::Namespaced,
            variables: Value::from(variables),
            owns,
            webhooks,
        };
        kinds.insert(controller.clone(), controlled);
    }
    for (controller, kind) in of_watched.iter().zip(watched) {
        let controlled = Controlled {
            origin: Origin::Kubernetes,
            id: kind.name(),
            namespaced: kind.namespaced,
            variables: core_kind_variables(kind, controller, parameters),
            owns: Vec::new(),
            webhooks: Vec::new(),
        };
        kinds.insert(controller.clone(), controlled);
    }
    Ok(kinds)
}

/// Returns the kinds that objects of a kind own: of Kubernetes, and of CRDs of the operator.
fn owned_kinds(
    model: &Model,
    kind: &Kind,
    parameters: &Parameters,
    all: &[(&Module, &Kind)],
) -> Result<Vec<Owned>, String> {
    let names = parameters.owns.get(&kind.crd_name()).into_iter().flatten();
    let owned = names.map(|name| {
        let of_crd = all.iter().find(|(_, other)| other.crd_name() == *name);
        match of_crd {
            Some(found) => Ok(Owned::of_crd(model, *found)),
            None => core_kind(name).map(Owned::from),
        }
    });
    let mut owned = owned.collect::<Result<Vec<_>, _>>()?;
    // In the order of imports.
    owned.sort_by(|a, b| a.path.cmp(&b.path));
    let own = model.types[kind.root].name();
    let mut seen = BTreeSet::from([own.as_str()]);
    for child in &owned {
        if !seen.insert(&child.kind) {
            let name = &child.id;
            return Err(format!(
                "a controller of `{own}` cannot own `{name}` by --owns: another type in it is named `{}`; add it by hand",
                child.kind
            ));
        }
    }
    Ok(owned)
}

/// Fails if a kind cannot be watched with rights in one namespace.
pub(super) fn check_scope(
    scope: DeployScope,
    kinds: &BTreeMap<String, Controlled>,
) -> Result<(), String> {
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
    owns: &[Owned],
) -> BTreeMap<&'static str, Value> {
    let root = &model.types[kind.root];
    let names = module.names();
    BTreeMap::from([
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
        ("owns", owns.iter().map(Owned::variables).collect()),
        ("imports", imports(model, module, kind, owns)),
        ("webhooks_module", Value::from(webhooks_module(controller))),
    ])
}

/// Returns the paths of the types of the crate that a controller uses, sorted.
fn imports(model: &Model, module: &Module, kind: &Kind, owns: &[Owned]) -> Value {
    let mut paths = vec![path(model, module, kind)];
    let of_crate = owns.iter().filter(|it| it.is_of_crd());
    paths.extend(of_crate.map(|it| it.path.clone()));
    paths.sort();
    paths.into_iter().map(Value::from_safe_string).collect()
}

/// Returns what a kind has in common with the installation that the operator takes over.
fn takeover_variables(id: &str, parameters: &Parameters) -> [(&'static str, Value); 2] {
    let takeover = &parameters.takeover;
    let value = |all: &BTreeMap<String, String>| {
        Value::from(all.get(id).map(String::as_str).unwrap_or_default())
    };
    [
        ("metrics_name", value(&takeover.metrics_names)),
        ("finalizer", value(&takeover.finalizers)),
    ]
}

fn core_kind_variables(kind: &CoreKind, controller: &str, parameters: &Parameters) -> Value {
    let path = Value::from_safe_string(kind.rust_path());
    let mut variables = BTreeMap::from([
        ("controller", Value::from(controller)),
        ("of_crd", Value::from(false)),
        ("webhooks", Value::from(Vec::<Value>::new())),
        ("rust_type", Value::from(kind.kind)),
        ("rust_path", path),
        ("kind", Value::from(kind.kind)),
        ("group", Value::from(kind.group)),
        ("version", Value::from(kind.version())),
        ("plural", Value::from(kind.plural)),
        ("namespaced", Value::from(kind.namespaced)),
    ]);
    variables.extend(takeover_variables(&kind.name(), parameters));
    Value::from(variables)
}
