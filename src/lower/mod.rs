//! Lowers CRDs to a model without names; what a type cannot express becomes raw JSON and a diagnostic.
mod containers;
mod embedded;
mod enums;
mod int_or_string;
mod kind;
mod leftovers;
mod node;
mod object;
mod scalar;
mod union;

use crate::crd::Crd;
use crate::diag::Diagnostics;
use crate::ir::{Model, Module};
use crate::threads;

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
pub(crate) fn lower(crds: Vec<Crd>, diagnostics: &mut Diagnostics) -> Model {
    let mut model = Model::default();
    let served = kind::served(crds).into_iter().enumerate().collect();
    let lowered = threads::map_into(served, |(index, served)| kind::lower(index, served));
    for lowered in lowered.into_iter().flatten() {
        let before = model.types.append(lowered.types);
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
