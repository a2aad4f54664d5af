//! Drops what a structural schema does not name, as the API server does; never a field whose schema preserves the unknown.
use serde_json::Value;

use crate::object::flag;

/// Prunes a whole object and returns the paths of what went.
pub(crate) fn prune(schema: &Value, object: &mut Value) -> Vec<String> {
    let mut dropped = Vec::new();
    walk(schema, object, true, "", &mut dropped);
    dropped
}

fn walk(schema: &Value, value: &mut Value, resource: bool, path: &str, dropped: &mut Vec<String>) {
    let keeps = flag(schema, "/x-kubernetes-preserve-unknown-fields");
    match value {
        Value::Object(fields) => {
            let properties = schema.get("properties");
            let additional = schema.get("additionalProperties");
            fields.retain(|name, value| {
                if resource && matches!(name.as_str(), "apiVersion" | "kind" | "metadata") {
                    return true;
                }
                let path = if path.is_empty() {
                    name.clone()
                } else {
                    format!("{path}.{name}")
                };
                let inner = properties.and_then(|properties| properties.get(name));
                match inner.or_else(|| additional.filter(|schema| schema.is_object())) {
                    Some(inner) => walk(
                        inner,
                        value,
                        flag(inner, "/x-kubernetes-embedded-resource"),
                        &path,
                        dropped,
                    ),
                    None if keeps || additional == Some(&Value::Bool(true)) => {}
                    None => {
                        dropped.push(path);
                        return false;
                    }
                }
                true
            });
        }
        Value::Array(items) => {
            let Some(inner) = schema.get("items") else {
                return;
            };
            for (index, item) in items.iter_mut().enumerate() {
                walk(
                    inner,
                    item,
                    flag(inner, "/x-kubernetes-embedded-resource"),
                    &format!("{path}[{index}]"),
                    dropped,
                );
            }
        }
        _ => {}
    }
}
