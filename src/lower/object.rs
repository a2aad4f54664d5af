//! `type: object` with declared properties becomes a struct.
use super::node::{Lowering, Node};
use crate::crd::{Additional, Schema, SchemaType};
use crate::diag::Code;
use crate::ir::{Body, Field, Presence, Struct, Ty};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::mem::take;

pub(super) fn lower(lowering: &mut Lowering<'_>, node: &mut Node) -> Option<Ty> {
    if !matches!(node.schema.type_, None | Some(SchemaType::Object)) {
        return None;
    }
    let properties = node.schema.properties.take_if(|all| !all.is_empty())?;
    node.schema.type_ = None;
    let body = body(lowering, node, properties);
    Some(Ty::Named(lowering.define(node, Body::Struct(body))))
}

/// Takes `required`, `additionalProperties` and the preserving of unknown fields, and lowers the properties.
pub(super) fn body(
    lowering: &mut Lowering<'_>,
    node: &mut Node,
    properties: BTreeMap<String, Box<Schema>>,
) -> Struct {
    // A name that is neither declared nor kept was told when the CRD was read.
    let (required, undeclared): (BTreeSet<String>, BTreeSet<String>) =
        take(&mut node.schema.required)
            .into_iter()
            .partition(|name| properties.contains_key(name));
    let fields = properties
        .into_iter()
        .map(|(wire, schema)| {
            let required = required.contains(&wire);
            field(lowering, node, wire, schema, required)
        })
        .collect();
    let rest = rest(lowering, node);
    if rest && !undeclared.is_empty() {
        node.tell(
            "required",
            undeclared.into_iter().map(Value::String).collect(),
        );
    }
    Struct {
        fields,
        rest,
        rest_ident: String::new(),
    }
}

fn field(
    lowering: &mut Lowering<'_>,
    node: &Node,
    wire: String,
    schema: Box<Schema>,
    required: bool,
) -> Field {
    let (ty, child) = lowering.lower(schema, node.path.property(&wire));
    // What the API server fills in may be left out, and whoever leaves it out must not write another value.
    let required = required && child.default.is_none();
    Field {
        wire,
        ident: String::new(),
        ty,
        presence: Presence::of(required, child.nullable),
        boxed: None,
        doc: child.doc,
        default: child.default,
        rules: child.rules,
    }
}

/// Whether fields that are not declared are kept.
fn rest(lowering: &mut Lowering<'_>, node: &mut Node) -> bool {
    let preserved = take(&mut node.schema.kubernetes.preserve_unknown_fields);
    match node.schema.additional.take() {
        None | Some(Additional::Bool(false)) => preserved,
        Some(Additional::Bool(true)) => true,
        Some(Additional::Schema(_)) => {
            lowering
                .report(
                    Code::RawJson,
                    &node.path,
                    Some("additionalProperties"),
                    "`additionalProperties` beside `properties` is kept as raw JSON".into(),
                )
                .hint("a structural schema has one or the other");
            true
        }
    }
}
