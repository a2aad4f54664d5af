//! Lowers `x-kubernetes-int-or-string`, or the equivalent `anyOf`, to `IntOrString`, and to `Quantity` if the pattern says so.
use super::node::{Lowering, SchemaNode};
use crate::input::crd::{Schema, SchemaType};
use crate::model::ir::{Scalar, Ty};
use serde_json::{Value, json};

/// The pattern that controller-gen writes for each `resource.Quantity` of Go.
const QUANTITY: &str = r"^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$";

pub(super) fn lower(_: &mut Lowering<'_>, node: &mut SchemaNode) -> Option<Ty> {
    let schema = &mut node.schema;
    if !(schema.kubernetes.int_or_string || is_pair(schema)) {
        return None;
    }
    take(schema);
    Some(Scalar::IntOrString.into())
}

/// Lowers a string, or an integer or a string, with the pattern of quantities.
pub(super) fn quantity(_: &mut Lowering<'_>, node: &mut SchemaNode) -> Option<Ty> {
    let schema = &node.schema;
    let is_text = matches!(schema.type_, Some(SchemaType::String)) && schema.format.is_none();
    let is_either = schema.kubernetes.int_or_string || is_pair(schema);
    let constraints = &mut node.rules.constraints;
    let at = constraints
        .iter()
        .position(|(keyword, value)| *keyword == "pattern" && *value == QUANTITY)?;
    if !is_either && !is_text {
        return None;
    }
    constraints.remove(at);
    take(&mut node.schema);
    Some(Scalar::Quantity.into())
}

/// Takes the keywords of the form.
pub(super) fn take(schema: &mut Schema) {
    schema.kubernetes.int_or_string = false;
    // Older generators write a type in addition to the extension.
    schema
        .type_
        .take_if(|kind| matches!(kind, SchemaType::Integer | SchemaType::String));
    if is_either(&schema.logic.any_of) {
        schema.logic.any_of.clear();
    }
}

/// Returns whether the node has no type but an `anyOf` of integer and string.
pub(super) fn is_pair(schema: &Schema) -> bool {
    schema.type_.is_none() && is_either(&schema.logic.any_of)
}

/// Returns whether the branches are `{type: integer}` and `{type: string}`, in either order.
fn is_either(any_of: &[Value]) -> bool {
    let (integer, string) = (json!({"type": "integer"}), json!({"type": "string"}));
    match any_of {
        [a, b] => (*a == integer && *b == string) || (*a == string && *b == integer),
        _ => false,
    }
}
