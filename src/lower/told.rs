//! Keywords that say something about a value whatever its type: they become docs, presence and rules.
use super::node::Node;
use crate::crd::{Constraints, Logic};
use crate::ir::Ty;
use serde_json::Value;
use std::mem::take;

/// Takes the keywords that no form looks at.
pub(super) fn take_told(node: &mut Node) {
    let schema = &mut node.schema;
    let title = schema.title.take();
    node.doc = schema
        .description
        .take()
        .or(title)
        .filter(|text| !text.trim().is_empty());
    node.nullable = take(&mut schema.nullable);
    node.default = schema.default.take();
    let Constraints { all } = take(&mut schema.constraints);
    node.rules.constraints = all;
    node.rules.validations = take(&mut schema.kubernetes.validations);
    node.rules.list_type = schema.kubernetes.list_type.take();
    node.rules.list_map_keys = take(&mut schema.kubernetes.list_map_keys);
    node.rules.map_type = schema.kubernetes.map_type.take();
    // `example` and `externalDocs` describe the schema to people who read it.
    schema.annotations.clear();
}

/// Takes what no form used, but what still is a constraint on the value.
pub(super) fn take_rest(node: &mut Node, ty: &Ty) {
    if let Some(format) = node.schema.format.take() {
        // Formats are free text: one that has no type of its own is told.
        node.tell("format", Value::String(format));
    }
    let required = take(&mut node.schema.required);
    if !required.is_empty() {
        node.tell(
            "required",
            required.into_iter().map(Value::String).collect(),
        );
    }
    let Logic {
        one_of,
        any_of,
        all_of,
        not,
    } = take(&mut node.schema.logic);
    for (keyword, branches) in [("oneOf", one_of), ("anyOf", any_of), ("allOf", all_of)] {
        if !branches.is_empty() {
            node.tell(keyword, Value::Array(branches));
        }
    }
    if let Some(not) = not {
        node.tell("not", not);
    }
    if matches!(ty, Ty::Json | Ty::Map(_)) {
        // Both keep whatever is there.
        node.schema.kubernetes.preserve_unknown_fields = false;
    }
}
