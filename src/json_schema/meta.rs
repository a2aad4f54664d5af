//! The schema of `metadata`, which the API server validates itself.
use serde_json::{Value, json};

/// The names that the API server accepts: subdomains of DNS.
const NAME: &str = r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$";

/// Returns the schema of the metadata of an object.
pub(super) fn object_meta() -> Value {
    let mut schema = embedded_meta();
    schema["description"] = "Name, labels and other metadata of the object.".into();
    schema["properties"]["name"]["pattern"] = NAME.into();
    schema["properties"]["name"]["maxLength"] = 253.into();
    schema["anyOf"] = json!([{"required": ["name"]}, {"required": ["generateName"]}]);
    schema
}

/// Returns the schema of the metadata of an embedded resource.
pub(super) fn embedded_meta() -> Value {
    let texts = |description: &str| json!({"type": ["object", "null"], "description": description, "additionalProperties": {"type": ["string", "null"]}});
    let text = |description: &str| json!({"type": ["string", "null"], "description": description});
    let number =
        |description: &str| json!({"type": ["integer", "null"], "description": description});
    json!({
        "type": "object",
        "additionalProperties": false,
        "properties": {
            "annotations": texts("Data that tools and users attach to the object."),
            "creationTimestamp": text("Set by the API server."),
            "deletionGracePeriodSeconds": number("Set by the API server."),
            "deletionTimestamp": text("Set by the API server."),
            "finalizers": {"type": ["array", "null"], "items": {"type": "string"}, "description": "What must be done before the object is removed."},
            "generateName": text("A prefix to which the API server adds a unique suffix."),
            "generation": number("Set by the API server."),
            "labels": texts("Keys and values to select objects by."),
            "managedFields": {"type": ["array", "null"], "items": {"type": "object"}, "description": "Set by the API server."},
            "name": text("The name, unique in its namespace."),
            "namespace": text("The namespace."),
            "ownerReferences": {
                "type": ["array", "null"],
                "description": "The objects that this one depends on.",
                "items": {
                    "type": "object",
                    "required": ["apiVersion", "kind", "name", "uid"],
                    "properties": {
                        "apiVersion": {"type": "string"},
                        "blockOwnerDeletion": {"type": ["boolean", "null"]},
                        "controller": {"type": ["boolean", "null"]},
                        "kind": {"type": "string"},
                        "name": {"type": "string"},
                        "uid": {"type": ["string", "null"]},
                    },
                },
            },
            "resourceVersion": text("Set by the API server."),
            "selfLink": text("Deprecated."),
            "uid": text("Set by the API server."),
        },
    })
}
