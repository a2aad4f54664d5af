//! Converts a manifest of `apiextensions.k8s.io/v1beta1` to v1.
use serde_json::{Map, Value, json};

/// Fields that v1beta1 has once for all versions, with the names they have in each version of v1.
const SHARED: [(&str, &str); 3] = [
    ("validation", "schema"),
    ("subresources", "subresources"),
    ("additionalPrinterColumns", "additionalPrinterColumns"),
];

/// Pointers in the new manifest, with the same places in the old one.
pub(super) type Moved = Vec<(String, String)>;

/// Moves the fields that v1 has elsewhere; the reader reports what does not fit.
pub(super) fn upgrade(mut manifest: Value) -> (Value, Moved) {
    let mut moved = Moved::new();
    manifest["apiVersion"] = json!("apiextensions.k8s.io/v1");
    if let Some(spec) = manifest.get_mut("spec").and_then(Value::as_object_mut) {
        versions(spec, &mut moved);
        shared(spec, &mut moved);
        columns(spec, &mut moved);
        schemas(spec);
        conversion(spec);
        preserve(spec);
        // v1beta1's default, also for an empty text.
        spec.retain(|name, value| name != "scope" || !(value.is_null() || value == ""));
        spec.entry("scope").or_insert_with(|| json!("Namespaced"));
    }
    (manifest, moved)
}

/// Replaces `version`, the short form of a list of one.
fn versions(spec: &mut Map<String, Value>, moved: &mut Moved) {
    let version = spec.remove("version");
    let listed = spec
        .get("versions")
        .and_then(Value::as_array)
        .is_some_and(|versions| !versions.is_empty());
    if let (Some(name), false) = (version, listed) {
        spec.insert(
            "versions".to_owned(),
            json!([{ "name": name, "served": true, "storage": true }]),
        );
        moved.push((
            "/spec/versions/0/name".to_owned(),
            "/spec/version".to_owned(),
        ));
    }
}

/// Copies the fields for all versions into each version.
fn shared(spec: &mut Map<String, Value>, moved: &mut Moved) {
    for (old, new) in SHARED {
        let Some(value) = spec.remove(old) else {
            continue;
        };
        let Some(versions) = spec.get_mut("versions").and_then(Value::as_array_mut) else {
            continue;
        };
        for (index, version) in versions.iter_mut().enumerate() {
            if let Some(version) = version.as_object_mut()
                && !version.contains_key(new)
            {
                version.insert(new.to_owned(), value.clone());
                moved.push((
                    format!("/spec/versions/{index}/{new}"),
                    format!("/spec/{old}"),
                ));
            }
        }
    }
}

/// Renames `JSONPath` to `jsonPath`.
fn columns(spec: &mut Map<String, Value>, moved: &mut Moved) {
    let Some(versions) = spec.get_mut("versions").and_then(Value::as_array_mut) else {
        return;
    };
    let mut renamed = Vec::new();
    for (index, version) in versions.iter_mut().enumerate() {
        let key = "additionalPrinterColumns";
        let Some(columns) = version.get_mut(key).and_then(Value::as_array_mut) else {
            continue;
        };
        for (column, map) in columns.iter_mut().enumerate() {
            if let Some(path) = map.as_object_mut().and_then(|map| map.remove("JSONPath")) {
                map["jsonPath"] = path;
                renamed.push(format!("/spec/versions/{index}/{key}/{column}"));
            }
        }
    }
    for column in renamed {
        let old = moved
            .iter()
            .find_map(|(new, old)| {
                column
                    .strip_prefix(new.as_str())
                    .map(|rest| format!("{old}{rest}"))
            })
            .unwrap_or_else(|| column.clone());
        moved.insert(0, (format!("{column}/jsonPath"), format!("{old}/JSONPath")));
    }
}

/// Adds what v1 requires: a schema in each version, with an object at its root. Without a schema, v1beta1 allows anything.
fn schemas(spec: &mut Map<String, Value>) {
    let versions = spec.get_mut("versions").and_then(Value::as_array_mut);
    for version in versions
        .into_iter()
        .flatten()
        .filter_map(Value::as_object_mut)
    {
        match version.get_mut("schema") {
            None | Some(Value::Null) => {
                let any = json!({ "type": "object", "x-kubernetes-preserve-unknown-fields": true });
                version.insert("schema".to_owned(), json!({ "openAPIV3Schema": any }));
            }
            Some(schema) => {
                let root = schema
                    .get_mut("openAPIV3Schema")
                    .and_then(Value::as_object_mut);
                if let Some(root) = root {
                    root.entry("type").or_insert_with(|| json!("object"));
                }
            }
        }
    }
}

/// Moves the fields of the webhook to a map of their own.
fn conversion(spec: &mut Map<String, Value>) {
    let Some(conversion) = spec.get_mut("conversion").and_then(Value::as_object_mut) else {
        return;
    };
    let client = conversion.remove("webhookClientConfig");
    let versions = conversion.remove("conversionReviewVersions");
    // v1 has no default.
    let default =
        || (conversion.get("strategy") == Some(&json!("Webhook"))).then(|| json!(["v1beta1"]));
    let versions = versions.filter(|it| !it.is_null()).or_else(default);
    if client.is_some() || versions.is_some() {
        let mut webhook = Map::new();
        webhook.extend(client.map(|value| ("clientConfig".to_owned(), value)));
        webhook.extend(versions.map(|value| ("conversionReviewVersions".to_owned(), value)));
        conversion.insert("webhook".to_owned(), Value::Object(webhook));
    }
}

/// v1beta1 keeps unknown fields unless `preserveUnknownFields` is false. A v1 API server rejects a new CRD with that field, so each object gets
/// the extension instead.
fn preserve(spec: &mut Map<String, Value>) {
    let is_kept = match spec.get("preserveUnknownFields") {
        None | Some(Value::Null) => true,
        Some(Value::Bool(value)) => *value,
        // The reader reports it.
        Some(_) => return,
    };
    spec.remove("preserveUnknownFields");
    if !is_kept {
        return;
    }
    let versions = spec.get_mut("versions").and_then(Value::as_array_mut);
    for version in versions.into_iter().flatten() {
        if let Some(schema) = version.pointer_mut("/schema/openAPIV3Schema") {
            keep_unknown(schema, true);
        }
    }
}

fn keep_unknown(schema: &mut Value, is_root: bool) {
    let Some(schema) = schema.as_object_mut() else {
        return;
    };
    let is_resource = is_root || schema.get("x-kubernetes-embedded-resource") == Some(&json!(true));
    let is_object =
        schema.get("type") == Some(&json!("object")) || schema.contains_key("properties");
    // The values of a map are all known.
    if is_object && !schema.contains_key("additionalProperties") {
        schema.insert(
            "x-kubernetes-preserve-unknown-fields".to_owned(),
            json!(true),
        );
        // With the extension, properties without a type accept any JSON.
        schema.entry("type").or_insert_with(|| json!("object"));
    }
    let properties = schema.get_mut("properties").and_then(Value::as_object_mut);
    for (name, property) in properties.into_iter().flatten() {
        // v1 rejects extensions of the metadata, whose fields are known.
        if !(is_resource && name == "metadata") {
            keep_unknown(property, false);
        }
    }
    for inner in ["items", "additionalProperties"] {
        if let Some(schema) = schema.get_mut(inner) {
            keep_unknown(schema, false);
        }
    }
}
