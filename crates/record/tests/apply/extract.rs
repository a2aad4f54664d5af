//! What a manager has applied, by the managed fields.
use k8s_openapi::api::core::v1::Pod;
use kube_codegen_record::apply::{extract, extract_status};
use serde_json::{Value, json};

use crate::apply::widget::Widget;

fn widget(fields: Value, spec: Value) -> Widget {
    let entry = |manager: &str, fields: Value| json!({"manager": manager, "operation": "Apply", "apiVersion": "example.com/v1", "fieldsType": "FieldsV1", "fieldsV1": fields});
    let other = json!({"f:spec": {"f:tags": {"v:\"x\"": {}}, "f:disks": {"k:{\"index\":1,\"path\":\"/b\"}": {".": {}, "f:index": {}, "f:path": {}, "f:size": {}}}}});
    serde_json::from_value(json!({
        "apiVersion": "example.com/v1",
        "kind": "Widget",
        "metadata": {"name": "a", "namespace": "b", "uid": "u", "managedFields": [entry("me", fields), entry("other", other)]},
        "spec": spec,
    }))
    .unwrap()
}

fn spec(fields: Value, live: Value) -> Value {
    let config = extract(&widget(json!({"f:spec": fields}), live), "me").unwrap();
    config
        .to_json()
        .unwrap()
        .get("spec")
        .cloned()
        .unwrap_or_default()
}

#[test]
fn only_the_fields_of_the_manager_are_extracted() {
    let live = json!({"size": 3, "active": true, "color": "red"});
    assert_eq!(
        spec(json!({"f:size": {}}), live.clone()),
        json!({"size": 3})
    );
    let config = extract(&widget(json!({}), live), "me").unwrap();
    assert_eq!(
        config.to_json().unwrap(),
        json!({"apiVersion": "example.com/v1", "kind": "Widget", "metadata": {"name": "a", "namespace": "b"}})
    );
}

#[test]
fn blank_required_fields_of_the_manager_are_extracted() {
    assert_eq!(
        spec(json!({"f:size": {}}), json!({"size": 0, "active": false})),
        json!({"size": 0})
    );
}

#[test]
fn items_are_extracted_by_key_and_by_value() {
    let disks = json!({"f:disks": {"k:{\"index\":0,\"path\":\"/a\"}": {".": {}, "f:path": {}, "f:size": {}}}, "f:tags": {"v:\"y\"": {}}});
    let live = json!({
        "disks": [{"index": 0, "path": "/a", "size": 1}, {"index": 1, "path": "/b", "size": 2}],
        "tags": ["x", "y"],
    });
    assert_eq!(
        spec(disks, live),
        json!({"disks": [{"path": "/a", "size": 1}], "tags": ["y"]})
    );
}

#[test]
fn an_atomic_value_is_extracted_as_a_whole_and_an_empty_map_as_empty() {
    let live = json!({"tags": ["x"], "sidecar": {"image": "i", "name": "s"}});
    assert_eq!(
        spec(json!({"f:sidecar": {}}), live.clone()),
        json!({"sidecar": {"image": "i", "name": "s"}})
    );
    // Another manager owns an item, so the list is not atomic.
    assert_eq!(spec(json!({"f:tags": {}}), live), json!({"tags": []}));
}

#[test]
fn the_status_and_other_operations_are_separate() {
    let pod: Pod = serde_json::from_value(json!({
        "metadata": {"name": "a", "managedFields": [
            {"manager": "me", "operation": "Update", "apiVersion": "v1", "fieldsV1": {"f:spec": {"f:hostname": {}}}},
            {"manager": "me", "operation": "Apply", "apiVersion": "v1", "subresource": "status", "fieldsV1": {"f:status": {"f:phase": {}}}},
        ]},
        "spec": {"hostname": "h"},
        "status": {"phase": "Running", "message": "m"},
    }))
    .unwrap();
    let json = |config: kube_codegen_record::apply::Apply<Pod>| config.to_json().unwrap();
    let header = json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}});
    assert_eq!(json(extract(&pod, "me").unwrap()), header);
    assert_eq!(
        json(extract_status(&pod, "me").unwrap())["status"],
        json!({"phase": "Running"})
    );
}

/// Compared step by step, it would take minutes.
#[test]
fn lists_of_any_length_are_extracted() {
    const ITEMS: usize = 20_000;
    let step = |index: usize| format!("k:{{\"index\":{index},\"path\":\"/a\"}}");
    let owned = (0..ITEMS).map(|it| (step(it), json!({".": {}, "f:index": {}, "f:path": {}})));
    let fields = json!({"f:disks": owned.collect::<serde_json::Map<_, _>>()});
    let disk = |it: usize| json!({"index": it, "path": "/a", "size": 1});
    let live = json!({"disks": (0..=ITEMS).map(disk).collect::<Vec<_>>()});
    let mine = (0..ITEMS).map(|it| json!({"index": it, "path": "/a"}));
    assert_eq!(
        spec(fields, live),
        json!({"disks": mine.collect::<Vec<_>>()})
    );
}
