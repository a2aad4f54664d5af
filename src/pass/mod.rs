//! Completes the model in passes: overrides, reuse, boxes, a bound on depth, shared types, names, derives.
mod boxing;
mod cost;
mod dedup;
mod depth;
mod derives;
mod known;
mod naming;
mod overrides;
mod verify;

use crate::diag::Diagnostics;
use crate::ir::Model;
use crate::options::Options;

/// Changes the model and reports diagnostics.
type Pass = fn(&mut Model, &Options, &mut Diagnostics);

/// The passes in order: overrides first, equal types once nothing else can make them differ, names last.
const PASSES: &[Pass] = &[
    overrides::run,
    known::run,
    boxing::run,
    depth::run,
    dedup::run,
    naming::run,
    derives::run,
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

#[cfg(test)]
mod tests;
