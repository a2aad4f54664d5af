//! Replaces types that are nested too deeply for rustc by raw JSON: nothing of an object is lost, and its type compiles.
//!
//! To check whether a type is `Send`, rustc visits all types in it and gives up after 128 steps (`recursion_limit`), some of which
//! a future that holds the object takes. The other auto traits take as many steps at most, except `UnwindSafe`, which rustdoc asks
//! for: records implement it themselves, so only lists and maps within one field count there.
use super::{CONTAINER_STEPS, LEAF_STEPS, STEP, known};
use crate::base::diag::{Code, Diagnostics};
use crate::base::options::Options;
use crate::model::ir::{Body, Field, Model, Presence, Ty, TypeId};

/// Steps through a `Box`.
const BOX_STEPS: usize = 2;

/// How many steps the types of an object may take.
const LIMIT: usize = 96;
/// How deeply lists and maps may be nested within one field: rustdoc takes nine steps through a map.
const NESTED: usize = 8;

pub(super) fn run(model: &mut Model, _: &Options, diagnostics: &mut Diagnostics) {
    let reused = model.types.iter().map(|(_, def)| match &def.body {
        Body::Alias(Ty::External(path)) => known::layout(path).map(|it| it.depth),
        Body::Alias(_) | Body::Struct(_) | Body::Enum(_) | Body::Union(_) => None,
    });
    let reused: Vec<Option<usize>> = reused.collect();
    let mut deepest: Vec<Option<usize>> = vec![None; model.types.len()];
    let mut todo: Vec<TypeId> = model.kinds.iter().map(|kind| kind.root).collect();
    let mut cut = Vec::new();
    // A type is visited again if a longer path to it is found; the limit bounds how often.
    while let Some(id) = todo.pop() {
        let depth = deepest[id.index()].unwrap_or(0);
        let def = &mut model.types[id];
        let Body::Struct(body) = &mut def.body else {
            continue;
        };
        for field in &mut body.fields {
            let mut reached = None;
            let depth = depth + wrapper_steps(field);
            if shorten(&mut field.ty, depth, 0, &reused, &mut reached) {
                cut.push((id, def.origin.path.property(&field.wire)));
            }
            if field.ty == Ty::JSON {
                remove_wrappers(field);
            }
            if let Some((inner, depth)) = reached
                && deepest[inner.index()].is_none_or(|known| known < depth)
            {
                deepest[inner.index()] = Some(depth);
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
            .hint("no data is lost; a flatter schema gives types");
    }
}

/// Returns the steps through what wraps the type of a field.
fn wrapper_steps(field: &Field) -> usize {
    let boxed = if field.boxed { BOX_STEPS } else { 0 };
    boxed
        + match field.presence {
            Presence::Required => 0,
            Presence::Optional | Presence::Nullable => STEP,
            Presence::OptionalNullable => 2 * STEP,
        }
}

/// Replaces what is too deep by raw JSON and returns whether it did. `reused` has the depths of reused types; `reached` receives the
/// type that is reached, and its depth.
fn shorten(
    ty: &mut Ty,
    depth: usize,
    nested: usize,
    reused: &[Option<usize>],
    reached: &mut Option<(TypeId, usize)>,
) -> bool {
    let is_too_deep = match ty {
        Ty::Scalar(_) | Ty::Nullable(_) | Ty::External(_) => false,
        Ty::Named(id) => {
            *reached = Some((*id, depth + STEP));
            depth + STEP + reused[id.index()].unwrap_or(LEAF_STEPS) > LIMIT
        }
        Ty::List(_) | Ty::Map(_) => {
            nested >= NESTED || depth + CONTAINER_STEPS + LEAF_STEPS > LIMIT
        }
    };
    if is_too_deep {
        *ty = Ty::JSON;
        *reached = None;
        return true;
    }
    match ty {
        Ty::List(inner) | Ty::Map(inner) => {
            shorten(inner, depth + CONTAINER_STEPS, nested + 1, reused, reached)
        }
        Ty::Nullable(inner) => {
            let cut = shorten(inner, depth + STEP, nested, reused, reached);
            if **inner == Ty::JSON {
                // Raw JSON can be null itself.
                *ty = Ty::JSON;
            }
            cut
        }
        Ty::Scalar(_) | Ty::Named(_) | Ty::External(_) => false,
    }
}

/// Removes the box and `Nullable` from a field of raw JSON, which needs neither.
fn remove_wrappers(field: &mut Field) {
    field.boxed = false;
    field.presence = match field.presence {
        Presence::Required | Presence::Nullable => Presence::Required,
        Presence::Optional | Presence::OptionalNullable => Presence::Optional,
    };
}
