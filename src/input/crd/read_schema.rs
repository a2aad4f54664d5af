//! Reads a [`Schema`] with all its keywords.
use super::reader::{At, Reader, closest};
use super::{Additional, Constraints, Items, Schema, SchemaType};
use crate::base::diag::{Code, Diagnostics, Place};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// The types of the OpenAPI schema language.
const TYPES: [&str; 6] = ["object", "array", "string", "integer", "number", "boolean"];

impl Schema {
    /// Reads a schema of a manifest whose problems were reported when the CRD was read.
    pub fn of(value: Value) -> Box<Self> {
        let mut reported = Diagnostics::new();
        let mut reader = Reader::new(Place::default(), &mut reported);
        read(&mut reader, value, &At::default())
    }
}

/// Reads a schema node and its children, and reports keywords of the wrong type.
pub(super) fn read(reader: &mut Reader<'_>, value: Value, at: &At<'_>) -> Box<Schema> {
    let mut schema = Box::<Schema>::default();
    let Some(map) = object(reader, value, at, "a schema") else {
        return schema;
    };
    for (keyword, value) in map {
        if !value.is_null() {
            take(reader, &mut schema, &keyword, value, &at.key(&keyword));
        }
    }
    schema.constraints.all.sort_by_key(|(keyword, _)| {
        Constraints::KEYWORDS
            .iter()
            .position(|known| known == keyword)
    });
    undeclared(reader, &schema, at);
    schema
}

fn take(reader: &mut Reader<'_>, schema: &mut Schema, keyword: &str, value: Value, at: &At<'_>) {
    let kubernetes = &mut schema.kubernetes;
    let logic = &mut schema.logic;
    match keyword {
        "type" => {
            let name = reader.text(&value, at);
            schema.type_ = name.map(|name| type_of(reader, name, at));
        }
        "format" => schema.format = text(reader, value, at),
        "title" => schema.title = text(reader, value, at),
        "description" => schema.description = text(reader, value, at),
        "nullable" => schema.nullable = reader.flag(&value, at),
        "default" => schema.default = Some(value),
        "enum" => schema.enum_ = list(reader, value, at),
        "properties" => {
            schema.properties =
                object(reader, value, at, "a map").map(|map| properties(reader, map, at));
        }
        "required" => schema.required = reader.texts(&value, at),
        "items" => schema.items = items(reader, value, at),
        "additionalProperties" => schema.additional = additional(reader, value, at),
        "oneOf" => logic.one_of = objects(reader, value, at),
        "anyOf" => logic.any_of = objects(reader, value, at),
        "allOf" => logic.all_of = objects(reader, value, at),
        "not" => logic.not = object(reader, value, at, "a map").map(Value::Object),
        "x-kubernetes-preserve-unknown-fields" => {
            kubernetes.preserve_unknown_fields = reader.flag(&value, at);
        }
        "x-kubernetes-embedded-resource" => kubernetes.embedded_resource = reader.flag(&value, at),
        "x-kubernetes-int-or-string" => kubernetes.int_or_string = reader.flag(&value, at),
        "x-kubernetes-list-type" => kubernetes.list_type = text(reader, value, at),
        "x-kubernetes-list-map-keys" => kubernetes.list_map_keys = reader.texts(&value, at),
        "x-kubernetes-map-type" => kubernetes.map_type = text(reader, value, at),
        "x-kubernetes-validations" => kubernetes.validations = objects(reader, value, at),
        "example" | "externalDocs" => {
            schema.annotations.insert(keyword.to_owned(), value);
        }
        _ => match Constraints::KEYWORDS
            .iter()
            .find(|known| **known == keyword)
        {
            Some(known) => constraint(reader, &mut schema.constraints, known, value, at),
            None => {
                schema.unknown.insert(keyword.to_owned(), value);
            }
        },
    }
}

fn text(reader: &mut Reader<'_>, value: Value, at: &At<'_>) -> Option<String> {
    reader.text(&value, at)?;
    match value {
        Value::String(text) => Some(text),
        _ => None,
    }
}

fn list(reader: &mut Reader<'_>, value: Value, at: &At<'_>) -> Option<Vec<Value>> {
    reader.typed(&value, at, "a list", Value::as_array)?;
    match value {
        Value::Array(list) => Some(list),
        _ => None,
    }
}

fn object(
    reader: &mut Reader<'_>,
    value: Value,
    at: &At<'_>,
    wanted: &str,
) -> Option<Map<String, Value>> {
    reader.typed(&value, at, wanted, Value::as_object)?;
    match value {
        Value::Object(map) => Some(map),
        _ => None,
    }
}

fn type_of(reader: &mut Reader<'_>, name: &str, at: &At<'_>) -> SchemaType {
    match name {
        "object" => SchemaType::Object,
        "array" => SchemaType::Array,
        "string" => SchemaType::String,
        "integer" => SchemaType::Integer,
        "number" => SchemaType::Number,
        "boolean" => SchemaType::Boolean,
        other => {
            let hint = known_type(other);
            let message = format!("unknown type {other:?}");
            reader
                .report(Code::UnknownType, at, message)
                .hint(match hint {
                    Some(known) => format!("did you mean `{known}`?"),
                    None => format!("use one of {}", TYPES.join(", ")),
                });
            SchemaType::Unknown(other.to_owned())
        }
    }
}

/// Returns the type that has this name in other languages, or a similar name.
fn known_type(name: &str) -> Option<&'static str> {
    Some(match name.to_ascii_lowercase().as_str() {
        "int" | "int32" | "int64" | "long" => "integer",
        "float" | "double" | "float32" | "float64" | "decimal" => "number",
        "str" | "text" | "date" | "date-time" | "duration" | "quantity" => "string",
        "bool" => "boolean",
        "map" | "struct" | "dict" => "object",
        "list" | "slice" => "array",
        _ => return closest(name, &TYPES),
    })
}

fn properties(
    reader: &mut Reader<'_>,
    map: Map<String, Value>,
    at: &At<'_>,
) -> BTreeMap<String, Box<Schema>> {
    map.into_iter()
        .map(|(name, value)| {
            let schema = read(reader, value, &at.key(&name));
            (name, schema)
        })
        .collect()
}

fn items(reader: &mut Reader<'_>, value: Value, at: &At<'_>) -> Option<Items> {
    if let Value::Array(tuple) = value {
        return Some(Items::Tuple(tuple));
    }
    reader.typed(&value, at, "a schema", Value::as_object)?;
    Some(Items::Schema(read(reader, value, at)))
}

fn additional(reader: &mut Reader<'_>, value: Value, at: &At<'_>) -> Option<Additional> {
    if let Value::Bool(allowed) = value {
        return Some(Additional::Bool(allowed));
    }
    let wanted = "a schema, true or false";
    reader.typed(&value, at, wanted, Value::as_object)?;
    Some(Additional::Schema(read(reader, value, at)))
}

fn objects(reader: &mut Reader<'_>, value: Value, at: &At<'_>) -> Vec<Value> {
    let list = list(reader, value, at).unwrap_or_default();
    for (index, item) in list.iter().enumerate() {
        reader.object(item, &at.index(index));
    }
    list
}

fn constraint(
    reader: &mut Reader<'_>,
    constraints: &mut Constraints,
    keyword: &'static str,
    value: Value,
    at: &At<'_>,
) {
    let fits = match keyword {
        "pattern" => reader.text(&value, at).is_some(),
        "minimum" | "maximum" | "multipleOf" => reader
            .typed(&value, at, "a number", Value::as_f64)
            .is_some(),
        "exclusiveMinimum" | "exclusiveMaximum" | "uniqueItems" => reader
            .typed(&value, at, "true or false", Value::as_bool)
            .is_some(),
        // The API server accepts negative bounds.
        _ => reader.integer(&value, at).is_some(),
    };
    if fits {
        constraints.all.push((keyword, value));
    }
}

/// Reports required properties that are not declared: the API server prunes them, so that they can never be set.
fn undeclared(reader: &mut Reader<'_>, schema: &Schema, at: &At<'_>) {
    let Some(properties) = &schema.properties else {
        return;
    };
    if schema.kubernetes.preserve_unknown_fields || schema.additional.is_some() {
        return;
    }
    if reader.is_legacy || !reader.is_root(at) {
        undeclared_in_branches(reader, schema, properties, at);
    }
    let required = at.key("required");
    for (index, name) in schema.required.iter().enumerate() {
        if !properties.contains_key(name) && !implied(reader, schema, name, at) {
            reader
                .report(
                    Code::RequiredUndeclared,
                    &required.index(index),
                    format!("property {name:?} is required but not declared"),
                )
                .hint("declare it under `properties` or remove it from `required`");
        }
    }
}

/// Reports properties that only a branch of a combinator names: they are pruned too, since branches do not declare.
fn undeclared_in_branches(
    reader: &mut Reader<'_>,
    schema: &Schema,
    declared: &BTreeMap<String, Box<Schema>>,
    at: &At<'_>,
) {
    let logic = &schema.logic;
    let lists = [
        ("oneOf", &logic.one_of),
        ("anyOf", &logic.any_of),
        ("allOf", &logic.all_of),
    ];
    for (keyword, branches) in lists {
        for (index, branch) in branches.iter().enumerate() {
            let properties = branch.get("properties").and_then(Value::as_object);
            for name in properties.into_iter().flat_map(Map::keys) {
                if declared.contains_key(name) || implied(reader, schema, name, at) {
                    continue;
                }
                reader
                    .report_key(
                        Code::RequiredUndeclared,
                        &at.key(keyword).index(index).key("properties").key(name),
                        format!("property {name:?} occurs in a branch of `{keyword}` but is not declared"),
                    )
                    .hint("declare it under the `properties` of the object itself");
            }
        }
    }
}

/// Whether the API server declares the property for every object.
fn implied(reader: &Reader<'_>, schema: &Schema, name: &str, at: &At<'_>) -> bool {
    matches!(name, "apiVersion" | "kind" | "metadata")
        && (schema.kubernetes.embedded_resource || reader.is_root(at))
}
