//! Shares equal structs and enums of a group: one location in one version has the definition, the others become aliases.
//!
//! Types are equal if their fields have equal names, types, presence, descriptions, constraints and defaults. The descriptions of the
//! types themselves may differ, since the fields that hold them have them too; the shared type has the one of most locations.
//!
//! In each version, the first of the equal locations has the definition, or is an alias of it in another version; the others are
//! aliases of the first. Fields refer to their own locations, so sharing changes none of them.
mod classes;
mod key;

use crate::base::diag::Diagnostics;
use crate::base::options::Options;
use crate::base::threads;
use crate::model::ir::{Body, Model, Module, Ty, TypeId};
use classes::Class;
use std::collections::BTreeMap;

pub(super) fn run(model: &mut Model, options: &Options, _: &mut Diagnostics) {
    if !options.dedup {
        return;
    }
    let groups: Vec<&[Module]> = model.modules.chunk_by(|a, b| a.group == b.group).collect();
    let classes = threads::map(&groups, |group| classes::classes(model, group));
    for class in classes.into_iter().flatten() {
        share(model, &class);
    }
}

/// Makes all locations of a class aliases, except the one with the definition.
fn share(model: &mut Model, class: &Class) {
    let Some(definition) = class.first().and_then(|ids| ids.first()).copied() else {
        return;
    };
    let doc = best_description(model, class);
    model.types[definition].doc = doc;
    for ids in class {
        let Some((first, others)) = ids.split_first() else {
            continue;
        };
        if *first != definition {
            become_alias(model, *first, definition, definition);
        }
        for other in others {
            become_alias(model, *other, *first, definition);
            // The first location keeps the name of an override; the others are named for their paths.
            model.types[*other].name = None;
        }
    }
}

/// Makes a location an alias, and adds its derives to the definition.
fn become_alias(model: &mut Model, id: TypeId, of: TypeId, definition: TypeId) {
    let def = &mut model.types[id];
    def.body = Body::Alias(Ty::Named(of));
    def.doc = None;
    let derives = std::mem::take(&mut def.derives.more);
    model.types[definition].derives.more.extend(derives);
}

/// Returns the description that most locations have, the longest one of several.
fn best_description(model: &Model, class: &Class) -> Option<String> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let docs = class
        .iter()
        .flatten()
        .filter_map(|id| model.types[*id].doc.as_deref());
    for doc in docs {
        *counts.entry(doc).or_default() += 1;
    }
    let best = counts
        .into_iter()
        .max_by_key(|(doc, count)| (*count, doc.len()));
    best.map(|(doc, _)| doc.to_owned())
}

#[cfg(test)]
mod tests;
