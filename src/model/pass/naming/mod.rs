//! Gives modules, kinds, types, fields and variants their Rust names, once everything else is decided.
//!
//! A name must not change when something else does: users write it down. So the kind keeps its spelling, and each other type has the name of its
//! kind and path alone, also where it is an alias of a shared type or of one of k8s-openapi. Names are given in this order, each leaving those
//! that are taken: overrides, kinds, clients and lists, paths (whole ones before shortened ones, shallow before deep), and last what only
//! generated code refers to, such as shared types. A collision costs the later one a mark made from its path, not from what it met.
//!
//! Fields and variants are names of their own type, and need to be unique in it alone.
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
