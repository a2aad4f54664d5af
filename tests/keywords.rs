//! No keyword is ignored in silence: each, at each kind of node and each place, changes the model or is told.
use kube_codegen::diag::Diagnostics;
use kube_codegen::source::Source;
use kube_codegen::{crd, lower};
use serde_json::{Value, json};

/// The keywords of OpenAPI v3 and Kubernetes, those of JSON Schema that no definition can have, and one that nobody has;
/// each with a value that says something.
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

/// One node of each kind.
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

/// Where a node stands: the schema of the whole object with the node put in.
type Place = fn(&Value) -> Value;

fn places() -> Vec<(&'static str, Place)> {
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

/// The model without names and manifest, and what was told.
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
    let source = Source {
        name: "test.json".into(),
        path: None,
        text: definition.to_string(),
    };
    let mut findings = Diagnostics::new();
    let crds = crd::parse(&[source], &mut findings);
    let model = lower::lower(crds, &mut findings);
    let types: Vec<_> = model.types.iter().collect();
    let rules: Vec<_> = model.kinds.iter().map(|kind| &kind.rules).collect();
    let told: Vec<_> = findings
        .iter()
        .map(|it| (it.code, &it.message, &it.place.pointer))
        .collect();
    (format!("{types:?} {rules:?}"), format!("{told:?}"))
}

/// What says nothing that is not said already, and why.
fn says_nothing(keyword: &str, value: &Value, node: &Value, place: &str) -> bool {
    let has = |key: &str| node.get(key).is_some();
    match (place, keyword) {
        // Their types are what they are, and no field shows the words on a kind.
        ("metadata" | "embedded metadata", "type") if *value == json!("object") => return true,
        ("kind", "type") if *value == json!("string") => return true,
        ("kind", "title" | "description") => return true,
        _ => {}
    }
    match keyword {
        // Raw JSON holds null by itself, and so does what has no type.
        "nullable" => place == "metadata" || place == "the root" || !has("type"),
        // A map of anything is what an object is that declares nothing.
        "additionalProperties" => {
            *value == json!(true) && node["type"] == "object" && !has("properties")
        }
        "x-kubernetes-preserve-unknown-fields" => node["type"] == "object" && !has("properties"),
        // An empty list is as good as none, for the API server too.
        "enum" => *value == json!([]),
        // What the extension says, in the words of older generators.
        "anyOf" | "type" => has("x-kubernetes-int-or-string"),
        _ => false,
    }
}

#[test]
fn no_keyword_is_ignored_in_silence() {
    let mut ignored = Vec::new();
    for (place, put) in places() {
        for (kind, node) in nodes() {
            if place == "the root" && kind != "struct" {
                continue;
            }
            let before = outcome(&put(&node));
            for (keyword, value) in keywords() {
                if node.get(keyword).is_some() || says_nothing(keyword, &value, &node, place) {
                    continue;
                }
                let mut changed = node.clone();
                changed[keyword] = value.clone();
                if outcome(&put(&changed)) == before {
                    ignored.push(format!("`{keyword}: {value}` of {kind} as {place}"));
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
