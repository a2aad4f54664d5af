//! Fills in the defaults of a schema.

use serde_json::Value;

use crate::node::Node;

/// Removes the nulls of fields that have neither `nullable` nor a default.
pub(crate) fn drop_nulls(schema: &Node, value: &mut Value) {
    match value {
        Value::Object(fields) => fields.retain(|name, value| {
            let Some(inner) = schema.field(name) else {
                return true;
            };
            if value.is_null() && !inner.nullable && inner.default.is_none() {
                return false;
            }
            drop_nulls(inner, value);
            true
        }),
        Value::Array(items) => {
            if let Some(inner) = &schema.items {
                for item in items {
                    drop_nulls(inner, item);
                }
            }
        }
        _ => {}
    }
}

/// Fills in the defaults of absent fields, also inside existing lists and maps, and for a null that is not nullable.
pub(crate) fn apply(schema: &Node, value: &mut Value) {
    match value {
        Value::Object(fields) => {
            for (name, inner) in &schema.properties {
                let is_absent = match fields.get(name) {
                    Some(value) => value.is_null() && !inner.nullable,
                    None => true,
                };
                if let Some(default) = inner.default.as_ref().filter(|_| is_absent) {
                    fields.insert(name.clone(), default.clone());
                }
            }
            for (name, value) in fields {
                if let Some(inner) = schema.properties.get(name) {
                    apply(inner, value);
                } else if let Some(inner) = schema.additional() {
                    item(inner, value);
                }
            }
        }
        Value::Array(items) => {
            if let Some(inner) = &schema.items {
                for value in items {
                    item(inner, value);
                }
            }
        }
        _ => {}
    }
}

fn item(schema: &Node, value: &mut Value) {
    if value.is_null() && !schema.nullable {
        *value = schema.default.clone().unwrap_or_default();
    }
    apply(schema, value);
}
