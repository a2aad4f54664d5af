//! Gives modules, kinds, types, fields and variants their Rust names, once everything else is decided.
mod choices;
mod fields;
pub(super) mod idents;
mod letters;
mod modules;
mod shared;
mod taken;
mod types;
mod variants;
pub(super) mod words;

use crate::base::diag::Diagnostics;
use crate::base::options::Options;
use crate::base::threads;
use crate::model::ir::{Body, Model};

pub(super) fn run(model: &mut Model, _: &Options, diagnostics: &mut Diagnostics) {
    types::name(model, diagnostics);
    threads::for_each(model.types.as_mut_slice(), |_, def| match &mut def.body {
        Body::Struct(body) => {
            fields::name(body);
            choices::members(body, def.origin.path.segments().is_empty());
        }
        Body::Enum(body) => variants::name(body),
        // The names of a union's variants are fixed.
        Body::Union(_) | Body::Alias(_) => {}
    });
}
