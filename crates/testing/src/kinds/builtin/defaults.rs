//! The defaults of built-in types (`SetDefaults_…` of `k8s.io/kubernetes/pkg/apis/*/v1/defaults.go`).

use serde_json::Value;

use super::{fields::or, groups, scalar::quantity, strategy::Fields};
use crate::values::object::{list, text};

/// Fills in the defaults of a decoded object, from the outside to the inside.
pub(crate) fn apply(schema: &Value, value: &mut Value) {
    match value {
        Value::Object(fields) => {
            groups::default(text(schema, "/x-type"), fields);
            if text(schema, "/x-go") == "v1.ResourceList" {
                round_up(fields);
            }
            if let Some(Value::Object(properties)) = schema.get("properties") {
                for name in list(schema, "/x-defaulted")
                    .iter()
                    .filter_map(Value::as_str)
                {
                    or(fields, name, properties[name]["default"].clone());
                }
                for (name, field) in fields {
                    if let Some(property) = properties.get(name) {
                        apply(property, field);
                    }
                }
            } else if let Some(inner) = schema.get("additionalProperties") {
                fields.values_mut().for_each(|it| apply(inner, it));
            }
        }
        Value::Array(items) => {
            if let Some(inner) = schema.get("items") {
                for item in items {
                    apply(inner, item);
                }
            }
        }
        _ => {}
    }
}

fn round_up(fields: &mut Fields) {
    for value in fields.values_mut() {
        if let Some(given) = quantity(value) {
            let rounded = given.rounded_to_milli();
            if rounded != given {
                *value = rounded.to_string().into();
            }
        }
    }
}
