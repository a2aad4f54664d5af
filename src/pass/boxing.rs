//! Optional structs that are large stand behind a `Box`: an object where most of them are absent stays small.
use super::known;
use crate::diag::Diagnostics;
use crate::ir::{Body, Field, IntWidth, Model, Ty, TypeId, Types};
use crate::options::Options;

/// Structs of more bytes than this are boxed. Estimates of a 64-bit machine, so that the output is the same everywhere.
const LIMIT: usize = 128;

pub(super) fn run(model: &mut Model, _: &Options, _: &mut Diagnostics) {
    let mut sizes = vec![None; model.types.len()];
    let ids: Vec<TypeId> = model.types.iter().map(|(id, _)| id).collect();
    for id in ids {
        size_of(id, &model.types, &mut sizes);
        // The estimate of a type counts its boxes, so that they are the same whatever type is looked at first.
        if let Body::Struct(body) = &mut model.types[id].body {
            for field in &mut body.fields {
                let boxed = is_boxed(field, &sizes);
                field.boxed = Some(boxed);
            }
        }
    }
}

fn is_boxed(field: &Field, sizes: &[Option<usize>]) -> bool {
    let size = match &field.ty {
        Ty::Named(id) => sizes[id.0 as usize],
        Ty::External(path) => known::layout(path).map(|it| it.size),
        Ty::Bool
        | Ty::Int(_)
        | Ty::Number
        | Ty::Str
        | Ty::Bytes
        | Ty::Time
        | Ty::IntOrString
        | Ty::Json
        | Ty::ObjectMeta
        | Ty::List(_)
        | Ty::Map(_)
        | Ty::Nullable(_) => None,
    };
    let large = size.is_some_and(|size| size > LIMIT);
    field
        .boxed
        .unwrap_or(large && field.presence.may_be_absent())
}

/// Bytes of a type; what it holds is measured before it, as deep as the schema is.
fn size_of(id: TypeId, types: &Types, sizes: &mut [Option<usize>]) -> usize {
    let at = id.0 as usize;
    if let Some(size) = sizes[at] {
        return size;
    }
    // Taken as one word should a type hold itself.
    sizes[at] = Some(8);
    let size = match &types[id].body {
        Body::Enum(_) => 24,
        Body::Union(_) => 32,
        Body::Alias(ty) => of_ty(ty, types, sizes),
        Body::Struct(body) => {
            let rest = if body.rest { 24 } else { 0 };
            let fields = body.fields.iter().map(|field| {
                let whole = of_ty(&field.ty, types, sizes);
                if is_boxed(field, sizes) {
                    8
                } else {
                    whole + tag(&field.ty, field)
                }
            });
            fields.sum::<usize>() + rest
        }
    };
    sizes[at] = Some(size);
    size
}

/// What being optional adds: nothing where the type has a value to spare.
fn tag(ty: &Ty, field: &Field) -> usize {
    let number = matches!(ty, Ty::Int(_));
    if number && field.presence.may_be_absent() {
        of_scalar(ty)
    } else {
        0
    }
}

fn of_ty(ty: &Ty, types: &Types, sizes: &mut [Option<usize>]) -> usize {
    match ty {
        Ty::Named(id) => size_of(*id, types, sizes),
        Ty::Nullable(inner) => of_ty(inner, types, sizes),
        Ty::Bool
        | Ty::Int(_)
        | Ty::Number
        | Ty::Str
        | Ty::Bytes
        | Ty::Time
        | Ty::IntOrString
        | Ty::Json
        | Ty::ObjectMeta
        | Ty::List(_)
        | Ty::Map(_) => of_scalar(ty),
        Ty::External(path) => known::layout(path).map_or_else(|| of_scalar(ty), |it| it.size),
    }
}

fn of_scalar(ty: &Ty) -> usize {
    match ty {
        Ty::Bool | Ty::Int(IntWidth::I8 | IntWidth::U8) => 1,
        Ty::Int(IntWidth::I16 | IntWidth::U16) => 2,
        Ty::Int(IntWidth::I32 | IntWidth::U32) => 4,
        Ty::Int(IntWidth::I64 | IntWidth::U64) => 8,
        Ty::Number => 16,
        Ty::Json => 32,
        Ty::ObjectMeta => 376,
        Ty::Str
        | Ty::Bytes
        | Ty::Time
        | Ty::IntOrString
        | Ty::List(_)
        | Ty::Map(_)
        | Ty::External(_)
        | Ty::Named(_)
        | Ty::Nullable(_) => 24,
    }
}
