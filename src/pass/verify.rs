//! Looks whether the model is sound before it is frozen; what is not is a finding, never a panic.
use crate::diag::{Code, Diagnostics};
use crate::ir::{Body, Model, Module, Struct, Ty, TypeId};
use crate::options::Options;
use crate::threads;
use std::collections::BTreeSet;

pub(super) fn run(model: &mut Model, _: &Options, diagnostics: &mut Diagnostics) {
    if let Some(message) = dangling(model).or_else(|| through_alias(model)) {
        report(diagnostics, message);
        return;
    }
    let faults = threads::map(&model.modules, |module| names(model, module));
    for fault in faults.into_iter().flatten() {
        report(diagnostics, fault);
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

/// A reference to an alias, where what it stands for was to be named.
fn through_alias(model: &Model) -> Option<String> {
    references(model)
        .find(|id| matches!(model.types[*id].body, Body::Alias(_)))
        .map(|id| format!("type {} is an alias, and referred to", id.0))
}

/// What types, aliases and kinds refer to.
fn references(model: &Model) -> impl Iterator<Item = TypeId> {
    let types = model.types.iter();
    let types = types.flat_map(|(_, def)| def.body.types().filter_map(Ty::named));
    types.chain(model.kinds.iter().map(|kind| kind.root))
}

/// Names that are missing, or given twice in one namespace.
fn names(model: &Model, module: &Module) -> Vec<String> {
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
    for id in model.types_of(module) {
        let def = &model.types[id];
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
    seen: BTreeSet<&'a str>,
}

impl<'a> Names<'a> {
    fn of(of: String) -> Self {
        Self {
            of,
            seen: BTreeSet::new(),
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
