//! The model comes in and is completed: overrides, boxes, a bound on depth, equal types once, names, derives; no pass reads a schema or writes code.
mod boxing;
mod dedup;
mod depth;
mod derives;
pub mod known;
mod naming;
mod overrides;
mod verify;

use crate::diag::Diagnostics;
use crate::ir::Model;
use crate::options::Options;

/// Changes the model, and reports what it finds.
type Pass = fn(&mut Model, &Options, &mut Diagnostics);

/// The passes, in order: what is decided by hand first, equal types when nothing tells them apart any more, names last.
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
pub fn run(model: &mut Model, options: &Options, diagnostics: &mut Diagnostics) {
    for pass in PASSES {
        pass(model, options, diagnostics);
    }
    // A model that was refused may contradict itself.
    if !diagnostics.has_errors() {
        verify::run(model, options, diagnostics);
    }
}

#[cfg(test)]
mod tests;
