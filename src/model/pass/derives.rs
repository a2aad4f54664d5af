//! Decides which types derive `Default`.
//!
//! A type has it where the schema says what a missing value is, or where emptiness says so: absent, empty text, zero, an empty list. An enum
//! without a default has no such value, so neither it nor a struct that requires one has `Default`; such a struct has `new` instead, which
//! takes what is missing. Optional fields never matter: adding one takes nothing away.
//!
//! No struct derives `Eq`: an optional field of a type without it, such as `Container`, would take it away.
use super::known;
use crate::base::diag::Diagnostics;
use crate::base::options::Options;
use crate::model::ir::{Body, DefaultImpl, Model, Presence, Struct, Ty, TypeId, Types};

pub(super) fn run(model: &mut Model, _: &Options, _: &mut Diagnostics) {
    let types = &model.types;
    let defaults = types.iter().map(|(id, _)| of_type(id, types));
    let defaults: Vec<DefaultImpl> = defaults.collect();
    for ((_, def), default) in model.types.iter_mut().zip(defaults) {
        def.derives.default = default;
    }
}

fn of_type(id: TypeId, types: &Types) -> DefaultImpl {
    match &types[id].body {
        Body::Struct(body) => of_struct(body, types),
        Body::Enum(body) if body.default.or(body.blank()).is_some() => DefaultImpl::Derived,
        Body::Enum(_) | Body::Union(_) => DefaultImpl::Missing,
        // An alias derives nothing, but it has what its target has.
        Body::Alias(ty) => of_part(ty, types),
    }
}

fn of_struct(body: &Struct, types: &Types) -> DefaultImpl {
    let mut own = DefaultImpl::Derived;
    let required = body.fields.iter();
    for field in required.filter(|field| field.presence == Presence::Required) {
        match of_part(&field.ty, types) {
            DefaultImpl::Derived => {}
            DefaultImpl::Blank => own = DefaultImpl::Blank,
            DefaultImpl::Missing => return DefaultImpl::Missing,
        }
    }
    own
}

fn of_part(ty: &Ty, types: &Types) -> DefaultImpl {
    match ty {
        Ty::Scalar(_) | Ty::List(_) | Ty::Map(_) | Ty::Nullable(_) => DefaultImpl::Derived,
        Ty::Named(id) => match (of_type(*id, types), &types[*id].body) {
            // It implements `Default`, whichever way.
            (DefaultImpl::Blank, Body::Struct(_)) => DefaultImpl::Derived,
            (default, _) => default,
        },
        Ty::External(path) => {
            let derives = known::layout(path).is_some_and(|it| it.default);
            if derives {
                DefaultImpl::Derived
            } else {
                DefaultImpl::Blank
            }
        }
    }
}
