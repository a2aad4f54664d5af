//! Types of k8s-openapi that are records are written as their own serde code writes them, blank texts included.
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{
    Condition, LabelSelector, LabelSelectorRequirement, ManagedFieldsEntry, ObjectMeta,
    OwnerReference,
};
use serde_json::{Value, json};

#[derive(Debug, PartialEq)]
struct Holder {
    condition: Condition,
    entry: ManagedFieldsEntry,
    meta: ObjectMeta,
    owner: OwnerReference,
    requirement: LabelSelectorRequirement,
    selector: LabelSelector,
}

kube_codegen_record::records! {
    Holder {
        condition, entry, meta, owner, requirement,
        selector,
    }
}

/// Reads and writes an object as records, and its fields by their own code.
fn check(object: &Value) {
    let holder: Holder = serde_json::from_value(object.clone()).unwrap();
    let own = json!({
        "condition": serde_json::to_value(&holder.condition).unwrap(),
        "entry": serde_json::to_value(&holder.entry).unwrap(),
        "meta": serde_json::to_value(&holder.meta).unwrap(),
        "owner": serde_json::to_value(&holder.owner).unwrap(),
        "requirement": serde_json::to_value(&holder.requirement).unwrap(),
        "selector": serde_json::to_value(&holder.selector).unwrap(),
    });
    assert_eq!(serde_json::to_value(&holder).unwrap(), own);
    assert_eq!(own, *object);
}

#[test]
fn blank_texts_lists_and_maps_stay() {
    let owner = json!({"apiVersion": "", "kind": "", "name": "", "uid": ""});
    let requirement = json!({"key": "", "operator": "", "values": []});
    check(&json!({
        "condition": {"lastTransitionTime": "2024-01-01T00:00:00Z", "message": "", "reason": "", "status": "", "type": ""},
        "entry": {"apiVersion": "", "fieldsType": "", "fieldsV1": {}, "manager": "", "operation": "", "subresource": ""},
        "meta": {
            "annotations": {}, "finalizers": [], "generateName": "", "generation": 0, "labels": {"a": ""}, "managedFields": [{}],
            "name": "", "namespace": "", "ownerReferences": [owner], "resourceVersion": "", "selfLink": "", "uid": "",
        },
        "owner": owner,
        "requirement": requirement,
        "selector": {"matchExpressions": [requirement], "matchLabels": {}},
    }));
}

#[test]
fn absent_fields_that_may_be_absent_stay_absent() {
    check(&json!({
        "condition": {"lastTransitionTime": "2024-01-01T00:00:00Z", "message": "m", "reason": "r", "status": "True", "type": "t"},
        "entry": {},
        "meta": {},
        "owner": {"apiVersion": "v1", "kind": "Pod", "name": "p", "uid": "u"},
        "requirement": {"key": "k", "operator": "In"},
        "selector": {},
    }));
}
