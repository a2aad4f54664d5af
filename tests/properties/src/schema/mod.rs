//! Strategies for random schemas: structural ones that the API server accepts, and arbitrary ones.
mod scalars;

use kube_codegen_formats::pointer::escape;
use proptest::collection::{btree_map, vec};
use proptest::prelude::*;
use proptest::sample::select;
use scalars::{boolean, either, integer, integers, mixed, number, text, texts};
use serde_json::{Map, Value, json};

/// Names of properties: plain, equal after case conversion, keywords, prelude names, without letters, in other scripts.
pub const NAMES: &[&str] = &[
    "name",
    "replicas",
    "hostAliases",
    "host_aliases",
    "proxyURL",
    "proxyUrl",
    "type",
    "self",
    "Self",
    "super",
    "crate",
    "gen",
    "try",
    "option",
    "Option",
    "vec",
    "string",
    "String",
    "box",
    "value",
    "rest",
    "other_fields",
    "metadata",
    "status",
    "apiVersion",
    "$ref",
    "@type",
    "3d",
    "a.b",
    "a-b",
    "a_b",
    "a b",
    "-",
    "_",
    "__",
    "properties",
    "items",
    "enum",
    "required",
    "配置",
    "имя",
    "größe",
    "😀",
    "fn",
    "new",
    "x",
    "y",
    "n",
    "on",
    "podCIDRs",
    "IPv4",
    "",
    "\"",
    "\\",
    "kind",
];

/// Returns a schema of any type with this depth.
pub fn node(depth: u32) -> BoxedStrategy<Value> {
    let plain = prop_oneof![
        3 => text(),
        1 => texts(),
        3 => integer(),
        1 => integers(),
        1 => number(),
        1 => boolean(),
        1 => either(),
        1 => mixed(),
        1 => opaque(),
        1 => embedded(),
    ];
    let whole = if depth == 0 {
        plain.boxed()
    } else {
        prop_oneof![4 => plain, 3 => object(depth - 1), 2 => list(depth - 1), 2 => map(depth - 1)]
            .boxed()
    };
    (whole, proptest::bool::weighted(0.15))
        .prop_map(|(mut schema, nullable)| {
            if nullable && let Some(schema) = schema.as_object_mut() {
                schema.insert("nullable".to_owned(), json!(true));
                if let Some(Value::Array(values)) = schema.get_mut("enum") {
                    values.push(Value::Null);
                }
            }
            schema
        })
        .boxed()
}

/// Returns the schema of a kind.
pub fn root(depth: u32) -> BoxedStrategy<Value> {
    object(depth)
        .prop_map(|mut schema| {
            // What every object has is the server's to describe.
            if let Some(properties) = schema["properties"].as_object_mut() {
                properties.retain(|name, _| !is_given(name));
            }
            if let Some(required) = schema["required"].as_array_mut() {
                required.retain(|name| !name.as_str().is_some_and(is_given));
            }
            schema
        })
        .boxed()
}

/// Whether every object has the property.
pub fn is_given(name: &str) -> bool {
    matches!(name, "apiVersion" | "kind" | "metadata")
}

/// Returns a schema with arbitrary values and misplaced keywords, which the server would reject.
pub fn wild(depth: u32) -> BoxedStrategy<Value> {
    const KEYWORDS: &[&str] = &[
        "type",
        "format",
        "nullable",
        "default",
        "enum",
        "properties",
        "required",
        "items",
        "additionalProperties",
        "oneOf",
        "anyOf",
        "allOf",
        "not",
        "x-kubernetes-preserve-unknown-fields",
        "x-kubernetes-embedded-resource",
        "x-kubernetes-int-or-string",
        "x-kubernetes-list-type",
        "x-kubernetes-list-map-keys",
        "x-kubernetes-validations",
        "minimum",
        "pattern",
        "title",
        "description",
        "$ref",
        "definitions",
        "example",
        "uniqueItems",
    ];
    let junk = prop_oneof![
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        select(NAMES).prop_map(Value::from),
        select(
            &[
                "object", "array", "string", "integer", "number", "boolean", "date"
            ][..]
        )
        .prop_map(Value::from),
        vec(select(NAMES), 0..3).prop_map(Value::from),
        vec(node(0), 0..3).prop_map(Value::from),
        btree_map(select(NAMES), node(0), 0..3).prop_map(|map| map
            .into_iter()
            .map(|(name, schema)| (name.to_owned(), schema))
            .collect()),
        Just(Value::Null),
    ];
    (
        node(depth),
        vec((select(KEYWORDS), junk, any::<prop::sample::Index>()), 0..4),
    )
        .prop_map(|(mut schema, additions)| {
            for (keyword, value, place) in additions {
                let mut paths = Vec::new();
                places(&schema, String::new(), &mut paths);
                let path = paths.swap_remove(place.index(paths.len()));
                if let Some(Value::Object(map)) = schema.pointer_mut(&path) {
                    map.insert(keyword.to_owned(), value);
                }
            }
            schema
        })
        .boxed()
}

fn places(value: &Value, path: String, into: &mut Vec<String>) {
    if let Value::Object(map) = value {
        for (key, value) in map {
            places(value, format!("{path}/{}", escape(key)), into);
        }
        into.push(path);
    }
}

fn opaque() -> BoxedStrategy<Value> {
    prop_oneof![
        Just(json!({"x-kubernetes-preserve-unknown-fields": true})),
        Just(json!({"x-kubernetes-preserve-unknown-fields": true, "properties": {"a": {"type": "string"}}})),
        Just(json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true})),
        Just(json!({"type": "object", "additionalProperties": true})),
    ]
    .boxed()
}

fn embedded() -> BoxedStrategy<Value> {
    Just(json!({
        "type": "object",
        "x-kubernetes-embedded-resource": true,
        "x-kubernetes-preserve-unknown-fields": true,
    }))
    .boxed()
}

fn object(depth: u32) -> BoxedStrategy<Value> {
    (
        btree_map(select(NAMES), (node(depth), any::<bool>()), 1..8),
        proptest::bool::weighted(0.15),
    )
        .prop_map(|(fields, preserved)| {
            let required: Vec<&str> = fields
                .iter()
                .filter(|(_, (_, required))| *required)
                .map(|(name, _)| *name)
                .collect();
            let mut schema = json!({"type": "object"});
            if !required.is_empty() {
                schema["required"] = json!(required);
            }
            let properties: Map<String, Value> = fields
                .into_iter()
                .map(|(name, (schema, _))| (name.to_owned(), schema))
                .collect();
            schema["properties"] = Value::Object(properties);
            if preserved {
                schema["x-kubernetes-preserve-unknown-fields"] = json!(true);
            }
            schema
        })
        .boxed()
}

fn list(depth: u32) -> BoxedStrategy<Value> {
    node(depth)
        .prop_map(|items| json!({"type": "array", "items": items}))
        .boxed()
}

fn map(depth: u32) -> BoxedStrategy<Value> {
    node(depth)
        .prop_map(|values| json!({"type": "object", "additionalProperties": values}))
        .boxed()
}

/// Returns the CRD of a kind with this schema.
pub fn manifest(kind: &str, schema: &Value) -> Value {
    manifest_of(kind, &[("v1", schema)])
}

/// Returns the CRD of a kind with these versions; the first one is stored.
pub fn manifest_of(kind: &str, versions: &[(&str, &Value)]) -> Value {
    let plural = kind.to_ascii_lowercase();
    let stored = versions.first().map(|(name, _)| *name);
    let versions = versions.iter().map(|(name, schema)| {
        json!({"name": name, "served": true, "storage": stored == Some(*name), "schema": {"openAPIV3Schema": schema}})
    });
    json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": format!("{plural}.example.com")},
        "spec": {
            "group": "example.com",
            "scope": "Namespaced",
            "names": {"kind": kind, "plural": plural},
            "versions": versions.collect::<Value>(),
        },
    })
}
