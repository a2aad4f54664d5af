//! Equal structs and enums of a group and version come to stand once: one place keeps the definition, the others become aliases of it.
//!
//! Equal is what no user could tell apart: fields, presence and types, and all that is said of them, as descriptions,
//! constraints and defaults. What is said of a type as a whole may differ: each field that holds it says it too.
mod classes;
mod key;

use crate::diag::Diagnostics;
use crate::ir::{Model, Ty, TypeId};
use crate::options::Options;
use crate::threads;
use std::collections::BTreeMap;

pub(super) fn run(model: &mut Model, options: &Options, _: &mut Diagnostics) {
    if options.no_dedup {
        return;
    }
    let classes = threads::map(&model.modules, |module| classes::classes(model, module));
    let mut aliases = BTreeMap::new();
    for class in classes.into_iter().flatten() {
        if let [definition, others @ ..] = class.as_slice() {
            unite(model, *definition, others);
            aliases.extend(others.iter().map(|id| (*id, Ty::Named(*definition))));
        }
    }
    model.replace(aliases);
}

/// Gives the definition what overrides say of any place, and takes from it what does not hold for all.
fn unite(model: &mut Model, definition: TypeId, others: &[TypeId]) {
    for other in others {
        let other = &mut model.types[*other];
        // The places have one name, if any: the definition has it, and the others keep those of their paths.
        other.name.clear();
        let doc = other.doc.take();
        let derives = std::mem::take(&mut other.derives.more);
        let definition = &mut model.types[definition];
        definition.derives.more.extend(derives);
        if definition.doc != doc {
            definition.doc = None;
        }
    }
}

#[cfg(test)]
mod tests;
