//! Looks whether the model is sound before it is frozen; what is not is a finding, never a panic.
use crate::diag::{Code, Diagnostics};
use crate::ir::{Body, Model, Module, Struct, Ty, TypeId};
use crate::options::Options;
use crate::threads;
use foldhash::{HashSet, HashSetExt};
use std::collections::BTreeSet;

pub(super) fn run(model: &mut Model, _: &Options, diagnostics: &mut Diagnostics) {
    if let Some(message) = dangling(model).or_else(|| stray(model)) {
        report(diagnostics, message);
        return;
    }
    let looked = threads::map(&model.modules, |module| {
        let types = model.types_of(module);
        (names(model, module, &types), types)
    });
    let mut defined = BTreeSet::new();
    for (faults, types) in looked {
        for fault in faults {
            report(diagnostics, fault);
        }
        defined.extend(types);
    }
    if let Some(message) = undefined(model, &defined) {
        report(diagnostics, message);
    }
}

fn report(diagnostics: &mut Diagnostics, message: String) {
    diagnostics
        .report(Code::Unsound, crate::diag::Place::nowhere(), message)
        .hint("this is a defect of kube-codegen: please report it with the CRD");
}

/// A reference to a type that is not there.
fn dangling(model: &Model) -> Option<String> {
    let count = model.types.len();
    references(model)
        .find(|id| id.0 as usize >= count)
        .map(|id| format!("type {} is referred to, but not defined", id.0))
}

/// A reference out of its module but by an alias for a definition of another version, or one to any other alias.
fn stray(model: &Model) -> Option<String> {
    let is_alias = |id: TypeId| matches!(model.types[id].body, Body::Alias(_));
    let group = |id: TypeId| model.home(id).map(|(group, _)| group);
    let borrows = |id: TypeId| match &model.types[id].body {
        Body::Alias(Ty::Named(to)) => model.home(id) != model.home(*to) && !is_alias(*to),
        Body::Alias(_) | Body::Struct(_) | Body::Enum(_) | Body::Union(_) => false,
    };
    let references = model.types.iter().flat_map(|(id, def)| {
        let to = def.body.types().filter_map(Ty::named);
        to.map(move |to| (id, to))
    });
    let is_fine = |id: TypeId, to: TypeId| {
        let is_near = model.home(id) == model.home(to) && (!is_alias(to) || borrows(to));
        is_near || (borrows(id) && group(id) == group(to))
    };
    let mut strays = references.filter(|(id, to)| !is_fine(*id, *to));
    let message = |id: TypeId, to: TypeId| {
        format!(
            "type {} refers to {} of another module, or to its alias",
            id.0, to.0
        )
    };
    strays.next().map(|(id, to)| message(id, to))
}

/// A kind, or an alias of a type, that no module defines.
fn undefined(model: &Model, defined: &BTreeSet<TypeId>) -> Option<String> {
    let ends = model.types.iter().filter_map(|(id, def)| match &def.body {
        Body::Alias(ty) => Some((id, model.types.definition(ty.named()?))),
        Body::Struct(_) | Body::Enum(_) | Body::Union(_) => None,
    });
    let roots = model.kinds.iter().map(|kind| (kind.root, kind.root));
    let (id, end) = roots.chain(ends).find(|(_, end)| !defined.contains(end))?;
    Some(format!(
        "type {} stands for {}, which is nowhere defined",
        id.0, end.0
    ))
}

/// What types, aliases and kinds refer to.
fn references(model: &Model) -> impl Iterator<Item = TypeId> {
    let types = model.types.iter();
    let types = types.flat_map(|(_, def)| def.body.types().filter_map(Ty::named));
    types.chain(model.kinds.iter().map(|kind| kind.root))
}

/// Names that are missing, or given twice in one namespace.
fn names(model: &Model, module: &Module, own: &[TypeId]) -> Vec<String> {
    let mut faults = Vec::new();
    let mut types = Names::of(format!("{}/{}", module.group, module.version));
    types.add(&module.client, &mut faults);
    types.add(&module.informers, &mut faults);
    for kind in model.kinds_of(module) {
        types.add(&kind.names.list, &mut faults);
        types.add(&kind.names.lister, &mut faults);
    }
    for (id, _) in model.aliases_of(module) {
        types.add(&model.types[id].name, &mut faults);
    }
    for id in own {
        let def = &model.types[*id];
        types.add(&def.name, &mut faults);
        let mut members = Names::of(def.name.clone());
        match &def.body {
            Body::Struct(Struct {
                fields,
                rest,
                rest_ident,
            }) => {
                for field in fields {
                    members.add(&field.ident, &mut faults);
                }
                if *rest {
                    members.add(rest_ident, &mut faults);
                }
            }
            Body::Enum(body) => {
                for variant in &body.variants {
                    members.add(&variant.ident, &mut faults);
                }
                members.add(&body.other_ident, &mut faults);
            }
            Body::Union(body) => {
                for arm in &body.arms {
                    members.add(&arm.ident, &mut faults);
                }
                members.add(&body.other_ident, &mut faults);
            }
            // No kind reaches one.
            Body::Alias(_) => {}
        }
    }
    faults
}

/// The names of one namespace.
struct Names<'a> {
    of: String,
    seen: HashSet<&'a str>,
}

impl<'a> Names<'a> {
    fn of(of: String) -> Self {
        Self {
            of,
            seen: HashSet::new(),
        }
    }

    fn add(&mut self, name: &'a str, faults: &mut Vec<String>) {
        if name.is_empty() {
            faults.push(format!("something in `{}` has no name", self.of));
        } else if !self.seen.insert(name) {
            faults.push(format!("`{name}` is named twice in `{}`", self.of));
        }
    }
}
