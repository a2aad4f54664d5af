//! Reads a [`Schema`] with all its keywords.
use super::decode::is_keyword;
use super::reader::{At, CrdReader, closest, texts};
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
        let mut reader = CrdReader::new(Place::default(), &mut reported);
        reader.keeps_unknown = true;
        read(&mut reader, value, &At::default())
    }
}

/// Reads a schema node and its children.
pub(super) fn read(reader: &mut CrdReader<'_>, value: Value, at: &At<'_>) -> Box<Schema> {
    let mut schema = Box::<Schema>::default();
    let Value::Object(map) = value else {
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

fn take(reader: &mut CrdReader<'_>, schema: &mut Schema, keyword: &str, value: Value, at: &At<'_>) {
    let kubernetes = &mut schema.kubernetes;
    let logic = &mut schema.logic;
    match keyword {
        "type" => {
            let name = value.as_str();
            schema.type_ = name.map(|name| type_of(reader, name, at));
        }
        "format" => schema.format = text(value),
        "title" => schema.title = text(value),
        "description" => schema.description = text(value),
        "nullable" => schema.nullable = value == true,
        "default" => schema.default = Some(value),
        "enum" => schema.enum_ = list(value),
        "properties" => {
            schema.properties = object(value).map(|map| properties(reader, map, at));
        }
        "required" => schema.required = texts(&value),
        "items" => schema.items = Some(items(reader, value, at)),
        "additionalProperties" => schema.additional = Some(additional(reader, value, at)),
        "oneOf" => logic.one_of = list(value).unwrap_or_default(),
        "anyOf" => logic.any_of = list(value).unwrap_or_default(),
        "allOf" => logic.all_of = list(value).unwrap_or_default(),
        "not" => logic.not = object(value).map(Value::Object),
        "x-kubernetes-preserve-unknown-fields" => {
            kubernetes.preserve_unknown_fields = value == true;
        }
        "x-kubernetes-embedded-resource" => kubernetes.embedded_resource = value == true,
        "x-kubernetes-int-or-string" => kubernetes.int_or_string = value == true,
        "x-kubernetes-list-type" => kubernetes.list_type = text(value),
        "x-kubernetes-list-map-keys" => kubernetes.list_map_keys = texts(&value),
        "x-kubernetes-map-type" => kubernetes.map_type = text(value),
        "x-kubernetes-validations" => kubernetes.validations = list(value).unwrap_or_default(),
        "example" | "externalDocs" => {
            schema.annotations.insert(keyword.to_owned(), value);
        }
        _ => match Constraints::KEYWORDS
            .iter()
            .find(|known| **known == keyword)
        {
            Some(known) => schema.constraints.all.push((known, value)),
            // What is no keyword at all is reported for the whole manifest; schemas from elsewhere keep it.
            None if is_keyword(keyword) || reader.keeps_unknown => {
                schema.unknown.insert(keyword.to_owned(), value);
            }
            None => {}
        },
    }
}

fn text(value: Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text),
        _ => None,
    }
}

fn list(value: Value) -> Option<Vec<Value>> {
    match value {
        Value::Array(list) => Some(list),
        _ => None,
    }
}

fn object(value: Value) -> Option<Map<String, Value>> {
    match value {
        Value::Object(map) => Some(map),
        _ => None,
    }
}

fn type_of(reader: &mut CrdReader<'_>, name: &str, at: &At<'_>) -> SchemaType {
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
    reader: &mut CrdReader<'_>,
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

fn items(reader: &mut CrdReader<'_>, value: Value, at: &At<'_>) -> Items {
    match value {
        Value::Array(tuple) => Items::Tuple(tuple),
        value => Items::Schema(read(reader, value, at)),
    }
}

fn additional(reader: &mut CrdReader<'_>, value: Value, at: &At<'_>) -> Additional {
    match value {
        Value::Bool(allowed) => Additional::Bool(allowed),
        value => Additional::Schema(read(reader, value, at)),
    }
}

/// Reports required properties that are not declared: the API server prunes them, so that they can never be set.
fn undeclared(reader: &mut CrdReader<'_>, schema: &Schema, at: &At<'_>) {
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
    reader: &mut CrdReader<'_>,
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
fn implied(reader: &CrdReader<'_>, schema: &Schema, name: &str, at: &At<'_>) -> bool {
    matches!(name, "apiVersion" | "kind" | "metadata")
        && (schema.kubernetes.embedded_resource || reader.is_root(at))
}
