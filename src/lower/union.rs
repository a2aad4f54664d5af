//! `oneOf` or `anyOf` of types, each of another kind of JSON, becomes an enum of types; only schemas that are not structural have it.
use super::node::{Lowering, Node};
use super::{leftovers, scalar};
use crate::crd::{Items, Schema, SchemaType};
use crate::ir::{Arm, Body, IntWidth, Ty, Union};
use serde_json::{Map, Value};

pub(super) fn lower(lowering: &mut Lowering<'_>, node: &mut Node) -> Option<Ty> {
    let schema = &node.schema;
    let plain =
        schema.type_.is_none() && schema.properties.is_none() && schema.additional.is_none();
    let logic = &schema.logic;
    let branches = match (logic.one_of.as_slice(), logic.any_of.as_slice()) {
        (branches, []) | ([], branches) if plain && branches.len() > 1 => branches,
        _ => return None,
    };
    // What stands beside the branches holds for the one that is a list.
    let items = match &schema.items {
        None => None,
        Some(Items::Schema(items)) => Some(item(items)?),
        Some(Items::Tuple(_)) => return None,
    };
    let mut kinds = Vec::new();
    let mut arms = Vec::new();
    for branch in branches {
        let branch = branch.as_object()?;
        let (kind, ty) = arm(branch)?;
        if kind == "null" {
            node.nullable = true;
            continue;
        }
        // `integer` and `number` look the same on the wire.
        if kinds.contains(&kind) {
            return None;
        }
        kinds.push(kind);
        let ty = match (ty, &items) {
            (Ty::List(_), Some(item)) => Ty::List(Box::new(item.clone())),
            (ty, _) => ty,
        };
        arms.push(Arm {
            ty,
            ident: String::new(),
        });
    }
    if items.is_some() && !kinds.contains(&"array") {
        return None;
    }
    let schema = &mut node.schema;
    schema.items = None;
    // What the branches say beside the types is told.
    let logic = &mut schema.logic;
    let (keyword, branches) = if logic.one_of.is_empty() {
        ("anyOf", std::mem::take(&mut logic.any_of))
    } else {
        ("oneOf", std::mem::take(&mut logic.one_of))
    };
    if branches.iter().any(says_more) {
        node.tell(keyword, Value::Array(branches));
    }
    node.schema.kubernetes.preserve_unknown_fields = false;
    let body = Body::Union(Union {
        arms,
        other_ident: String::new(),
    });
    Some(Ty::Named(lowering.define(node, body)))
}

/// The kind of JSON that a branch takes, and the type for it.
fn arm(branch: &Map<String, Value>) -> Option<(&'static str, Ty)> {
    let text = |key: &str| branch.get(key).and_then(Value::as_str);
    Some(match text("type")? {
        "string" => ("string", Ty::Str),
        "boolean" => ("boolean", Ty::Bool),
        "integer" => (
            "number",
            text("format")
                .and_then(scalar::integer)
                .map_or(Ty::Int(IntWidth::I64), Ty::Int),
        ),
        "number" => ("number", Ty::Number),
        "array" => ("array", Ty::List(Box::new(inner(branch, "items")))),
        "object" => (
            "object",
            Ty::Map(Box::new(inner(branch, "additionalProperties"))),
        ),
        "null" => ("null", Ty::Json),
        _ => return None,
    })
}

/// The type of items of which the schema says a type and nothing else.
fn item(items: &Schema) -> Option<Ty> {
    let mut rest = items.clone();
    rest.description = None;
    let ty = match rest.type_.take()? {
        SchemaType::String => Ty::Str,
        SchemaType::Boolean => Ty::Bool,
        SchemaType::Integer => match rest.format.take() {
            Some(format) => Ty::Int(scalar::integer(&format)?),
            None => Ty::Int(IntWidth::I64),
        },
        SchemaType::Number => Ty::Number,
        SchemaType::Object | SchemaType::Array | SchemaType::Unknown(_) => return None,
    };
    leftovers::keywords(&rest).is_empty().then_some(ty)
}

/// What the list or map of a branch holds; an object with properties keeps all of them.
fn inner(branch: &Map<String, Value>, key: &str) -> Ty {
    let schema = branch.get(key).and_then(Value::as_object);
    let nullable = |schema: &Map<String, Value>| schema.get("nullable") == Some(&Value::Bool(true));
    schema
        .filter(|schema| !nullable(schema) && !branch.contains_key("properties"))
        .and_then(arm)
        .map_or(Ty::Json, |(_, ty)| ty)
}

/// Whether a branch says more than a type.
fn says_more(branch: &Value) -> bool {
    let known = ["type", "format", "items", "additionalProperties"];
    branch
        .as_object()
        .is_some_and(|branch| branch.keys().any(|key| !known.contains(&key.as_str())))
}
