//! Gives every Rust name, after everything else is decided: one resolver for definitions and references alike.
mod fields;
mod hash;
mod idents;
mod letters;
mod modules;
mod taken;
mod types;
mod variants;
mod words;

use crate::diag::Diagnostics;
use crate::ir::{Body, Model};
use crate::options::Options;
use crate::threads;

/// Names modules, kinds, types, fields and variants.
pub(super) fn run(model: &mut Model, _: &Options, diagnostics: &mut Diagnostics) {
    modules::name(model);
    types::name(model, diagnostics);
    threads::for_each(model.types.as_mut_slice(), |_, def| match &mut def.body {
        Body::Struct(body) => fields::name(body),
        Body::Enum(body) => variants::name(body),
        Body::Union(body) => variants::name_arms(body),
        Body::Alias(_) => {}
    });
}
