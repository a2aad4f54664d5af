//! Tests that no keyword is ignored silently: each one changes the model or is reported, whatever node it is on.
use crate::base::diag::Diagnostics;
use crate::base::source::Source;
use crate::{input::crd, model::lower};
use serde_json::{Value, json};

/// Returns the keywords of OpenAPI v3 and Kubernetes, those of JSON Schema that structural schemas lack, and an unknown one, each with
/// a value that has an effect.
fn keywords() -> Vec<(&'static str, Value)> {
    vec![
        ("type", json!("string")),
        ("type", json!("integer")),
        ("type", json!("object")),
        ("type", json!("null")),
        ("format", json!("int32")),
        ("format", json!("date-time")),
        ("format", json!("made-up")),
        ("title", json!("A title")),
        ("description", json!("A description.")),
        ("nullable", json!(true)),
        ("default", json!("a")),
        ("enum", json!(["a", "b"])),
        ("enum", json!([1, 2])),
        ("enum", json!([{ "a": 1 }])),
        ("enum", json!([])),
        ("properties", json!({ "more": { "type": "string" } })),
        ("required", json!(["a"])),
        ("items", json!({ "type": "boolean" })),
        ("items", json!([{ "type": "boolean" }])),
        ("additionalItems", json!(false)),
        ("additionalProperties", json!({ "type": "boolean" })),
        ("additionalProperties", json!(true)),
        ("patternProperties", json!({ "^a": { "type": "string" } })),
        ("minimum", json!(1)),
        ("maximum", json!(2)),
        ("exclusiveMinimum", json!(true)),
        ("exclusiveMaximum", json!(true)),
        ("multipleOf", json!(2)),
        ("minLength", json!(1)),
        ("maxLength", json!(2)),
        ("pattern", json!("^a")),
        ("minItems", json!(1)),
        ("maxItems", json!(2)),
        ("uniqueItems", json!(true)),
        ("minProperties", json!(1)),
        ("maxProperties", json!(2)),
        (
            "oneOf",
            json!([{ "required": ["a"] }, { "required": ["b"] }]),
        ),
        ("anyOf", json!([{ "required": ["a"] }])),
        (
            "anyOf",
            json!([{ "type": "integer" }, { "type": "string" }]),
        ),
        ("allOf", json!([{ "required": ["a"] }])),
        ("not", json!({ "required": ["a"] })),
        ("x-kubernetes-preserve-unknown-fields", json!(true)),
        ("x-kubernetes-embedded-resource", json!(true)),
        ("x-kubernetes-int-or-string", json!(true)),
        ("x-kubernetes-list-type", json!("set")),
        ("x-kubernetes-list-map-keys", json!(["a"])),
        ("x-kubernetes-map-type", json!("atomic")),
        ("x-kubernetes-validations", json!([{ "rule": "true" }])),
        ("x-kubernetes-made-up", json!(true)),
        ("$ref", json!("#/definitions/a")),
        ("$schema", json!("http://json-schema.org/draft-04/schema#")),
        ("id", json!("a")),
        ("definitions", json!({ "a": { "type": "string" } })),
        ("dependencies", json!({ "a": ["b"] })),
        ("const", json!("a")),
        ("deprecated", json!(true)),
        ("readOnly", json!(true)),
        ("writeOnly", json!(true)),
        ("discriminator", json!({ "propertyName": "a" })),
        ("xml", json!({ "name": "a" })),
        ("frobnicate", json!(1)),
    ]
}

/// Returns one node of each kind.
fn nodes() -> Vec<(&'static str, Value)> {
    let text = json!({ "type": "string" });
    vec![
        ("nothing", json!({})),
        ("boolean", json!({ "type": "boolean" })),
        ("integer", json!({ "type": "integer" })),
        ("number", json!({ "type": "number" })),
        ("string", text.clone()),
        (
            "date-time",
            json!({ "type": "string", "format": "date-time" }),
        ),
        ("enum", json!({ "type": "string", "enum": ["x", "y"] })),
        (
            "struct",
            json!({ "type": "object", "properties": { "a": text, "b": text } }),
        ),
        (
            "map",
            json!({ "type": "object", "additionalProperties": text }),
        ),
        ("any object", json!({ "type": "object" })),
        (
            "preserving object",
            json!({ "type": "object", "x-kubernetes-preserve-unknown-fields": true }),
        ),
        (
            "any",
            json!({ "x-kubernetes-preserve-unknown-fields": true }),
        ),
        ("list", json!({ "type": "array", "items": text })),
        ("any list", json!({ "type": "array" })),
        (
            "int or string",
            json!({ "x-kubernetes-int-or-string": true }),
        ),
        (
            "embedded",
            json!({ "type": "object", "x-kubernetes-embedded-resource": true, "x-kubernetes-preserve-unknown-fields": true }),
        ),
    ]
}

/// Inserts a node into the schema of the whole object.
type Insert = fn(&Value) -> Value;

/// Returns the locations at which a node can be.
fn locations() -> Vec<(&'static str, Insert)> {
    fn with(field: &Value) -> Value {
        json!({ "type": "object", "properties": { "spec": { "type": "object", "properties": { "x": field } } } })
    }
    vec![
        ("a field", |node| with(node)),
        ("an item", |node| {
            with(&json!({ "type": "array", "items": node }))
        }),
        ("a value", |node| {
            with(&json!({ "type": "object", "additionalProperties": node }))
        }),
        (
            "the spec",
            |node| json!({ "type": "object", "properties": { "spec": node } }),
        ),
        (
            "metadata",
            |node| json!({ "type": "object", "properties": { "metadata": node, "spec": { "type": "object" } } }),
        ),
        ("embedded metadata", |node| {
            with(&json!({
                "type": "object",
                "x-kubernetes-embedded-resource": true,
                "x-kubernetes-preserve-unknown-fields": true,
                "properties": { "metadata": node, "kind": { "type": "string" } },
            }))
        }),
        (
            "kind",
            |node| json!({ "type": "object", "properties": { "kind": node, "spec": { "type": "object" } } }),
        ),
        ("the root", Value::clone),
    ]
}

/// Returns the model and the diagnostics as text.
fn outcome(schema: &Value) -> (String, String) {
    let definition = json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": { "name": "foos.example.com" },
        "spec": {
            "group": "example.com",
            "scope": "Namespaced",
            "names": { "kind": "Foo", "plural": "foos" },
            "versions": [{ "name": "v1", "served": true, "storage": true, "schema": { "openAPIV3Schema": schema } }],
        },
    });
    let source = Source::new("test.json", definition.to_string());
    let mut diagnostics = Diagnostics::new();
    let crds = crd::parse(&[source], &mut diagnostics);
    let model = lower::lower(crds, &mut diagnostics);
    let types: Vec<_> = model.types.iter().collect();
    let rules: Vec<_> = model.kinds.iter().map(|kind| &kind.rules).collect();
    let reported: Vec<_> = diagnostics
        .iter()
        .map(|it| (it.code, &it.message, &it.place.pointer))
        .collect();
    (format!("{types:?} {rules:?}"), format!("{reported:?}"))
}

/// Returns whether a keyword repeats what is fixed or declared anyway.
fn is_redundant(keyword: &str, value: &Value, node: &Value, location: &str) -> bool {
    let has = |key: &str| node.get(key).is_some();
    match (location, keyword) {
        // Their types are fixed, and `kind` is not a field with a doc comment.
        ("metadata" | "embedded metadata", "type") if *value == json!("object") => return true,
        ("kind", "type") if *value == json!("string") => return true,
        ("kind", "title" | "description") => return true,
        _ => {}
    }
    match keyword {
        // Raw JSON can be null itself.
        "nullable" => location == "metadata" || location == "the root" || !has("type"),
        // An object without properties is a map of raw JSON.
        "additionalProperties" => {
            *value == json!(true) && node["type"] == "object" && !has("properties")
        }
        "x-kubernetes-preserve-unknown-fields" => node["type"] == "object" && !has("properties"),
        // An empty list constrains nothing, as in the API server.
        "enum" => *value == json!([]),
        // Older generators write them in addition to the extension.
        "anyOf" | "type" => has("x-kubernetes-int-or-string"),
        _ => false,
    }
}

#[test]
fn no_keyword_is_ignored_silently() {
    let mut ignored = Vec::new();
    for (location, insert) in locations() {
        for (kind, node) in nodes() {
            if location == "the root" && kind != "struct" {
                continue;
            }
            let before = outcome(&insert(&node));
            for (keyword, value) in keywords() {
                if node.get(keyword).is_some() || is_redundant(keyword, &value, &node, location) {
                    continue;
                }
                let mut changed = node.clone();
                changed[keyword] = value.clone();
                if outcome(&insert(&changed)) == before {
                    ignored.push(format!("`{keyword}: {value}` of {kind} as {location}"));
                }
            }
        }
    }
    assert!(
        ignored.is_empty(),
        "{} ignored:\n{}",
        ignored.len(),
        ignored.join("\n")
    );
}
