//! `x-kubernetes-int-or-string`, or the pair of types it stands for, becomes `IntOrString`.
use super::node::{Lowering, Node};
use crate::crd::{Schema, SchemaType};
use crate::ir::Ty;
use serde_json::{Value, json};

pub(super) fn lower(_: &mut Lowering<'_>, node: &mut Node) -> Option<Ty> {
    let schema = &mut node.schema;
    if !(schema.kubernetes.int_or_string || is_pair(schema)) {
        return None;
    }
    take(schema);
    Some(Ty::IntOrString)
}

/// Takes the keywords that say it.
pub(super) fn take(schema: &mut Schema) {
    schema.kubernetes.int_or_string = false;
    // Older generators write a type beside the extension.
    schema
        .type_
        .take_if(|kind| matches!(kind, SchemaType::Integer | SchemaType::String));
    if is_either(&schema.logic.any_of) {
        schema.logic.any_of.clear();
    }
}

/// Whether the node has no type but the pair of them.
pub(super) fn is_pair(schema: &Schema) -> bool {
    schema.type_.is_none() && is_either(&schema.logic.any_of)
}

/// `[{type: integer}, {type: string}]`, in either order.
fn is_either(any_of: &[Value]) -> bool {
    let (integer, string) = (json!({"type": "integer"}), json!({"type": "string"}));
    match any_of {
        [a, b] => (*a == integer && *b == string) || (*a == string && *b == integer),
        _ => false,
    }
}
