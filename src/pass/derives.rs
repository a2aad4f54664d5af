//! Decides which types derive `Eq` and `Default`.
use super::known;
use crate::diag::Diagnostics;
use crate::ir::{Body, Field, Model, Presence, Scalar, Struct, Ty, TypeId, Types};
use crate::options::Options;

pub(super) fn run(model: &mut Model, _: &Options, _: &mut Diagnostics) {
    // Starts with all traits and removes them until nothing changes, so that a cycle of types loses none by itself.
    for (_, def) in model.types.iter_mut() {
        def.derives.eq = true;
        def.derives.default = true;
    }
    let ids: Vec<TypeId> = model.types.iter().map(|(id, _)| id).collect();
    let mut changed = true;
    while changed {
        changed = false;
        for id in &ids {
            let types = &model.types;
            let (eq, default) = match &types[*id].body {
                Body::Enum(body) => (true, body.default.is_some()),
                Body::Union(body) => (body.arms.iter().all(|arm| eq(&arm.ty, types)), false),
                Body::Struct(body) => (has_eq(body, types), has_default(body, types)),
                // An alias derives nothing, but the types that refer to it look here.
                Body::Alias(ty) => (eq(ty, types), default(ty, types)),
            };
            let derives = &mut model.types[*id].derives;
            changed |= (derives.eq, derives.default) != (eq, default);
            (derives.eq, derives.default) = (eq, default);
        }
    }
}

fn has_eq(body: &Struct, types: &Types) -> bool {
    body.fields.iter().all(|field| eq(&field.ty, types))
}

fn eq(ty: &Ty, types: &Types) -> bool {
    match ty {
        // `ObjectMeta` and `Quantity` have no `Eq`, and an external type may have none.
        Ty::Scalar(Scalar::ObjectMeta | Scalar::Quantity) | Ty::External(_) => false,
        Ty::Scalar(_) => true,
        Ty::List(inner) | Ty::Map(inner) | Ty::Nullable(inner) => eq(inner, types),
        Ty::Named(id) => types[*id].derives.eq,
    }
}

fn has_default(body: &Struct, types: &Types) -> bool {
    let has_default =
        |field: &Field| field.presence != Presence::Required || default(&field.ty, types);
    body.fields.iter().all(has_default)
}

fn default(ty: &Ty, types: &Types) -> bool {
    match ty {
        // No time means "not set".
        Ty::Scalar(Scalar::Time) => false,
        Ty::Scalar(_) | Ty::List(_) | Ty::Map(_) | Ty::Nullable(_) => true,
        Ty::Named(id) => types[*id].derives.default,
        Ty::External(path) => known::layout(path).is_some_and(|it| it.default),
    }
}
