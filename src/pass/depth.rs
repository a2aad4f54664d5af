//! Types that lie deeper in one another than rustc looks become raw JSON: an object keeps all it has, and its type compiles.
//!
//! Whether a type may be sent to another thread is asked of all types in it, each within the one before, and rustc gives up
//! 128 steps deep (`recursion_limit`). A future that holds an object takes some of them. rustdoc asks of all types too whether they are
//! unwind safe, which takes more steps; the records say it of themselves, so lists and maps within one field are all that counts there.
use super::known;
use crate::diag::{Code, Diagnostics};
use crate::ir::{Body, Field, Model, Presence, Ty, TypeId};
use crate::options::Options;

/// How many steps the types of an object may take.
const LIMIT: usize = 96;
/// Steps through `Option`, through a struct, and through `Nullable`.
pub(super) const PLAIN: usize = 1;
/// Steps through a `Box`.
const BOX: usize = 2;
/// Steps through a `Vec`, or a `BTreeMap`.
pub(super) const CONTAINER: usize = 3;
/// How many lists and maps of one field may lie in one another: rustdoc takes nine steps through a map.
const NESTED: usize = 8;
/// Steps to the ground of what is no struct, such as text or raw JSON.
pub(super) const LEAF: usize = 8;

pub(super) fn run(model: &mut Model, _: &Options, diagnostics: &mut Diagnostics) {
    let mut deepest: Vec<Option<usize>> = vec![None; model.types.len()];
    let mut todo: Vec<TypeId> = model.kinds.iter().map(|kind| kind.root).collect();
    let mut cut = Vec::new();
    // A type is looked at again where it is met deeper; the limit bounds how often.
    while let Some(id) = todo.pop() {
        let depth = deepest[id.0 as usize].unwrap_or(0);
        let def = &mut model.types[id];
        let Body::Struct(body) = &mut def.body else {
            continue;
        };
        for field in &mut body.fields {
            let mut reached = None;
            let depth = depth + around(field);
            if shorten(&mut field.ty, depth, 0, &mut reached) {
                cut.push((id, def.origin.path.property(&field.wire)));
            }
            if field.ty == Ty::Json {
                bare(field);
            }
            if let Some((inner, depth)) = reached
                && deepest[inner.0 as usize].is_none_or(|known| known < depth)
            {
                deepest[inner.0 as usize] = Some(depth);
                todo.push(inner);
            }
        }
    }
    for (id, path) in cut {
        diagnostics
            .report(
                Code::RawJson,
                model.place(id, &path),
                "nested deeper than rustc's recursion limit allows: generated as raw JSON",
            )
            .hint("objects lose nothing; a flatter schema gives types");
    }
}

/// Steps through what a field has around its type.
fn around(field: &Field) -> usize {
    let boxed = if field.boxed == Some(true) { BOX } else { 0 };
    boxed
        + match field.presence {
            Presence::Required => 0,
            Presence::Optional | Presence::Nullable => PLAIN,
            Presence::OptionalNullable => 2 * PLAIN,
        }
}

/// Puts raw JSON in the place of what is too deep, and says whether it did; tells which type is reached, and how deep.
fn shorten(
    ty: &mut Ty,
    depth: usize,
    nested: usize,
    reached: &mut Option<(TypeId, usize)>,
) -> bool {
    let cut = match ty {
        Ty::Named(id) => {
            *reached = Some((*id, depth + PLAIN));
            depth + PLAIN + LEAF > LIMIT
        }
        Ty::List(_) | Ty::Map(_) => nested >= NESTED || depth + CONTAINER + LEAF > LIMIT,
        Ty::External(path) => {
            known::layout(path).is_some_and(|it| depth + PLAIN + it.depth > LIMIT)
        }
        Ty::Bool
        | Ty::Int(_)
        | Ty::Number
        | Ty::Str
        | Ty::Bytes
        | Ty::Time
        | Ty::IntOrString
        | Ty::Json
        | Ty::ObjectMeta
        | Ty::Nullable(_) => false,
    };
    if cut {
        *ty = Ty::Json;
        *reached = None;
        return true;
    }
    match ty {
        Ty::List(inner) | Ty::Map(inner) => shorten(inner, depth + CONTAINER, nested + 1, reached),
        Ty::Nullable(inner) => {
            let cut = shorten(inner, depth + PLAIN, nested, reached);
            if **inner == Ty::Json {
                // It holds null by itself.
                *ty = Ty::Json;
            }
            cut
        }
        Ty::Bool
        | Ty::Int(_)
        | Ty::Number
        | Ty::Str
        | Ty::Bytes
        | Ty::Time
        | Ty::IntOrString
        | Ty::Json
        | Ty::ObjectMeta
        | Ty::Named(_)
        | Ty::External(_) => false,
    }
}

/// Raw JSON needs no box, and holds null by itself.
fn bare(field: &mut Field) {
    field.boxed = Some(false);
    field.presence = match field.presence {
        Presence::Required | Presence::Nullable => Presence::Required,
        Presence::Optional | Presence::OptionalNullable => Presence::Optional,
    };
}
