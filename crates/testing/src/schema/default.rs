//! Fills in a schema's defaults where the parent is there; a null that is not nullable counts as absent.
use serde_json::Value;

use crate::object::flag;

pub(crate) fn default(schema: &Value, value: &mut Value) {
    match value {
        Value::Object(fields) => {
            for (name, inner) in schema
                .get("properties")
                .and_then(Value::as_object)
                .into_iter()
                .flatten()
            {
                let null =
                    fields.get(name).is_some_and(Value::is_null) && !flag(inner, "/nullable");
                if null {
                    fields.remove(name);
                }
                if let Some(default) = inner.get("default").filter(|_| !fields.contains_key(name)) {
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
