//! Validates `metadata`: names, labels, annotations.

use serde_json::{Map, Value};

use crate::{
    cause::{Cause, Reason},
    go::quote,
    k8s_names, path,
};

/// Returns the violations of `metadata.name`, labels and annotations of a custom resource.
///
/// The API server demands a name or `generateName` of each object. What depends on the request, such as the namespace, is not checked.
pub fn validate_metadata(object: &Value) -> Vec<Cause> {
    let mut causes = Vec::new();
    let none = Map::new();
    let metadata = object
        .get("metadata")
        .and_then(Value::as_object)
        .unwrap_or(&none);
    let text = |name: &str| {
        metadata
            .get(name)
            .and_then(Value::as_str)
            .unwrap_or_default()
    };
    match text("name") {
        "" if text("generateName").is_empty() => {
            let why = "name or generateName is required";
            causes.push(Cause::new("metadata.name", Reason::Required, "", why));
        }
        "" => {}
        name => {
            for why in k8s_names::dns_1123_subdomain(name) {
                causes.push(Cause::new(
                    "metadata.name",
                    Reason::Invalid,
                    &quote(name),
                    &why,
                ));
            }
        }
    }
    labels(metadata, "metadata", &mut causes);
    causes
}

/// Returns the violations in the `metadata` of an embedded resource.
pub(crate) fn embedded(metadata: &Map<String, Value>, path: &str, causes: &mut Vec<Cause>) {
    let text = |name: &str| {
        metadata
            .get(name)
            .and_then(Value::as_str)
            .unwrap_or_default()
    };
    let mut report = |name: &str, text: &str, found: Vec<String>| {
        let path = path::field(path, name);
        for why in found {
            causes.push(Cause::new(&path, Reason::Invalid, &quote(text), &why));
        }
    };
    let name = text("name");
    report(
        "generateName",
        text("generateName"),
        segment(text("generateName")),
    );
    report(
        "name",
        name,
        match name {
            "." | ".." => vec![format!("may not be '{name}'")],
            name => segment(name),
        },
    );
    if !text("namespace").is_empty() {
        report(
            "namespace",
            text("namespace"),
            k8s_names::dns_1123_label(text("namespace")),
        );
    }
    labels(metadata, path, causes);
}

fn labels(metadata: &Map<String, Value>, path: &str, causes: &mut Vec<Cause>) {
    let mut report = |name: &str, text: &str, found: Vec<String>| {
        let path = path::field(path, name);
        for why in found {
            causes.push(Cause::new(&path, Reason::Invalid, &quote(text), &why));
        }
    };
    let texts = |name: &str| {
        let entries = metadata
            .get(name)
            .and_then(Value::as_object)
            .into_iter()
            .flatten();
        entries.filter_map(|(key, value)| Some((key.as_str(), value.as_str()?)))
    };
    for (key, value) in texts("labels") {
        report("labels", key, k8s_names::qualified_name(key));
        report("labels", value, k8s_names::label_value(value));
    }
    for (key, _) in texts("annotations") {
        report(
            "annotations",
            key,
            k8s_names::qualified_name(&key.to_lowercase()),
        );
    }
}

/// Returns the violations of a segment of a URL path.
fn segment(name: &str) -> Vec<String> {
    let parts = ["/", "%"].into_iter().filter(|part| name.contains(part));
    parts
        .map(|part| format!("may not contain '{part}'"))
        .collect()
}
