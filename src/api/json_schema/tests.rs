//! Tests of what schemas become.
use super::{export, files};
use crate::{
    base::{diag::Diagnostics, source::Source},
    input::crd::{self, Crd},
};
use serde_json::{Value, json};

/// Reads the CRD of a kind whose version v1 has this schema.
fn crd(schema: &Value, preserves: bool) -> Crd {
    let crd = json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "widgets.example.com"},
        "spec": {
            "group": "example.com",
            "scope": "Namespaced",
            "names": {"kind": "Widget", "plural": "widgets"},
            "preserveUnknownFields": preserves,
            "versions": [
                {"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": schema}},
                {"name": "v2", "served": false, "storage": false, "schema": {"openAPIV3Schema": schema}},
            ],
        },
    });
    let mut diagnostics = Diagnostics::new();
    let source = Source::new("crd.yaml", crd.to_string());
    let mut crds = crd::parse(&[source], &mut diagnostics);
    crds.remove(0)
}

fn spec(node: &Value, strict: bool) -> Value {
    let schema = json!({"type": "object", "properties": {"spec": node}});
    let exported = export(&crd(&schema, false), strict);
    assert_eq!(exported.len(), 1);
    assert_eq!(exported[0].path, "example.com/widget_v1.json");
    exported[0].schema["properties"]["spec"].clone()
}

#[track_caller]
fn becomes(node: &Value, expected: &Value) {
    assert_eq!(spec(node, false), *expected);
}

#[test]
fn undeclared_fields_are_rejected_where_they_are_pruned() {
    let pruned =
        json!({"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]});
    let a = json!({"a": {"type": "string"}});
    becomes(
        &pruned,
        &json!({"type": ["object", "null"], "properties": a, "required": ["a"], "additionalProperties": false}),
    );
    let mut kept = pruned;
    kept["x-kubernetes-preserve-unknown-fields"] = true.into();
    assert_eq!(spec(&kept, false).get("additionalProperties"), None);
    assert_eq!(spec(&kept, true)["additionalProperties"], false);
    let items = json!({"type": "array", "items": {"type": "object"}, "x-kubernetes-preserve-unknown-fields": true});
    becomes(
        &items,
        &json!({"type": ["array", "null"], "items": {"type": "object"}}),
    );
    let any = json!({"x-kubernetes-preserve-unknown-fields": true});
    becomes(&any, &json!({}));
}

#[test]
fn a_crd_that_preserves_unknown_fields_keeps_them_everywhere() {
    let inner = json!({"type": "object", "properties": {"a": {"type": "string"}}});
    let schema = json!({"type": "object", "properties": {"spec": inner}});
    for (strict, expected) in [(false, None), (true, Some(&json!(false)))] {
        let exported = export(&crd(&schema, true), strict);
        let spec = &exported[0].schema["properties"]["spec"];
        assert_eq!(spec.get("additionalProperties"), expected);
    }
}

#[test]
fn extensions_become_what_they_mean() {
    becomes(
        &json!({"x-kubernetes-int-or-string": true, "anyOf": [{"type": "integer"}, {"type": "string"}]}),
        &json!({"type": ["integer", "string", "null"]}),
    );
    becomes(
        &json!({"type": "array", "x-kubernetes-list-type": "set", "items": {"type": "string"}, "nullable": true}),
        &json!({"type": ["array", "null"], "items": {"type": "string"}, "uniqueItems": true}),
    );
    becomes(
        &json!({"type": "integer", "format": "int32", "minimum": 0, "exclusiveMinimum": true}),
        &json!({"type": ["integer", "null"], "exclusiveMinimum": 0, "maximum": 2_147_483_647}),
    );
    let embedded = spec(
        &json!({"type": "object", "x-kubernetes-embedded-resource": true, "x-kubernetes-preserve-unknown-fields": true}),
        false,
    );
    assert_eq!(embedded["required"], json!(["apiVersion", "kind"]));
}

#[test]
fn defaults_and_null_are_filled_in_before_anything_is_validated() {
    becomes(
        &json!({"type": "object", "required": ["a"], "properties": {"a": {"type": "string", "enum": ["x"], "default": "x"}}}),
        &json!({
            "type": ["object", "null"],
            "properties": {"a": {"type": ["string", "null"], "enum": ["x", null], "default": "x"}},
            "additionalProperties": false,
        }),
    );
    becomes(
        &json!({"type": "object", "additionalProperties": {"type": "string"}, "oneOf": [{"required": ["a"]}]}),
        &json!({
            "type": ["object", "null"],
            "additionalProperties": {"type": ["string", "null"]},
            "anyOf": [{"type": "null"}, {"oneOf": [{"required": ["a"]}]}],
        }),
    );
}

#[test]
fn patterns_of_go_alone_are_left_out() {
    becomes(
        &json!({"type": "string", "pattern": "(?i)^a"}),
        &json!({"type": ["string", "null"], "$comment": "pattern of Go: (?i)^a"}),
    );
}

#[test]
fn the_index_applies_the_schema_of_each_kind() {
    let mut crd = crd(&json!({"type": "object"}), false);
    crd.group = "../evil/..".to_owned();
    crd.names.kind = "A/B".to_owned();
    let files = files(&export(&crd, false));
    let paths: Vec<&str> = files.iter().map(|file| file.path.as_str()).collect();
    assert_eq!(paths, ["evil/ab_v1.json", "index.json"]);
    let index: Value = serde_json::from_str(&files[1].text).unwrap();
    assert_eq!(index["allOf"][0]["then"]["$ref"], "evil/ab_v1.json");
}
