//! The root of a version's schema becomes the struct of the whole object: exactly its top-level properties, and `metadata`.
use super::node::{Lowering, Node};
use super::{embedded, leftovers, object, told};
use crate::crd::{Schema, SchemaType};
use crate::ir::{Body, Presence, Rules, SchemaPath, Ty, TypeId};

/// The root type, and what the schema says of the whole object.
pub(super) fn lower(lowering: &mut Lowering<'_>, schema: Option<Box<Schema>>) -> (TypeId, Rules) {
    let schema = schema.unwrap_or_else(without_schema);
    let mut node = Node::new(schema, SchemaPath::root());
    node.schema
        .type_
        .take_if(|kind| *kind == SchemaType::Object);
    node.schema
        .required
        .retain(|name| !matches!(name.as_str(), "apiVersion" | "kind" | "metadata"));
    let mut properties = node.schema.properties.take().unwrap_or_default();
    // `apiVersion` and `kind` are fixed; the API server itself checks all three, whatever the schema adds.
    let [_, _, metadata] = ["apiVersion", "kind", "metadata"].map(|name| {
        let declared = properties.remove(name);
        embedded::field(lowering, &node.path, name, Presence::Required, declared)
    });
    let mut body = object::body(lowering, &mut node, properties);
    body.fields.push(metadata);
    body.fields.sort_by(|a, b| a.wire.cmp(&b.wire));
    let root = lowering.define(&node, Body::Struct(body));
    told::take_rest(&mut node, &Ty::Named(root));
    // Nobody leaves out an object as a whole.
    node.schema.default = node.default.take();
    leftovers::report(lowering, &node.schema, &node.path);
    (root, node.rules)
}

/// Of an object without a schema, all is kept.
fn without_schema() -> Box<Schema> {
    let mut schema = Box::<Schema>::default();
    schema.kubernetes.preserve_unknown_fields = true;
    schema
}
