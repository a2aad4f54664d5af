//! Completes the model in passes: overrides, reuse, a bound on depth, shared types, names, derives.
mod choices;
mod conversion;
mod dedup;
mod depth;
mod derives;
mod known;
mod naming;
mod overrides;
mod verify;

#[cfg(feature = "cli")]
pub(crate) use known::{known_part, known_path};

use crate::base::diag::Diagnostics;
use crate::base::options::Options;
use crate::model::ir::{Body, Model, TypeDef, TypeId};

/// Steps that the compiler takes through an `Option`, a struct or a `Nullable` when it checks an auto trait; `depth` says why they count.
const STEP: usize = 1;
/// Steps through a `Vec` or a `BTreeMap`.
const CONTAINER_STEPS: usize = 3;
/// Steps through a type without parts of the model, such as text or raw JSON.
const LEAF_STEPS: usize = 8;

/// Changes the model and reports diagnostics.
type Pass = fn(&mut Model, &Options, &mut Diagnostics);

/// The passes in order: overrides first, equal types once nothing else can make them differ, names last.
const PASSES: &[Pass] = &[
    overrides::run,
    conversion::run,
    known::run,
    depth::run,
    prune,
    dedup::run,
    naming::run,
    derives::run,
    choices::report,
];

/// Runs all passes in order.
pub(crate) fn run(model: &mut Model, options: &Options, diagnostics: &mut Diagnostics) {
    for pass in PASSES {
        pass(model, options, diagnostics);
    }
    // After an error, the model may be inconsistent.
    if !diagnostics.has_errors() {
        verify::run(model, diagnostics);
    }
}

/// Removes the types that no one can refer to: those below reused types, raw JSON and skipped fields.
fn prune(model: &mut Model, _: &Options, _: &mut Diagnostics) {
    let mut stays = vec![false; model.types.len()];
    for id in model.reach_all(&model.kinds) {
        stays[id.index()] = true;
    }
    // An alias stays even below a reused type: with an older Kubernetes, it would be reached.
    let stays = |id: TypeId, def: &TypeDef| stays[id.index()] || matches!(def.body, Body::Alias(_));
    let ids = model.types.retain(stays);
    for kind in &mut model.kinds {
        if let Some(Some(id)) = ids.get(kind.root.index()) {
            kind.root = *id;
        }
    }
}

#[cfg(test)]
mod tests;
