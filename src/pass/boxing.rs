//! Boxes large optional structs, so that an object in which most of them are absent stays small.
use super::cost::{BOX_BYTES, OWNED_BYTES, bytes};
use super::known;
use crate::diag::Diagnostics;
use crate::ir::{Body, Field, Model, Scalar, Ty, TypeId, Types};
use crate::options::Options;

/// Structs of more bytes than this are boxed.
const LIMIT: usize = 128;

pub(super) fn run(model: &mut Model, _: &Options, _: &mut Diagnostics) {
    let mut sizes = vec![None; model.types.len()];
    let ids: Vec<TypeId> = model.types.iter().map(|(id, _)| id).collect();
    for id in ids {
        size_of(id, &model.types, &mut sizes);
        // `size_of` decided on the same boxes, so the result does not depend on the order of types.
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
        Ty::Named(id) => sizes[id.index()],
        Ty::External(path) => known::layout(path).map(|it| it.size),
        Ty::Scalar(_) | Ty::List(_) | Ty::Map(_) | Ty::Nullable(_) => None,
    };
    let is_large = size.is_some_and(|size| size > LIMIT);
    field
        .boxed
        .unwrap_or(is_large && field.presence.may_be_absent())
}

/// Estimates the size of a type, after those of its parts. The depth of the schema bounds the recursion.
fn size_of(id: TypeId, types: &Types, sizes: &mut [Option<usize>]) -> usize {
    if let Some(size) = sizes[id.index()] {
        return size;
    }
    // Ends the recursion should a type contain itself.
    sizes[id.index()] = Some(BOX_BYTES);
    let size = match &types[id].body {
        Body::Enum(_) => OWNED_BYTES,
        Body::Union(_) => bytes(Scalar::Json),
        Body::Alias(ty) => of_ty(ty, types, sizes),
        Body::Struct(body) => {
            let rest = if body.rest.is_some() { OWNED_BYTES } else { 0 };
            let fields = body.fields.iter().map(|field| {
                let whole = of_ty(&field.ty, types, sizes);
                if is_boxed(field, sizes) {
                    BOX_BYTES
                } else {
                    whole + tag(field)
                }
            });
            fields.sum::<usize>() + rest
        }
    };
    sizes[id.index()] = Some(size);
    size
}

/// Returns the bytes that `Option` adds: none if the type has an invalid value to represent `None`.
fn tag(field: &Field) -> usize {
    if let Ty::Scalar(number @ Scalar::Int(_)) = field.ty
        && field.presence.may_be_absent()
    {
        bytes(number)
    } else {
        0
    }
}

fn of_ty(ty: &Ty, types: &Types, sizes: &mut [Option<usize>]) -> usize {
    match ty {
        Ty::Scalar(scalar) => bytes(*scalar),
        Ty::List(_) | Ty::Map(_) => OWNED_BYTES,
        Ty::Nullable(inner) => of_ty(inner, types, sizes),
        Ty::Named(id) => size_of(*id, types, sizes),
        Ty::External(path) => known::layout(path).map_or(OWNED_BYTES, |it| it.size),
    }
}
