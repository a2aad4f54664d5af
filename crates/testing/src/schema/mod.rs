//! Prunes, defaults and validates objects by a structural schema. Formats and CEL rules are ignored.

mod validate;

use serde_json::Value;

use crate::object::flag;
pub(crate) use validate::validate;

/// Removes the fields that the schema does not declare or preserve, and returns their paths.
pub(crate) fn prune(schema: &Value, object: &mut Value) -> Vec<String> {
    let mut dropped = Vec::new();
    prune_value(schema, object, true, "", &mut dropped);
    dropped
}

fn prune_value(
    schema: &Value,
    value: &mut Value,
    resource: bool,
    path: &str,
    dropped: &mut Vec<String>,
) {
    let preserve = flag(schema, "/x-kubernetes-preserve-unknown-fields");
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
                    Some(inner) => prune_value(
                        inner,
                        value,
                        flag(inner, "/x-kubernetes-embedded-resource"),
                        &path,
                        dropped,
                    ),
                    None if preserve || additional == Some(&Value::Bool(true)) => {}
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
                prune_value(
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

/// Removes nulls where the schema has neither `nullable` nor a default.
pub(crate) fn drop_nulls(schema: &Value, value: &mut Value) {
    match value {
        Value::Object(fields) => {
            let properties = schema.get("properties").and_then(Value::as_object);
            let additional = schema
                .get("additionalProperties")
                .filter(|it| it.is_object());
            fields.retain(|name, value| {
                let declared = properties.and_then(|properties| properties.get(name));
                if let Some(inner) = declared.or(additional) {
                    drop_nulls(inner, value);
                }
                let is_kept =
                    declared.is_none_or(|it| flag(it, "/nullable") || it.get("default").is_some());
                is_kept || !value.is_null()
            });
        }
        Value::Array(items) => {
            if let Some(inner) = schema.get("items") {
                for item in items {
                    drop_nulls(inner, item);
                }
            }
        }
        _ => {}
    }
}

/// Fills in the defaults of existing parents, also for a null that is not nullable.
pub(crate) fn default(schema: &Value, value: &mut Value) {
    match value {
        Value::Object(fields) => {
            for (name, inner) in schema
                .get("properties")
                .and_then(Value::as_object)
                .into_iter()
                .flatten()
            {
                let is_absent = match fields.get(name) {
                    Some(Value::Null) => !flag(inner, "/nullable"),
                    found => found.is_none(),
                };
                if let Some(default) = inner.get("default").filter(|_| is_absent) {
                    fields.insert(name.clone(), default.clone());
                }
                if let Some(field) = fields.get_mut(name) {
                    self::default(inner, field);
                }
            }
            let declared = schema.get("properties");
            if let Some(inner) = schema
                .get("additionalProperties")
                .filter(|inner| inner.is_object())
            {
                let undeclared = fields.iter_mut().filter(|(name, _)| {
                    declared
                        .and_then(|declared| declared.get(name.as_str()))
                        .is_none()
                });
                undeclared.for_each(|(_, field)| self::default(inner, field));
            }
        }
        Value::Array(items) => {
            if let Some(inner) = schema.get("items") {
                for item in items {
                    self::default(inner, item);
                }
            }
        }
        _ => {}
    }
}
