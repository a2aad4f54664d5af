//! Shares equal structs and enums of a group: one location in one version keeps the definition, the others become aliases.
//!
//! Types are equal if their fields have equal names, types, presence, descriptions, constraints and defaults. The descriptions of the
//! types themselves may differ, since the fields that hold them have them too.
//!
//! In each version, one location represents all equal ones. It has the definition, or is an alias of it that the version's own
//! types refer to; the others are aliases of that location. So a version refers to its own locations alone, and adding a version
//! changes none of its names.
mod classes;
mod key;
mod priority;

use crate::diag::Diagnostics;
use crate::ir::{Body, Model, Module, Ty, TypeId};
use crate::options::Options;
use crate::threads;
use std::collections::BTreeMap;

pub(super) fn run(model: &mut Model, options: &Options, _: &mut Diagnostics) {
    if options.no_dedup {
        return;
    }
    let groups: Vec<&[Module]> = model.modules.chunk_by(|a, b| a.group == b.group).collect();
    let classes = threads::map(&groups, |group| classes::classes(model, group));
    let mut within = BTreeMap::new();
    let mut across = Vec::new();
    for class in classes.into_iter().flatten() {
        let mut versions = class.iter().map(Vec::as_slice);
        let Some([definition, ..]) = versions.next() else {
            continue;
        };
        for shared in class.iter().flatten().filter(|id| *id != definition) {
            merge(model, *definition, *shared);
        }
        for version in &class {
            if let [first, others @ ..] = version.as_slice() {
                within.extend(others.iter().map(|id| (*id, Ty::Named(*first))));
                across.extend((first != definition).then_some((*first, *definition)));
                for other in others {
                    // The first location keeps the name of an override; the others are named for their paths.
                    model.types[*other].name = None;
                }
            }
        }
    }
    model.replace(within);
    for (alias, definition) in across {
        model.types[alias].body = Body::Alias(Ty::Named(definition));
    }
}

/// Adds the derives of a type to the definition it shares, and removes a description that the two do not share.
fn merge(model: &mut Model, definition: TypeId, shared: TypeId) {
    let shared = &mut model.types[shared];
    let doc = shared.doc.take();
    let derives = std::mem::take(&mut shared.derives.more);
    let definition = &mut model.types[definition];
    definition.derives.more.extend(derives);
    if definition.doc != doc {
        definition.doc = None;
    }
}

#[cfg(test)]
mod tests;
