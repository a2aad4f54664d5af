//! Verifies the model before it is frozen; a defect is a diagnostic, never a panic.
use crate::base::diag::{Code, Diagnostics, Place};
use crate::base::threads;
use crate::model::ir::{Body, Field, Ident, Model, Module, Ty, TypeId, Variant};
use foldhash::{HashSet, HashSetExt};
use std::collections::BTreeSet;

pub(super) fn run(model: &Model, diagnostics: &mut Diagnostics) {
    if let Some(message) = dangling_reference(model).or_else(|| foreign_reference(model)) {
        report(diagnostics, message);
        return;
    }
    let modules = threads::map(&model.modules, |module| {
        let types = model.types_of(module);
        (names(model, module, &types), types)
    });
    let mut defined = BTreeSet::new();
    for (defects, types) in modules {
        for defect in defects {
            report(diagnostics, defect);
        }
        defined.extend(types);
    }
    if let Some(message) = undefined(model, &defined) {
        report(diagnostics, message);
    }
}

fn report(diagnostics: &mut Diagnostics, message: String) {
    diagnostics
        .report(Code::Unsound, Place::nowhere(), message)
        .hint("this is a bug in kube-codegen: please report it with the CRD");
}

/// Finds a reference to a type that does not exist.
fn dangling_reference(model: &Model) -> Option<String> {
    let types = model.types.iter();
    let references = types.flat_map(|(_, def)| def.body.types().filter_map(Ty::named));
    let roots = model.kinds.iter().map(|kind| kind.root);
    references
        .chain(roots)
        .find(|id| id.index() >= model.types.len())
        .map(|id| format!("type {} is referred to but does not exist", id.0))
}

/// Finds a field of a type of another module, or an alias of an alias that is not the first of equal locations.
fn foreign_reference(model: &Model) -> Option<String> {
    let module = |id: TypeId| model.group_version(id);
    let group = |id: TypeId| module(id).map(|(group, _)| group);
    let is_alias = |id: TypeId| matches!(model.types[id].body, Body::Alias(_));
    let is_allowed = |id: TypeId, to: TypeId| {
        let is_local = module(id) == module(to);
        match &model.types[to].body {
            _ if !is_alias(id) => is_local,
            Body::Alias(Ty::Named(end)) => {
                is_local && module(to) != module(*end) && !is_alias(*end)
            }
            Body::Alias(_) => false,
            Body::Struct(_) | Body::Enum(_) | Body::Union(_) => group(id) == group(to),
        }
    };
    let references = model.types.iter().flat_map(|(id, def)| {
        let to = def.body.types().filter_map(Ty::named);
        to.map(move |to| (id, to))
    });
    let (id, to) = references
        .into_iter()
        .find(|(id, to)| !is_allowed(*id, *to))?;
    Some(format!(
        "type {} refers to type {} of another module, or to an alias of it",
        id.0, to.0
    ))
}

/// Finds the root of a kind, or the target of an alias, that no module defines.
fn undefined(model: &Model, defined: &BTreeSet<TypeId>) -> Option<String> {
    let targets = model.types.iter().filter_map(|(id, def)| match &def.body {
        Body::Alias(ty) => Some((id, model.types.definition(ty.named()?))),
        Body::Struct(_) | Body::Enum(_) | Body::Union(_) => None,
    });
    let roots = model.kinds.iter().map(|kind| (kind.root, kind.root));
    let (id, target) = roots
        .chain(targets)
        .find(|(_, target)| !defined.contains(target))?;
    Some(format!(
        "type {} refers to type {}, which no module defines",
        id.0, target.0
    ))
}

/// Returns the names that are missing, or given twice in one namespace.
fn names(model: &Model, module: &Module, own: &[TypeId]) -> Vec<String> {
    let mut defects = Vec::new();
    let module_name = format!("{}/{}", module.group, module.version);
    let names = module.names.as_ref();
    let types = [names.map(|it| &it.client), names.map(|it| &it.informers)];
    let kinds = model.kinds_of(module).flat_map(|kind| {
        let names = kind.names.as_ref();
        [names.map(|it| &it.list), names.map(|it| &it.lister)]
    });
    let aliases = model.aliases_of(module).map(|(id, _)| id);
    let defs = aliases
        .chain(own.iter().copied())
        .map(|id| model.types[id].name.as_ref());
    let shared = model
        .locations_of(module)
        .filter_map(|id| model.types[id].shared.as_ref());
    let all = types.into_iter().chain(kinds).chain(defs);
    let all = all.chain(shared.map(Some));
    namespace(&module_name, all, &mut defects);
    for id in own {
        let def = &model.types[*id];
        let members: Vec<Option<&Ident>> = match &def.body {
            Body::Struct(body) => {
                let fields = body.fields.iter().map(|Field { ident, .. }| ident.as_ref());
                fields.chain(body.rest.as_ref().map(Some)).collect()
            }
            Body::Enum(body) => {
                let variants = body.variants.iter();
                let variants = variants.map(|Variant { ident, .. }| ident.as_ref());
                variants.chain([Some(&body.other)]).collect()
            }
            Body::Union(body) => {
                let arms = body.arms.iter().map(|arm| Some(&arm.ident));
                arms.chain([Some(&body.other)]).collect()
            }
            Body::Alias(_) => Vec::new(),
        };
        let name = def.name.as_ref().map_or("", Ident::as_str);
        namespace(name, members, &mut defects);
    }
    defects
}

/// Checks the names of one namespace.
fn namespace<'a>(
    namespace: &str,
    names: impl IntoIterator<Item = Option<&'a Ident>>,
    defects: &mut Vec<String>,
) {
    let mut seen = HashSet::new();
    for name in names {
        match name {
            None => defects.push(format!("an item of `{namespace}` has no name")),
            Some(name) if !seen.insert(name) => {
                defects.push(format!("`{namespace}` defines `{name}` twice"));
            }
            Some(_) => {}
        }
    }
}
