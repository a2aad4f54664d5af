//! `enum` of strings becomes a text enum; other enums stay rules on a plain type.
use super::node::{Lowering, Node};
use crate::crd::SchemaType;
use crate::diag::Code;
use crate::ir::{Body, Enum, Ty, Variant};
use serde_json::Value;
use std::collections::BTreeSet;

pub(super) fn lower(lowering: &mut Lowering<'_>, node: &mut Node) -> Option<Ty> {
    let values = node.schema.enum_.take()?;
    let texts = texts(&values);
    if texts.is_empty() || !matches!(node.schema.type_, None | Some(SchemaType::String)) {
        // `null` alone says nothing that `nullable` does not.
        if values.iter().any(|value| !value.is_null()) {
            lowering
                .report(
                    Code::PlainEnum,
                    &node.path,
                    Some("enum"),
                    "an enum of values that are not strings stays a plain type".into(),
                )
                .hint("the values are told in the docs of the field");
            node.tell("enum", Value::Array(values));
        }
        return None;
    }
    if texts.len() < values.iter().filter(|value| !value.is_null()).count() {
        lowering
            .report(
                Code::PlainEnum,
                &node.path,
                Some("enum"),
                "values that are not strings, or stand twice, are left out of the enum".into(),
            )
            .hint("a string can never equal them");
    }
    node.schema.type_ = None;
    let default = node.default.as_ref().and_then(Value::as_str);
    let body = Body::Enum(Enum {
        default: default.and_then(|text| texts.iter().position(|value| *value == text)),
        variants: texts
            .into_iter()
            .map(|value| Variant {
                value: value.to_owned(),
                ident: String::new(),
            })
            .collect(),
        other_ident: String::new(),
    });
    Some(Ty::Named(lowering.define(node, body)))
}

/// The strings among the values, each once.
fn texts(values: &[Value]) -> Vec<&str> {
    let mut seen = BTreeSet::new();
    values
        .iter()
        .filter_map(Value::as_str)
        .filter(|text| seen.insert(*text))
        .collect()
}
