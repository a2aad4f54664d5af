//! The schema of `metadata`, which no CRD describes.
use serde_json::json;

use crate::input::crd::Schema;

/// What the API server publishes as the description of `metadata`.
const METADATA: &str = "Standard object's metadata. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata";

/// The keyword that has the name of a type in Go.
pub(crate) const TYPE_NAME: &str = "x-type-name";

/// Returns the schema of `metadata`, with short descriptions; [`TYPE_NAME`] has the names of its types in Go.
pub(crate) fn object_meta() -> Box<Schema> {
    let text = |description: &str| json!({"type": "string", "description": description});
    let texts = |description: &str| json!({"type": "object", "description": description, "additionalProperties": {"type": "string"}});
    let number = |description: &str| json!({"type": "integer", "description": description});
    Schema::of(json!({
        "type": "object",
        TYPE_NAME: "ObjectMeta",
        "description": METADATA,
        "properties": {
            "annotations": texts("Data that tools and users attach to the object. It cannot be selected by."),
            "creationTimestamp": text("When the object was created; set by the API server."),
            "deletionGracePeriodSeconds": number("How long the object may take to end once its deletion is requested; set by the API server."),
            "deletionTimestamp": text("When the object is to be gone; set by the API server when its deletion is requested."),
            "finalizers": {"type": "array", "items": {"type": "string"}, "description": "What must be done before the object is removed. Each entry is removed by whoever has done it."},
            "generateName": text("The beginning of a name that the API server completes, for an object without a name."),
            "generation": number("Number of the state that is wanted; raised by the API server with each change of the spec."),
            "labels": texts("Keys and values to select objects by."),
            "managedFields": {
                "type": "array",
                "description": "Which field manager owns which fields; kept by the API server.",
                "items": {
                    "type": "object",
                    TYPE_NAME: "ManagedFieldsEntry",
                    "properties": {
                        "apiVersion": text("The version of the API that the fields belong to."),
                        "fieldsType": text("The format of the fields: FieldsV1."),
                        "fieldsV1": {
                            "type": "object",
                            TYPE_NAME: "FieldsV1",
                            "x-kubernetes-preserve-unknown-fields": true,
                            "description": "The fields, as nested keys.",
                        },
                        "manager": text("The name of the field manager."),
                        "operation": text("Apply or Update."),
                        "subresource": text("The subresource that was written."),
                        "time": text("When the entry changed."),
                    },
                },
            },
            "name": text("The name, unique in its namespace. It cannot be changed."),
            "namespace": text("The namespace. It cannot be changed."),
            "ownerReferences": {
                "type": "array",
                "description": "The objects that this one depends on. It is removed when all of them are gone.",
                "items": {
                    "type": "object",
                    TYPE_NAME: "OwnerReference",
                    "required": ["apiVersion", "kind", "name", "uid"],
                    "properties": {
                        "apiVersion": text("The version of the API of the owner."),
                        "blockOwnerDeletion": {"type": "boolean", "description": "Whether the owner stays until this object is gone, if its dependents are removed first."},
                        "controller": {"type": "boolean", "description": "Whether the owner manages this object."},
                        "kind": text("The kind of the owner."),
                        "name": text("The name of the owner."),
                        "uid": text("The UID of the owner."),
                    },
                },
            },
            "resourceVersion": text("Opaque version of the object; set by the API server with each change."),
            "selfLink": text("Deprecated; empty."),
            "uid": text("Unique identifier of the object; set by the API server."),
        },
    }))
}
