//! Lowers CRDs to a model without names; what a type cannot express becomes raw JSON and a diagnostic.
mod containers;
mod embedded;
mod enums;
mod int_or_string;
mod kind;
mod leftovers;
mod node;
mod object;
mod one_of;
mod scalar;
mod union;

use crate::base::diag::Diagnostics;
#[cfg(test)]
use crate::input::crd::Crd;
use crate::model::ir::{KindId, Model, Module};

pub(crate) use kind::{Lowered, versions};

/// The schema forms, in the order they are tried: the first that recognises a node consumes its keywords.
const FORMS: &[node::Form] = &[
    enums::lower,
    int_or_string::quantity,
    int_or_string::lower,
    union::lower,
    embedded::lower,
    containers::any,
    object::lower,
    containers::map,
    containers::list,
    scalar::lower,
];

/// Lowers every served version of every CRD.
#[cfg(test)]
pub(crate) fn lower(crds: Vec<Crd>, diagnostics: &mut Diagnostics) -> Model {
    let lowered = crds.into_iter().flat_map(|mut crd| {
        let all = std::mem::take(&mut crd.versions);
        versions(&crd, all)
    });
    assemble(lowered.collect(), diagnostics)
}

/// Joins the kinds to one model, in which they are sorted by group, version and name.
pub(crate) fn assemble(mut lowered: Vec<Lowered>, diagnostics: &mut Diagnostics) -> Model {
    let mut model = Model::default();
    lowered.sort_by(|a, b| a.order().cmp(&b.order()));
    for (index, lowered) in lowered.into_iter().enumerate() {
        let mut types = lowered.types;
        let id = KindId(u32::try_from(index).unwrap_or(u32::MAX));
        types.iter_mut().for_each(|(_, def)| def.origin.kind = id);
        let before = model.types.append(types);
        let mut kind = lowered.kind;
        kind.root = kind.root.after(before);
        model.kinds.push(kind);
        diagnostics.append(lowered.diagnostics);
    }
    for kind in &model.kinds {
        let module = Module {
            group: kind.group.clone(),
            version: kind.version.clone(),
            ..Module::default()
        };
        if model.modules.last() != Some(&module) {
            model.modules.push(module);
        }
    }
    model
}

#[cfg(test)]
mod tests;
