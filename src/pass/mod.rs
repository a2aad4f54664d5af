//! The model comes in and is completed: overrides, names, derives; no pass reads a schema or writes code.
use crate::diag::Diagnostics;
use crate::ir::Model;
use crate::options::Options;

/// Runs all passes in order.
pub fn run(model: &mut Model, options: &Options, diagnostics: &mut Diagnostics) {
    let _ = (model, options, diagnostics);
}
