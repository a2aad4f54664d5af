//! Lowers a `oneOf` or `anyOf` of types to a union if each is of another kind of JSON. Structural schemas have none.
use super::node::{Lowering, SchemaNode};
use super::{leftovers, scalar};
use crate::input::crd::{Items, Schema, SchemaType};
use crate::model::ir::{Arm, Body, Ident, IntWidth, Scalar, Ty, Union};
use serde_json::{Map, Value};

pub(super) fn lower(lowering: &mut Lowering<'_>, node: &mut SchemaNode) -> Option<Ty> {
    let schema = &node.schema;
    let plain =
        schema.type_.is_none() && schema.properties.is_none() && schema.additional.is_none();
    let logic = &schema.logic;
    let branches = match (logic.one_of.as_slice(), logic.any_of.as_slice()) {
        (branches, []) | ([], branches) if plain && branches.len() > 1 => branches,
        _ => return None,
    };
    // `items` beside the branches apply to the branch that is a list.
    let items = match &schema.items {
        None => None,
        Some(Items::Schema(items)) => Some(item(items)?),
        Some(Items::Tuple(_)) => return None,
    };
    let mut kinds = Vec::new();
    let mut arms = Vec::new();
    for branch in branches {
        let branch = branch.as_object()?;
        let (kind, name, ty) = arm(branch)?;
        if kind == "null" {
            node.nullable = true;
            continue;
        }
        // `integer` and `number` are the same kind.
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
            ident: Ident::new(name),
        });
    }
    if items.is_some() && !kinds.contains(&"array") {
        return None;
    }
    let schema = &mut node.schema;
    schema.items = None;
    let logic = &mut schema.logic;
    let (keyword, branches) = if logic.one_of.is_empty() {
        ("anyOf", std::mem::take(&mut logic.any_of))
    } else {
        ("oneOf", std::mem::take(&mut logic.one_of))
    };
    if branches.iter().any(has_constraints) {
        node.constrain(keyword, Value::Array(branches));
    }
    node.schema.kubernetes.preserve_unknown_fields = false;
    let body = Body::Union(Union {
        arms,
        other: Ident::new("Other"),
    });
    Some(lowering.define(node, body))
}

/// Returns the kind of JSON of a branch, the name of its variant, and its type.
fn arm(branch: &Map<String, Value>) -> Option<(&'static str, &'static str, Ty)> {
    let text = |key: &str| branch.get(key).and_then(Value::as_str);
    Some(match text("type")? {
        "string" => ("string", "Text", Ty::STR),
        "boolean" => ("boolean", "Boolean", Scalar::Bool.into()),
        "integer" => (
            "number",
            "Integer",
            text("format")
                .and_then(scalar::integer)
                .map_or(Ty::int(IntWidth::I64), Ty::int),
        ),
        "number" => ("number", "Number", Scalar::Number.into()),
        "array" => ("array", "List", Ty::List(Box::new(inner(branch, "items")))),
        "object" => (
            "object",
            "Map",
            Ty::Map(Box::new(inner(branch, "additionalProperties"))),
        ),
        "null" => ("null", "Null", Ty::JSON),
        _ => return None,
    })
}

/// Returns the type of items whose schema has a `type` and no other keyword.
fn item(items: &Schema) -> Option<Ty> {
    let mut rest = items.clone();
    rest.description = None;
    let ty = match rest.type_.take()? {
        SchemaType::String => Ty::STR,
        SchemaType::Boolean => Scalar::Bool.into(),
        SchemaType::Integer => match rest.format.take() {
            Some(format) => Ty::int(scalar::integer(&format)?),
            None => Ty::int(IntWidth::I64),
        },
        SchemaType::Number => Scalar::Number.into(),
        SchemaType::Object | SchemaType::Array | SchemaType::Unknown(_) => return None,
    };
    leftovers::keywords(&rest).is_empty().then_some(ty)
}

/// Returns the type of the items or values of a branch; raw JSON for an object with properties.
fn inner(branch: &Map<String, Value>, key: &str) -> Ty {
    let schema = branch.get(key).and_then(Value::as_object);
    let nullable = |schema: &Map<String, Value>| schema.get("nullable") == Some(&Value::Bool(true));
    schema
        .filter(|schema| !nullable(schema) && !branch.contains_key("properties"))
        .and_then(arm)
        .map_or(Ty::JSON, |(_, _, ty)| ty)
}

/// Returns whether a branch has keywords that its type does not express.
fn has_constraints(branch: &Value) -> bool {
    let known = ["type", "format", "items", "additionalProperties"];
    branch
        .as_object()
        .is_some_and(|branch| branch.keys().any(|key| !known.contains(&key.as_str())))
}
