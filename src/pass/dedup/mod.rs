//! Equal structs and enums of a group come to stand once, in one of its versions: that place keeps the definition, the others become aliases.
//!
//! Equal is what no user could tell apart: fields, presence and types, and all that is said of them, as descriptions,
//! constraints and defaults. What is said of a type as a whole may differ: each field that holds it says it too.
//!
//! In each version, one place stands for all that are equal there. It has the definition, or is the alias of it that the
//! version's own types name; the others are aliases of that place. So a version names its own places alone, and these are
//! the same whatever other versions there are.
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
        for place in class.iter().flatten().filter(|id| *id != definition) {
            unite(model, *definition, *place);
        }
        for version in &class {
            if let [first, others @ ..] = version.as_slice() {
                within.extend(others.iter().map(|id| (*id, Ty::Named(*first))));
                across.extend((first != definition).then_some((*first, *definition)));
                for other in others {
                    // The places have one name, if any: the first has it, and the others keep those of their paths.
                    model.types[*other].name.clear();
                }
            }
        }
    }
    model.replace(within);
    for (place, definition) in across {
        model.types[place].body = Body::Alias(Ty::Named(definition));
    }
}

/// Gives the definition what overrides say of a place, and takes from it what does not hold for that too.
fn unite(model: &mut Model, definition: TypeId, place: TypeId) {
    let place = &mut model.types[place];
    let doc = place.doc.take();
    let derives = std::mem::take(&mut place.derives.more);
    let definition = &mut model.types[definition];
    definition.derives.more.extend(derives);
    if definition.doc != doc {
        definition.doc = None;
    }
}

#[cfg(test)]
mod tests;
