//! Removes what a schema does not declare.

use serde_json::Value;

use crate::{node::Node, object_meta, path};

const META: [&str; 3] = ["apiVersion", "kind", "metadata"];

/// Removes the fields of a resource that its schema neither declares nor preserves, and returns their paths, sorted.
pub(crate) fn prune(schema: &Node, object: &mut Value) -> Vec<String> {
    let mut dropped = Vec::new();
    let keep = schema.preserve_unknown_fields;
    let root = ValuePath {
        path: String::new(),
        keyed: String::new(),
    };
    walk(Some(schema), object, keep, true, &root, &mut dropped);
    dropped.sort();
    dropped
}

/// Where a value is, in the two ways in which the server writes it.
struct ValuePath {
    path: String,
    /// With brackets around the keys of maps, for fields of metadata.
    keyed: String,
}

impl ValuePath {
    fn field(&self, name: &str, is_key: bool) -> Self {
        let keyed = if is_key { path::key } else { path::field };
        Self {
            path: path::field(&self.path, name),
            keyed: keyed(&self.keyed, name),
        }
    }

    fn index(&self, index: usize) -> Self {
        Self {
            path: path::index(&self.path, index),
            keyed: path::index(&self.keyed, index),
        }
    }
}

/// `keep`: unknown fields are preserved; `resource`: the value has `apiVersion`, `kind` and `metadata`, which are kept.
fn walk(
    schema: Option<&Node>,
    value: &mut Value,
    keep: bool,
    resource: bool,
    place: &ValuePath,
    dropped: &mut Vec<String>,
) {
    match value {
        Value::Object(fields) => fields.retain(|name, value| {
            let is_field = schema.is_none_or(|schema| schema.properties.contains_key(name))
                || resource && META.contains(&name.as_str());
            let place = place.field(name, !is_field);
            if resource && META.contains(&name.as_str()) {
                // What cannot be decoded is rejected as it is.
                if name == "metadata" && object_meta::undecodable(value).is_none() {
                    if let Value::Object(fields) = value {
                        object_meta::prune(fields, &place.keyed, dropped);
                    }
                    if place.path != "metadata" {
                        object_meta::normalize(value);
                        if let Value::Object(fields) = value {
                            fields.retain(|name, value| !is_blank(name, value));
                        }
                    }
                }
                return true;
            }
            // A boolean `additionalProperties` declares all keys, but nothing inside their values.
            let is_declared = schema.is_some_and(|schema| {
                schema.properties.contains_key(name) || schema.additional_properties.is_some()
            });
            if is_declared {
                let inner = schema.and_then(|schema| schema.field(name));
                enter(inner, value, false, &place, dropped);
            } else if !keep {
                dropped.push(place.path);
            }
            is_declared || keep
        }),
        Value::Array(items) => {
            let inner = schema.and_then(|schema| schema.items.as_deref());
            if keep && inner.is_none() {
                return;
            }
            for (index, item) in items.iter_mut().enumerate() {
                enter(inner, item, keep, &place.index(index), dropped);
            }
        }
        _ => {}
    }
}

/// Returns whether the server does not store a value in the metadata of an embedded resource.
fn is_blank(name: &str, value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(fields) => fields.is_empty(),
        value => name == "generation" && *value == 0,
    }
}

fn enter(
    schema: Option<&Node>,
    value: &mut Value,
    keep: bool,
    place: &ValuePath,
    dropped: &mut Vec<String>,
) {
    let is = |flag: fn(&Node) -> bool| schema.is_some_and(flag);
    let keep = keep || is(|schema| schema.preserve_unknown_fields);
    walk(
        schema,
        value,
        keep,
        is(|schema| schema.embedded_resource),
        place,
        dropped,
    );
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::Schema;

    #[test]
    fn the_structs_in_metadata_have_no_other_fields() {
        let schema = Schema::new(&json!({"type": "object"})).unwrap();
        let owner = json!({"apiVersion": "v1", "kind": "Pod", "name": "a", "uid": "u", "Name": "b", "foo": null});
        let managed = json!({"manager": "a", "fieldsV1": {"f:x": {}}, "x": 1});
        let metadata = json!({"name": "a", "ownerReferences": [owner, {"bar": 1}], "managedFields": [managed], "clusterName": "c"});
        let mut object = json!({ "metadata": metadata });
        let dropped = schema.prune(&mut object);
        let expected = [
            "metadata.clusterName",
            "metadata.managedFields[0].x",
            "metadata.ownerReferences[0].Name",
            "metadata.ownerReferences[0].foo",
            "metadata.ownerReferences[1].bar",
        ];
        assert_eq!(dropped, expected);
        assert_eq!(
            object["metadata"]["managedFields"][0]["fieldsV1"],
            json!({"f:x": {}})
        );
        assert_eq!(object["metadata"]["ownerReferences"][1], json!({}));
    }
}
