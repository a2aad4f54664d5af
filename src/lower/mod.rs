//! Typed CRDs come in, a model without names goes out; what cannot be expressed becomes raw JSON and a finding.
mod kind;
mod leftovers;
mod node;
mod opaque;
mod root;
mod told;

/// Lists the lowering forms, in the order they are asked: the first that recognises a node takes its keywords.
macro_rules! forms {
    ($($form:ident),* $(,)?) => {
        $(mod $form;)*
        const FORMS: &[node::Form] = &[$($form::lower,)*];
    };
}

forms! {
    enums,
    int_or_string,
    union,
    embedded,
    object,
    map,
    list,
    scalar,
}

use crate::crd::Crd;
use crate::diag::Diagnostics;
use crate::ir::{Model, Module};
use crate::threads;

/// Lowers every served version of every CRD.
pub fn lower(crds: Vec<Crd>, diagnostics: &mut Diagnostics) -> Model {
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
