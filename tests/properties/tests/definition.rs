//! The manifest that generated code embeds is one that `crd()` decodes: what k8s-openapi cannot decode, the generator reports.
#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube_codegen::diag::{Diagnostics, Severity};
use kube_codegen::private::crd;
use kube_codegen::source::Source;
use serde::Deserialize;
use serde_json::{Value, json};

/// A definition in which every field is set that k8s-openapi decodes; schemas are set at the root and in one of each kind of
/// place.
fn complete() -> Value {
    let leaf = json!({
        "$schema": "a", "default": "a", "description": "a", "enum": ["a"], "example": "a",
        "exclusiveMaximum": true, "exclusiveMinimum": true, "externalDocs": {"description": "a", "url": "a"},
        "format": "a", "id": "a", "maxItems": 1, "maxLength": 1, "maxProperties": 1, "maximum": 1.5, "minItems": 1,
        "minLength": 1, "minProperties": 1, "minimum": 1, "multipleOf": 1, "nullable": true, "pattern": "a",
        "required": ["a"], "title": "a", "type": "string", "uniqueItems": true, "$ref": "a",
        "x-kubernetes-embedded-resource": true, "x-kubernetes-int-or-string": true, "x-kubernetes-list-map-keys": ["a"],
        "x-kubernetes-list-type": "a", "x-kubernetes-map-type": "a", "x-kubernetes-preserve-unknown-fields": true,
        "x-kubernetes-validations": [{"fieldPath": "a", "message": "a", "messageExpression": "a", "optionalOldSelf": true,
            "reason": "a", "rule": "a"}],
    });
    let one = json!({"type": "string"});
    json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {
            "annotations": {"a": "b"}, "creationTimestamp": "2024-01-02T03:04:05Z", "deletionGracePeriodSeconds": 1,
            "deletionTimestamp": "2024-01-02T03:04:05Z", "finalizers": ["a"], "generateName": "a", "generation": 1,
            "labels": {"a": "b"}, "name": "foos.example.com", "namespace": "a", "resourceVersion": "1",
            "managedFields": [{"apiVersion": "v1", "fieldsType": "FieldsV1", "fieldsV1": {"f:a": {}}, "manager": "a",
                "operation": "Update", "subresource": "status", "time": "2024-01-02T03:04:05Z"}],
            "ownerReferences": [{"apiVersion": "v1", "blockOwnerDeletion": true, "controller": true, "kind": "a", "name": "a",
                "uid": "a"}],
            "selfLink": "a", "uid": "a",
        },
        "spec": {
            "conversion": {"strategy": "Webhook", "webhook": {"conversionReviewVersions": ["v1"], "clientConfig": {
                "caBundle": "aGk=", "service": {"name": "a", "namespace": "a", "path": "/a", "port": 1}, "url": "a"}}},
            "group": "example.com",
            "names": {"categories": ["a"], "kind": "Foo", "listKind": "FooList", "plural": "foos", "shortNames": ["f"],
                "singular": "foo"},
            "preserveUnknownFields": false,
            "scope": "Namespaced",
            "versions": [{
                "additionalPrinterColumns": [{"description": "a", "format": "int32", "jsonPath": ".a", "name": "a",
                    "priority": 1, "type": "integer"}],
                "deprecated": true, "deprecationWarning": "a", "name": "v1", "served": true, "storage": true,
                "selectableFields": [{"jsonPath": ".spec.color"}],
                "subresources": {"status": {}, "scale": {"labelSelectorPath": ".status.a", "specReplicasPath": ".spec.a",
                    "statusReplicasPath": ".status.a"}},
                "schema": {"openAPIV3Schema": {"type": "object", "properties": {
                    "leaf": leaf,
                    "list": {"type": "array", "items": one, "additionalItems": one},
                    "tuple": {"type": "array", "items": [one], "additionalItems": true},
                    "map": {"type": "object", "additionalProperties": one},
                    "open": {"type": "object", "additionalProperties": true},
                    "logic": {"type": "string", "allOf": [one], "anyOf": [one], "oneOf": [one], "not": one},
                    "old": {"type": "object", "definitions": {"a": one}, "dependencies": {"a": one, "b": ["c"]},
                        "patternProperties": {"a": one}},
                    "spec": {"type": "object", "properties": {"color": one}},
                }}},
            }],
        },
        "status": {
            "acceptedNames": {"kind": "a", "plural": "a"},
            "conditions": [{"lastTransitionTime": "2024-01-02T03:04:05Z", "message": "a", "reason": "a", "status": "a",
                "type": "a"}],
            "storedVersions": ["v1"],
        },
    })
}

/// Returns the pointers of a value and of everything in it.
fn pointers(value: &Value, pointer: String, all: &mut Vec<String>) {
    match value {
        Value::Object(map) => map.iter().for_each(|(name, value)| {
            pointers(value, format!("{pointer}/{}", name.replace('/', "~1")), all);
        }),
        Value::Array(items) => items
            .iter()
            .enumerate()
            .for_each(|(index, value)| pointers(value, format!("{pointer}/{index}"), all)),
        _ => {}
    }
    all.push(pointer);
}

/// Reads a manifest as the generator does: none if it reports an error, else what it embeds.
fn embedded(manifest: &Value) -> Option<String> {
    let source = Source::new("definition.json", manifest.to_string());
    let mut diagnostics = Diagnostics::new();
    let crds = crd::parse(&[source], &mut diagnostics);
    let rejected = diagnostics.iter().any(|it| it.severity == Severity::Error);
    (!rejected).then(|| crds.first().unwrap().manifest.to_string())
}

#[test]
fn what_the_generator_accepts_is_decoded() {
    let complete = complete();
    let mut all = Vec::new();
    pointers(&complete, String::new(), &mut all);
    let values = [
        json!(null),
        json!(true),
        json!(5),
        json!(-1),
        json!(1.5),
        json!(3_000_000_000_u64),
        json!(u64::MAX),
        json!("a"),
        json!(""),
        json!("2024-01-02T03:04:05Z"),
        json!("9999-12-31T23:59:59Z"),
        json!([]),
        json!(["a"]),
        json!([null]),
        json!([5]),
        json!([{}]),
        json!({}),
        json!({"a": null}),
        json!({"a": "b"}),
        json!({"a": 5}),
    ];
    let (mut decoded, mut rejected) = (0, 0);
    for pointer in &all {
        for value in &values {
            let mut manifest = complete.clone();
            *manifest.pointer_mut(pointer).unwrap() = value.clone();
            if let Some(text) = embedded(&manifest) {
                let definition: CustomResourceDefinition = serde_json::from_str(&text)
                    .unwrap_or_else(|error| panic!("{pointer} = {value}: {error}"));
                assert_eq!(definition.spec.group, "example.com");
                decoded += 1;
            } else {
                rejected += 1;
            }
        }
    }
    assert!(
        decoded > 500 && rejected > 500,
        "{decoded} decoded, {rejected} rejected"
    );
}

/// The reverse: a value is reported as undecodable only if k8s-openapi cannot decode it.
#[test]
fn what_is_decoded_is_not_reported() {
    let complete = complete();
    assert!(embedded(&complete).is_some());
    CustomResourceDefinition::deserialize(&complete).unwrap();
    let mut all = Vec::new();
    pointers(&complete, String::new(), &mut all);
    for pointer in all.iter().filter(|pointer| pointer.contains("/metadata/")) {
        for value in [
            json!(null),
            json!(true),
            json!(5),
            json!("a"),
            json!([]),
            json!({}),
        ] {
            let mut manifest = complete.clone();
            *manifest.pointer_mut(pointer).unwrap() = value.clone();
            let decodes = CustomResourceDefinition::deserialize(&manifest).is_ok();
            // The name is checked further, and a null in a map or a list is read as an empty text.
            if decodes && !pointer.ends_with("/metadata/name") {
                assert!(embedded(&manifest).is_some(), "{pointer} = {value}");
            }
        }
    }
}
