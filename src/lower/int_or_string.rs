//! `x-kubernetes-int-or-string`, or the pair of types it stands for, becomes `IntOrString`.
use super::node::{Lowering, Node};
use crate::crd::SchemaType;
use crate::ir::Ty;
use serde_json::{Value, json};

pub(super) fn lower(_: &mut Lowering<'_>, node: &mut Node) -> Option<Ty> {
    let schema = &mut node.schema;
    let pair = is_pair(&schema.logic.any_of);
    let said = schema.kubernetes.int_or_string;
    let meant = pair && schema.type_.is_none();
    if !(said || meant) {
        return None;
    }
    schema.kubernetes.int_or_string = false;
    // Older generators write a type beside the extension.
    schema
        .type_
        .take_if(|kind| matches!(kind, SchemaType::Integer | SchemaType::String));
    if pair {
        schema.logic.any_of.clear();
    }
    Some(Ty::IntOrString)
}

/// `anyOf: [{type: integer}, {type: string}]`, in either order.
fn is_pair(any_of: &[Value]) -> bool {
    let (integer, string) = (json!({"type": "integer"}), json!({"type": "string"}));
    match any_of {
        [a, b] => (*a == integer && *b == string) || (*a == string && *b == integer),
        _ => false,
    }
}
