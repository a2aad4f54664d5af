//! Lowers CRDs to a model without names; what a type cannot express becomes raw JSON and a diagnostic.
//!
//! A node of a schema tries the forms in [`FORMS`] in order, from the special to the general. The first one that recognises the node takes the
//! keywords that it expresses away from the schema. What remains in the end is reported with its location, so no keyword is lost in silence, and
//! a new form is one function and one row.
mod containers;
mod embedded;
mod enums;
mod int_or_string;
mod kind;
mod leftovers;
mod node;
mod object;
mod one_of;
mod scalar;
mod union;

use crate::base::diag::Diagnostics;
#[cfg(test)]
use crate::input::crd::Crd;
use crate::input::crd::Schema;
use crate::model::ir::{Element, KindId, Model, Module, Rules, SchemaPath, Ty};
use node::{Lowering, SchemaNode};

pub(crate) use kind::{Lowered, versions};

/// The schema forms, in the order they are tried: the first that recognises a node consumes its keywords.
const FORMS: &[node::Form] = &[
    enums::lower,
    int_or_string::quantity,
    int_or_string::lower,
    union::lower,
    embedded::lower,
    containers::any,
    object::lower,
    containers::map,
    containers::list,
    scalar::lower,
];

impl Lowering<'_> {
    /// Lowers a node and everything below it.
    pub(super) fn lower(&mut self, schema: Box<Schema>, path: SchemaPath) -> (Ty, SchemaNode) {
        let mut node = SchemaNode::new(schema, path);
        let ty = FORMS
            .iter()
            .find_map(|form| form(self, &mut node))
            .unwrap_or_else(|| containers::opaque(self, &mut node));
        node.take_constraints(&ty);
        leftovers::report(self, &node.schema, &node.path);
        // Raw JSON can be null itself.
        node.nullable &= ty != Ty::JSON;
        (ty, node)
    }

    /// Lowers the items of a list or the values of a map; adds their constraints to those of the whole.
    pub(super) fn element(
        &mut self,
        schema: Box<Schema>,
        path: SchemaPath,
        rules: &mut Rules,
    ) -> Ty {
        let (ty, node) = self.lower(schema, path);
        let element = Element {
            doc: node.doc,
            default: node.default,
            rules: node.rules,
        };
        rules.element = (!element.is_empty()).then(|| Box::new(element));
        if node.nullable {
            Ty::Nullable(Box::new(ty))
        } else {
            ty
        }
    }
}

/// Lowers every served version of every CRD.
#[cfg(test)]
pub(crate) fn lower(crds: Vec<Crd>, diagnostics: &mut Diagnostics) -> Model {
    let lowered = crds.into_iter().flat_map(|mut crd| {
        let all = std::mem::take(&mut crd.versions);
        versions(&crd, all)
    });
    assemble(lowered.collect(), diagnostics)
}

/// Joins the kinds to one model, in which they are sorted by group, version and name.
pub(crate) fn assemble(mut lowered: Vec<Lowered>, diagnostics: &mut Diagnostics) -> Model {
    let mut model = Model::default();
    lowered.sort_by(|a, b| a.order().cmp(&b.order()));
    for (index, lowered) in lowered.into_iter().enumerate() {
        let mut types = lowered.types;
        let id = KindId(u32::try_from(index).unwrap_or(u32::MAX));
        types.iter_mut().for_each(|(_, def)| def.origin.kind = id);
        let before = model.types.append(types);
        let mut kind = lowered.kind;
        kind.root = kind.root.after(before);
        model.kinds.push(kind);
        diagnostics.append(lowered.diagnostics);
    }
    for kind in &model.kinds {
        let module = Module {
            group: kind.group.clone(),
            version: kind.version.clone(),
            ..Module::default()
        };
        if model.modules.last() != Some(&module) {
            model.modules.push(module);
        }
    }
    model
}

#[cfg(test)]
mod tests;
