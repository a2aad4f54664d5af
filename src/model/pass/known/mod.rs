//! Reuses types of k8s-openapi for the structs that are compatible with them, and reports near misses.
//!
//! Two questions are kept apart. Which type a struct stands for is a guess, from the description that the CRD copied and from names of fields
//! (`candidate`, `index`). Whether that type can be used is decided (`compatible`): every value that the schema accepts must come back unchanged.
//! A wrong guess thus costs a reuse, never data. The search goes down from the root and stops below a reused type. The answer for the oldest
//! Kubernetes comes first, so that a newer one changes no type that both have.
mod candidate;
mod compatible;
mod index;
mod layout;
mod lookalikes;
mod near_misses;
mod sentence;
mod table;
mod types;

pub(super) use layout::layout;
#[cfg(feature = "cli")]
pub(crate) use table::{part as known_part, path as known_path};

use crate::base::diag::Diagnostics;
use crate::base::options::{Kubernetes, Options};
use crate::base::threads;
use crate::model::ir::{Body, Field, IntWidth, Model, Segment, Struct, Ty, TypeId, Types};
use candidate::Occurrence;
use compatible::Comparison;
use index::Index;
use near_misses::NearMisses;
use std::collections::BTreeMap;
use types::Type;

pub(super) fn run(model: &mut Model, options: &Options, diagnostics: &mut Diagnostics) {
    if !options.reuse {
        return;
    }
    let types = &model.types;
    // Kinds share no types at this point.
    let search = |oldest: Option<&BTreeMap<TypeId, Ty>>, at: Kubernetes| {
        let found = threads::map(&model.kinds, |kind| {
            let mut search = Search {
                types,
                index: Index::of(at),
                comparisons: Kubernetes::ALL.map(|at| Comparison::new(types, at)),
                oldest,
                found: Reuse::default(),
            };
            search.below(kind.root, None);
            search.found
        });
        let mut all = Reuse::default();
        for found in found {
            all.replacements.extend(found.replacements);
            all.since.extend(found.since);
            all.near_misses.extend(found.near_misses);
        }
        all
    };
    let oldest = Kubernetes::default();
    let all = if options.kubernetes == oldest {
        search(None, oldest)
    } else {
        let with_oldest = search(None, oldest);
        search(Some(&with_oldest.replacements), options.kubernetes)
    };
    all.near_misses.report(model, diagnostics);
    for (id, ty) in all.replacements {
        model.types[id].body = Body::Alias(ty);
    }
    for (id, kubernetes) in all.since {
        model.require_kubernetes(id, kubernetes);
    }
}

/// The result of a search.
#[derive(Default)]
struct Reuse {
    /// The replacements of types.
    replacements: BTreeMap<TypeId, Ty>,
    /// The first Kubernetes version in which a replacement is compatible, if it is not the oldest one.
    since: BTreeMap<TypeId, Kubernetes>,
    near_misses: NearMisses,
}

/// A walk over the types of a kind, from its root. Types within a reused type are not considered by themselves.
struct Search<'m> {
    types: &'m Types,
    index: &'static Index,
    /// One for each version, in ascending order.
    comparisons: [Comparison<'m>; Kubernetes::ALL.len()],
    /// What is reused with the oldest version, if another one is selected.
    oldest: Option<&'m BTreeMap<TypeId, Ty>>,
    found: Reuse,
}

impl Search<'_> {
    /// Considers the types of a struct's fields; the struct itself almost matches `near`.
    fn below(&mut self, id: TypeId, near: Option<&'static Type>) {
        let types = self.types;
        let Body::Struct(body) = &types[id].body else {
            return;
        };
        for field in &body.fields {
            if let Some(inner) = field.ty.named() {
                self.consider(inner, body, field, near);
            }
        }
    }

    /// Reuses a type for the struct in a field, or continues below it.
    fn consider(
        &mut self,
        id: TypeId,
        parent: &Struct,
        field: &Field,
        near_parent: Option<&'static Type>,
    ) {
        let types = self.types;
        let def = &types[id];
        let Body::Struct(body) = &def.body else {
            return;
        };
        let at = self.index.at;
        // The name of a map says nothing about its values.
        let is_map = matches!(field.ty.element(), Some((Segment::Values, _)));
        let occurrence = Occurrence {
            index: self.index,
            body,
            docs: [def.doc.as_deref(), field.doc.as_deref()],
            parent,
            name: (!is_map).then_some(field.wire.as_str()),
            is_list: matches!(field.ty, Ty::List(_)),
            expected: near_parent.and_then(|it| it.field(&field.wire, at)?.ty.holds()),
        };
        let Some(known) = candidate::find(&occurrence) else {
            self.below(id, None);
            return;
        };
        let Err(mismatch) = self.comparisons[at as usize].check(id, known) else {
            self.reuse(id, known);
            let since = self.compatible_since(id, known);
            if let Some(since) = since.filter(|it| *it > Kubernetes::default()) {
                self.found.since.insert(id, since);
            }
            return;
        };
        // A mismatch within a part is reported when the part is considered.
        if mismatch.is_own {
            let since = self.compatible_since(id, known);
            self.found.near_misses.add(id, known, mismatch, since);
        }
        self.below(id, Some(known));
    }

    /// Returns the first Kubernetes version in which a type can replace a struct.
    fn compatible_since(&mut self, id: TypeId, known: &'static Type) -> Option<Kubernetes> {
        let mut comparisons = Kubernetes::ALL.into_iter().zip(&mut self.comparisons);
        comparisons.find_map(|(at, comparison)| comparison.check(id, known).is_ok().then_some(at))
    }

    /// Replaces a struct by a type.
    ///
    /// If the struct is generated with the oldest version, the types of its fields have names there. They keep them, as aliases of the
    /// corresponding types, so that raising the version takes no name away.
    fn reuse(&mut self, id: TypeId, known: &'static Type) {
        let external = Ty::External(known.path.to_owned());
        self.found.replacements.insert(id, external);
        if self.oldest.is_some_and(|oldest| !oldest.contains_key(&id)) {
            self.parts(id, known);
        }
    }

    /// Replaces the types of a struct's fields by those of the fields of a type.
    fn parts(&mut self, id: TypeId, known: &'static Type) {
        let types = self.types;
        let Body::Struct(body) = &types[id].body else {
            return;
        };
        for field in &body.fields {
            let (Some(inner), Some(known)) = (field.ty.named(), known.field_of_any(&field.wire))
            else {
                continue;
            };
            // What is not a struct is an enum: its values are integers or strings.
            let scalar = match known.ty.inner() {
                types::Ty::Struct(known) => {
                    self.reuse(inner, known);
                    continue;
                }
                types::Ty::I32 => Ty::int(IntWidth::I32),
                types::Ty::I64 => Ty::int(IntWidth::I64),
                types::Ty::Bool
                | types::Ty::Str
                | types::Ty::Bytes
                | types::Ty::Time
                | types::Ty::IntOrString
                | types::Ty::Quantity
                | types::Ty::Json
                | types::Ty::Other
                | types::Ty::List(_)
                | types::Ty::Map(_) => Ty::STR,
            };
            self.found.replacements.insert(inner, scalar);
        }
    }
}

#[cfg(test)]
mod tests;
