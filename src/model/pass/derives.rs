//! Decides which types derive `Default`.
//!
//! No struct derives `Eq`: an optional field of a type without it, such as `Container`, would take it away.
use super::known;
use crate::base::diag::Diagnostics;
use crate::base::options::Options;
use crate::model::ir::{Body, Model, Presence, Struct, Ty, Types};

pub(super) fn run(model: &mut Model, _: &Options, _: &mut Diagnostics) {
    let types = model.types.iter();
    let defaults = types.map(|(_, def)| match &def.body {
        Body::Struct(body) => derives_default(body, &model.types),
        Body::Enum(body) => body.default.or(body.blank()).is_some(),
        Body::Union(_) => false,
        // An alias derives nothing, but it has what its target has.
        Body::Alias(ty) => has_default(ty, &model.types),
    });
    let defaults: Vec<bool> = defaults.collect();
    for ((_, def), default) in model.types.iter_mut().zip(defaults) {
        def.derives.default = default;
    }
}

/// Returns whether every required field implements `Default`.
fn derives_default(body: &Struct, types: &Types) -> bool {
    let mut required = body.fields.iter();
    required.all(|field| field.presence != Presence::Required || has_default(&field.ty, types))
}

/// Returns whether a type implements `Default`: every generated type does.
fn has_default(ty: &Ty, types: &Types) -> bool {
    match ty {
        Ty::Scalar(_) | Ty::List(_) | Ty::Map(_) | Ty::Nullable(_) => true,
        Ty::Named(id) => match &types[*id].body {
            Body::Alias(ty) => has_default(ty, types),
            Body::Struct(_) | Body::Enum(_) | Body::Union(_) => true,
        },
        Ty::External(path) => known::layout(path).is_some_and(|it| it.default),
    }
}
