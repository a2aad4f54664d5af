//! Lowers arrays to lists, `additionalProperties` to maps, and schemas without content to raw JSON.
use super::node::{Lowering, SchemaNode};
use crate::base::diag::Code;
use crate::input::crd::{Additional, Items, SchemaType};
use crate::model::ir::{Segment, Ty};

/// Lowers a schema that preserves unknown fields and has no `type`: properties, items and values constrain objects and arrays, but
/// the API server accepts any other JSON too.
pub(super) fn any(lowering: &mut Lowering<'_>, node: &mut SchemaNode) -> Option<Ty> {
    let schema = &mut node.schema;
    if schema.type_.is_some() || !schema.kubernetes.preserve_unknown_fields {
        return None;
    }
    let properties = schema.properties.take().filter(|all| !all.is_empty());
    let properties = properties.map(|_| "properties");
    let values = schema.additional.take().map(|_| "additionalProperties");
    let items = schema.items.take().map(|_| "items");
    if let Some(keyword) = properties.or(values).or(items) {
        lowering
            .report(
                Code::RawJson,
                &node.path,
                Some(keyword),
                format!("`{keyword}` without a `type` accepts any JSON here; it becomes raw JSON"),
            )
            .hint("add `type: object` or `type: array` if no other value is valid");
    }
    Some(Ty::JSON)
}

/// Lowers `type: array`.
pub(super) fn list(lowering: &mut Lowering<'_>, node: &mut SchemaNode) -> Option<Ty> {
    node.schema
        .type_
        .take_if(|kind| *kind == SchemaType::Array)?;
    let (keyword, message, hint) = match node.schema.items.take() {
        Some(Items::Schema(items)) => {
            let items = lowering.element(items, node.path.join(Segment::Items), &mut node.rules);
            return Some(Ty::List(Box::new(items)));
        }
        Some(Items::Tuple(_)) => (
            Some("items"),
            "a list of schemas in `items` is not structural; the items are raw JSON",
            "use one schema for all items",
        ),
        None => (
            None,
            "this array has no `items`; its items are raw JSON",
            "describe the items in `items`",
        ),
    };
    lowering
        .report(Code::RawJson, &node.path, keyword, message.into())
        .hint(hint);
    Some(Ty::List(Box::new(Ty::JSON)))
}

/// Lowers `type: object` with `additionalProperties`.
pub(super) fn map(lowering: &mut Lowering<'_>, node: &mut SchemaNode) -> Option<Ty> {
    if !matches!(node.schema.type_, None | Some(SchemaType::Object)) {
        return None;
    }
    let values = match node.schema.additional.take()? {
        Additional::Schema(values) => {
            lowering.element(values, node.path.join(Segment::Values), &mut node.rules)
        }
        Additional::Bool(_) => Ty::JSON,
    };
    node.schema.type_ = None;
    Some(Ty::Map(Box::new(values)))
}

/// Lowers a node that no form recognises: an object to a map of JSON, one without a type to raw JSON.
pub(super) fn opaque(lowering: &mut Lowering<'_>, node: &mut SchemaNode) -> Ty {
    match node.schema.type_.take() {
        Some(SchemaType::Object) => {
            node.rules.pruned = !node.schema.kubernetes.preserve_unknown_fields;
            Ty::Map(Box::new(Ty::JSON))
        }
        None => {
            lowering
                .report(
                    Code::RawJson,
                    &node.path,
                    None,
                    "this schema has no `type`; it becomes raw JSON".into(),
                )
                .hint("the API server rejects the CRD: add a `type`, or `x-kubernetes-preserve-unknown-fields: true` if any JSON is valid");
            Ty::JSON
        }
        // An unknown type was reported when the CRD was parsed; every other type has its form.
        Some(_) => Ty::JSON,
    }
}
