//! Structs that mean a type of k8s-openapi, and are compatible with it, become that type; what misses one by little is told. Never looks at a schema.
mod compatible;
mod evidence;
mod index;
mod layout;
mod near;
mod sentence;
mod table;
mod twin;
mod types;

pub(super) use layout::layout;
pub use sentence::first_sentence;

use crate::diag::Diagnostics;
use crate::ir::{Body, Field, IntWidth, Model, Struct, Ty, TypeId, Types};
use crate::options::{Kubernetes, Options};
use crate::threads;
use compatible::{Fit, Miss};
use evidence::{Found, Place};
use index::Index;
use near::Near;
use std::collections::BTreeMap;
use types::Type;

pub(super) fn run(model: &mut Model, options: &Options, diagnostics: &mut Diagnostics) {
    if options.no_reuse {
        return;
    }
    let types = &model.types;
    // What stands in the schema of one kind is none of another's business.
    let found = threads::map(&model.kinds, |kind| {
        let mut search = Search {
            types,
            index: Index::of(options.kubernetes),
            fits: Kubernetes::ALL.map(|at| Fit::new(types, at)),
            with: BTreeMap::new(),
            oldest: BTreeMap::new(),
            near: Near::default(),
        };
        search.below(kind.root, None);
        let Search {
            with, oldest, near, ..
        } = search;
        (with, oldest, near)
    });
    let mut with = BTreeMap::new();
    let mut oldest = BTreeMap::new();
    let mut near = Near::default();
    for found in found {
        with.extend(found.0);
        oldest.extend(found.1);
        near.extend(found.2);
    }
    near.report(model, diagnostics);
    model.replace(with);
    for (id, kubernetes) in oldest {
        model.raise(id, kubernetes);
    }
}

/// One walk over the types of a kind, from its root down: what lies in a reused type is not looked at by itself.
struct Search<'m> {
    types: &'m Types,
    index: &'static Index,
    /// One for each version, as they go up.
    fits: [Fit<'m>; Kubernetes::ALL.len()],
    /// What takes the place of a type.
    with: BTreeMap<TypeId, Ty>,
    /// The oldest version in which what takes the place of a type holds all, where it is not the oldest of all.
    oldest: BTreeMap<TypeId, Kubernetes>,
    near: Near,
}

impl Search<'_> {
    /// Looks at what the fields of a struct hold; it is `meant` as a type that it does not fit.
    fn below(&mut self, id: TypeId, meant: Option<&'static Type>) {
        let types = self.types;
        let Body::Struct(body) = &types[id].body else {
            return;
        };
        for field in &body.fields {
            if let Some(inner) = field.ty.named() {
                self.look(inner, body, field, meant);
            }
        }
    }

    /// Reuses a type for what a field holds, or looks below.
    fn look(
        &mut self,
        id: TypeId,
        parent: &Struct,
        field: &Field,
        parent_meant: Option<&'static Type>,
    ) {
        let types = self.types;
        let def = &types[id];
        let Body::Struct(body) = &def.body else {
            return;
        };
        let at = self.index.at;
        let place = Place {
            index: self.index,
            body,
            docs: [def.doc.as_deref(), field.doc.as_deref()],
            parent,
            // The values of a map are not what its property is called.
            name: matches!(
                field.ty.element(),
                None | Some((crate::ir::Segment::Items, _))
            )
            .then_some(field.wire.as_str()),
            is_list: matches!(field.ty, Ty::List(_)),
            meant: parent_meant.and_then(|it| it.field(&field.wire, at)?.ty.holds()),
        };
        match evidence::find(&place) {
            Found::Nothing => self.below(id, None),
            Found::Meant(known) => match self.fits[at as usize].of(id, known) {
                Ok(()) => {
                    self.reuse(id, known);
                    if let Some(oldest) = self.oldest(id, known)
                        && oldest > Kubernetes::default()
                    {
                        self.oldest.insert(id, oldest);
                    }
                }
                Err(miss) => {
                    self.miss(id, known, miss);
                    self.below(id, Some(known));
                }
            },
        }
    }

    /// The oldest version in which the struct fits the type.
    fn oldest(&mut self, id: TypeId, known: &'static Type) -> Option<Kubernetes> {
        let mut fits = Kubernetes::ALL.into_iter().zip(&mut self.fits);
        fits.find_map(|(at, fit)| fit.of(id, known).is_ok().then_some(at))
    }

    /// What is wrong within a part is told of that part, which is looked at by itself.
    fn miss(&mut self, id: TypeId, known: &'static Type, miss: Miss) {
        if miss.is_own {
            let newer = self.oldest(id, known);
            self.near.add(id, known, miss, newer);
        }
    }

    /// Puts the type, and the types in it, in the place of a struct and the types in it.
    fn reuse(&mut self, id: TypeId, known: &'static Type) {
        self.with.insert(id, Ty::External(known.path.to_owned()));
        let types = self.types;
        let Body::Struct(body) = &types[id].body else {
            return;
        };
        for field in &body.fields {
            let (Some(inner), Some(known)) = (field.ty.named(), known.field_of_any(&field.wire))
            else {
                continue;
            };
            let scalar = match known.ty.inner() {
                types::Ty::Struct(known) => {
                    self.reuse(inner, known);
                    continue;
                }
                // The values of an enum.
                types::Ty::I32 => Ty::Int(IntWidth::I32),
                types::Ty::I64 => Ty::Int(IntWidth::I64),
                types::Ty::Bool
                | types::Ty::Str
                | types::Ty::Bytes
                | types::Ty::Time
                | types::Ty::IntOrString
                | types::Ty::Quantity
                | types::Ty::Json
                | types::Ty::Other
                | types::Ty::List(_)
                | types::Ty::Map(_) => Ty::Str,
            };
            self.with.insert(inner, scalar);
        }
    }
}

#[cfg(test)]
mod tests;
