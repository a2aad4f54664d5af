//! Decides what each type derives: `Eq` where no part forbids it, `Default` where every required part has one.
use super::known;
use crate::diag::Diagnostics;
use crate::ir::{Body, Field, Model, Presence, Struct, Ty, TypeId, Types};
use crate::options::Options;

pub(super) fn run(model: &mut Model, _: &Options, _: &mut Diagnostics) {
    // From all to those that hold: a type that holds itself loses a trait only for a reason.
    for (_, def) in model.types.iter_mut() {
        def.derives.eq = true;
        def.derives.default = true;
    }
    let ids: Vec<TypeId> = model.types.iter().map(|(id, _)| id).collect();
    let mut changed = true;
    while changed {
        changed = false;
        for id in &ids {
            let def = &model.types[*id];
            let (eq, default) = match &def.body {
                Body::Enum(body) => (true, body.default.is_some()),
                Body::Union(body) => (body.arms.iter().all(|arm| eq(&arm.ty, &model.types)), false),
                Body::Struct(body) => (has_eq(body, &model.types), has_default(body, &model.types)),
                // What it stands for derives them; a type that refers to it asks here.
                Body::Alias(ty) => (eq(ty, &model.types), default(ty, &model.types)),
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
        // `ObjectMeta` of k8s-openapi has no `Eq`; of a foreign type nothing is known.
        Ty::ObjectMeta | Ty::External(_) => false,
        Ty::List(inner) | Ty::Map(inner) | Ty::Nullable(inner) => eq(inner, types),
        Ty::Named(id) => types[*id].derives.eq,
        Ty::Bool
        | Ty::Int(_)
        | Ty::Number
        | Ty::Str
        | Ty::Bytes
        | Ty::Time
        | Ty::IntOrString
        | Ty::Json => true,
    }
}

fn has_default(body: &Struct, types: &Types) -> bool {
    let has_default =
        |field: &Field| field.presence != Presence::Required || default(&field.ty, types);
    body.fields.iter().all(has_default)
}

fn default(ty: &Ty, types: &Types) -> bool {
    match ty {
        // There is no time, and no choice, that means "not set".
        Ty::Time => false,
        Ty::External(path) => known::layout(path).is_some_and(|it| it.default),
        Ty::Named(id) => types[*id].derives.default,
        Ty::Bool
        | Ty::Int(_)
        | Ty::Number
        | Ty::Str
        | Ty::Bytes
        | Ty::IntOrString
        | Ty::Json
        | Ty::ObjectMeta
        | Ty::List(_)
        | Ty::Map(_)
        | Ty::Nullable(_) => true,
    }
}
