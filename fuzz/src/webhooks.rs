//! Sends arbitrary texts to the webhooks of an operator, and asserts what holds for every text.

use super::values::{Chance, change_text};
use k8s_openapi::api::core::v1::ConfigMap;
use kube_codegen_runtime::webhook::{
    FieldErrors, Rejection, Request, Validator, Warnings, Webhooks,
};
use serde_json::Value;

/// What an API server sends first: the review of a write, and that of a conversion.
pub const REVIEWS: &[&str] = &[
    r#"{"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": {"uid": "u", "kind": {"group": "", "version": "v1", "kind": "ConfigMap"},
        "resource": {"group": "", "version": "v1", "resource": "configmaps"}, "requestKind": {"group": "", "version": "v1", "kind": "ConfigMap"},
        "requestResource": {"group": "", "version": "v1", "resource": "configmaps"}, "name": "a", "namespace": "default", "operation": "UPDATE",
        "userInfo": {"username": "admin", "uid": "1", "groups": ["system:masters"], "extra": {"a": ["b"]}}, "dryRun": false,
        "object": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a", "namespace": "default", "labels": {"a": "b"}}, "data": {"color": "none"}},
        "oldObject": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a", "namespace": "default"}, "binaryData": {"a": "aGk="}},
        "options": {"apiVersion": "meta.k8s.io/v1", "kind": "UpdateOptions"}}}"#,
    r#"{"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": {"uid": "u", "kind": {"group": "", "version": "v1", "kind": "ConfigMap"},
        "resource": {"group": "", "version": "v1", "resource": "configmaps"}, "subResource": "status", "name": "a", "operation": "DELETE", "userInfo": {},
        "object": null, "oldObject": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}, "data": {}}}}"#,
    r#"{"apiVersion": "apiextensions.k8s.io/v1", "kind": "ConversionReview", "request": {"uid": "u", "desiredAPIVersion": "v2", "objects": [
        {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a", "namespace": "default", "managedFields": [{"manager": "a", "fieldsV1": {"f:data": {}}}]}, "data": {"color": "red"}},
        {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "b"}, "immutable": true}]}}"#,
];

const PATHS: &[&str] = &[
    "/mutate--v1-configmap",
    "/validate--v1-configmap",
    "/convert",
];

struct Rules;

impl Validator<ConfigMap> for Rules {
    async fn validate_create(&self, map: &ConfigMap, _: &Request) -> Result<Warnings, Rejection> {
        let mut errors = FieldErrors::new();
        for (name, value) in map.data.iter().flatten() {
            errors.not_supported(&format!("data.{name}"), value, &["red", "blue"]);
        }
        errors.finish(map)?;
        Ok(vec!["no data".to_owned()])
    }

    async fn validate_update(
        &self,
        old: &ConfigMap,
        map: &ConfigMap,
        request: &Request,
    ) -> Result<Warnings, Rejection> {
        if old.immutable == Some(true) {
            return Err(Rejection::forbidden("the data cannot change"));
        }
        self.validate_create(map, request).await
    }
}

/// Converts by the version alone.
fn convert(mut object: Value, api_version: &str) -> Result<Value, String> {
    let data = object.get_mut("data").ok_or("there is no data")?;
    *data = serde_json::json!({"converted": data.take()});
    object["apiVersion"] = api_version.into();
    Ok(object)
}

/// Changes a review. The same seed makes the same changes.
pub fn mutate(text: &str, seed: u64) -> String {
    let changed = change_text(text.as_bytes(), &mut Chance(seed));
    String::from_utf8_lossy(&changed).into_owned()
}

/// Sends a text to each webhook. None may panic; each answer is a review with the uid of the request, and a conversion answers each object or none.
/// Returns how many answered.
///
/// # Panics
/// If an invariant is violated.
pub fn reviews(text: &str) -> usize {
    let webhooks = Webhooks::new("operator")
        .defaulting(|map: &mut ConfigMap, _: &Request| {
            let data = map.data.get_or_insert_default();
            data.entry("color".to_owned())
                .or_insert_with(|| "red".to_owned());
            Ok::<(), Rejection>(())
        })
        .validating::<ConfigMap>(Rules)
        .converting::<ConfigMap, _>(convert);
    let webhooks = webhooks.in_process();
    let Ok(review) = serde_json::from_str::<Value>(text) else {
        return 0;
    };
    let uid = review.pointer("/request/uid").cloned();
    let sent = review.pointer("/request/objects").and_then(Value::as_array);
    let sent = sent.map(Vec::len);
    let mut answered = 0;
    for path in PATHS {
        let answer = match webhooks(path, review.clone()) {
            Ok(answer) => answer,
            Err(why) => {
                let why = why.to_string();
                assert!(
                    !why.contains("panicked") && !why.is_empty(),
                    "{path}: {why}: {text}"
                );
                continue;
            }
        };
        answered += 1;
        assert_eq!(
            answer.pointer("/response/uid"),
            uid.as_ref(),
            "{path}: {text}"
        );
        let converted = answer
            .pointer("/response/convertedObjects")
            .and_then(Value::as_array);
        if let (Some(converted), Some(sent)) = (converted, sent) {
            let is_success = answer.pointer("/response/result/status") == Some(&"Success".into());
            let expected = if is_success { sent } else { 0 };
            assert_eq!(converted.len(), expected, "{path}: {text}");
        }
    }
    answered
}
