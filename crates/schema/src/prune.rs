//! Removes what a schema does not declare.

use serde_json::{Map, Value};

use crate::{node::Node, object_meta, path};

const META: [&str; 3] = ["apiVersion", "kind", "metadata"];

/// Removes the fields of a resource that its schema neither declares nor preserves, and returns their paths, sorted.
pub(crate) fn prune(schema: &Node, object: &mut Value) -> Vec<String> {
    let mut dropped = Vec::new();
    let keep = schema.preserve_unknown_fields;
    walk(Some(schema), object, keep, true, "", &mut dropped);
    dropped.sort();
    dropped
}

/// `keep`: unknown fields are preserved; `resource`: the value has `apiVersion`, `kind` and `metadata`, which are kept.
fn walk(
    schema: Option<&Node>,
    value: &mut Value,
    keep: bool,
    resource: bool,
    path: &str,
    dropped: &mut Vec<String>,
) {
    match value {
        Value::Object(fields) => fields.retain(|name, value| {
            let path = path::field(path, name);
            if resource && META.contains(&name.as_str()) {
                if let (Value::Object(fields), "metadata") = (value, name.as_str()) {
                    metadata(fields, &path, dropped);
                    if path != "metadata" {
                        fields.retain(|name, value| !is_blank(name, value));
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
                enter(inner, value, false, &path, dropped);
            } else if !keep {
                dropped.push(path);
            }
            is_declared || keep
        }),
        Value::Array(items) => {
            let inner = schema.and_then(|schema| schema.items.as_deref());
            if keep && inner.is_none() {
                return;
            }
            for (index, item) in items.iter_mut().enumerate() {
                enter(inner, item, keep, &path::index(path, index), dropped);
            }
        }
        _ => {}
    }
}

/// Removes the fields that `ObjectMeta` does not have.
fn metadata(fields: &mut Map<String, Value>, path: &str, dropped: &mut Vec<String>) {
    fields.retain(|name, _| {
        let is_known = object_meta::has_field(name);
        if !is_known {
            dropped.push(path::field(path, name));
        }
        is_known
    });
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
    path: &str,
    dropped: &mut Vec<String>,
) {
    let is = |flag: fn(&Node) -> bool| schema.is_some_and(flag);
    let keep = keep || is(|schema| schema.preserve_unknown_fields);
    walk(
        schema,
        value,
        keep,
        is(|schema| schema.embedded_resource),
        path,
        dropped,
    );
}
