//! Lowers `type: object` with declared properties to a struct.
use super::node::{Lowering, SchemaNode};
use super::one_of;
use crate::base::diag::Code;
use crate::input::crd::{Additional, Schema, SchemaType};
use crate::model::ir::{Body, Field, Ident, Presence, Struct, Ty};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::mem::take;

/// The most fields of a Rust struct. With 1,000, rustc takes a second; with 5,000, eleven seconds; with 20,000, its stack overflows.
const MOST_FIELDS: usize = 1000;

pub(super) fn lower(lowering: &mut Lowering<'_>, node: &mut SchemaNode) -> Option<Ty> {
    if !matches!(node.schema.type_, None | Some(SchemaType::Object)) {
        return None;
    }
    let properties = node.schema.properties.take_if(|all| !all.is_empty())?;
    node.schema.type_ = None;
    if properties.len() > MOST_FIELDS {
        too_many(lowering, node, properties.len());
        keeps_rest(lowering, node);
        return Some(Ty::Map(Box::new(Ty::JSON)));
    }
    let body = body(lowering, node, properties);
    Some(lowering.define(node, Body::Struct(body)))
}

/// Reports an object that no struct with its fields is generated for, because of their number.
fn too_many(lowering: &mut Lowering<'_>, node: &SchemaNode, count: usize) {
    lowering
        .report(
            Code::TooLarge,
            &node.path,
            Some("properties"),
            format!(
                "{count} properties are too many for a Rust struct; they become a map of raw JSON"
            ),
        )
        .hint(format!(
            "a struct has at most {MOST_FIELDS} fields; the API server still checks the values"
        ));
}

/// Takes `required`, `additionalProperties` and `x-kubernetes-preserve-unknown-fields`, and lowers the properties.
pub(super) fn body(
    lowering: &mut Lowering<'_>,
    node: &mut SchemaNode,
    properties: BTreeMap<String, Box<Schema>>,
) -> Struct {
    if properties.len() > MOST_FIELDS {
        too_many(lowering, node, properties.len());
        keeps_rest(lowering, node);
        return Struct {
            fields: Vec::new(),
            rest: Some(Ident::new("rest")),
            choices: Vec::new(),
        };
    }
    // A required name that is neither declared nor preserved was reported when the CRD was parsed.
    let (required, undeclared): (BTreeSet<String>, BTreeSet<String>) =
        take(&mut node.schema.required)
            .into_iter()
            .partition(|name| properties.contains_key(name));
    let fields: Vec<Field> = properties
        .into_iter()
        .map(|(wire, schema)| {
            let required = required.contains(&wire);
            field(lowering, node, wire, schema, required)
        })
        .collect();
    let keeps_rest = keeps_rest(lowering, node);
    if keeps_rest && !undeclared.is_empty() {
        node.constrain(
            "required",
            undeclared.into_iter().map(Value::String).collect(),
        );
    }
    Struct {
        choices: one_of::choices(lowering, node, &fields, keeps_rest),
        fields,
        rest: keeps_rest.then(|| Ident::new("rest")),
    }
}

fn field(
    lowering: &mut Lowering<'_>,
    node: &SchemaNode,
    wire: String,
    schema: Box<Schema>,
    required: bool,
) -> Field {
    let (ty, child) = lowering.lower(schema, node.path.property(&wire));
    // A client may omit what the API server fills in, and must not write another value then.
    let required = required && child.default.is_none();
    Field {
        wire,
        ident: None,
        ty,
        presence: Presence::of(required, child.nullable),
        boxed: false,
        doc: child.doc,
        default: child.default,
        rules: child.rules,
    }
}

/// Returns whether undeclared fields are kept.
fn keeps_rest(lowering: &mut Lowering<'_>, node: &mut SchemaNode) -> bool {
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
