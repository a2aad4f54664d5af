//! The defaults of built-in types (`SetDefaults_…` of `k8s.io/kubernetes/pkg/apis/*/v1/defaults.go`).

mod core;
mod others;

use serde_json::{Map, Value};

use super::scalar::quantity;
use crate::values::object::{list, map, text};

type Fields = Map<String, Value>;

/// Fills in the defaults of a decoded object, from the outside to the inside.
pub(crate) fn apply(schema: &Value, value: &mut Value) {
    match value {
        Value::Object(fields) => {
            set(text(schema, "/x-type"), fields);
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

pub(super) fn is_blank(value: Option<&Value>) -> bool {
    match value {
        None | Some(Value::Null) => true,
        Some(Value::String(text)) => text.is_empty(),
        Some(Value::Number(number)) => number.as_i64() == Some(0),
        Some(Value::Array(items)) => items.is_empty(),
        _ => false,
    }
}

/// Sets a value field that is absent or zero.
fn or(fields: &mut Fields, name: &str, default: impl Into<Value>) {
    if is_blank(fields.get(name)) {
        fields.insert(name.to_owned(), default.into());
    }
}

/// Sets a pointer field that is absent; a zero stays.
fn or_nil(fields: &mut Fields, name: &str, default: impl Into<Value>) {
    if fields.get(name).is_none_or(Value::is_null) {
        fields.insert(name.to_owned(), default.into());
    }
}

fn inner<'a>(fields: &'a mut Fields, name: &str) -> &'a mut Fields {
    map(fields.entry(name).or_insert(Value::Null))
}

fn get<'a>(fields: &'a Fields, name: &str) -> &'a str {
    fields.get(name).and_then(Value::as_str).unwrap_or_default()
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

fn set(name: &str, it: &mut Fields) {
    match name.split_once('.').unwrap_or_default() {
        ("core", name) => core::core(name.trim_start_matches("v1."), it),
        ("apps", name) => others::apps(name.trim_start_matches("v1."), it),
        ("batch", name) => others::batch(name.trim_start_matches("v1."), it),
        ("autoscaling", "v2.HorizontalPodAutoscalerSpec") => others::autoscaler(it),
        ("networking", name) => others::networking(name.trim_start_matches("v1."), it),
        ("rbac", name) => others::rbac(name.trim_start_matches("v1."), it),
        ("admissionregistration", name) => others::admission(name.trim_start_matches("v1."), it),
        ("discovery", "v1.EndpointPort") => {
            or_nil(it, "name", "");
            or_nil(it, "protocol", "TCP");
        }
        ("resource", "v1.ExactDeviceRequest" | "v1.DeviceSubRequest") => {
            or(it, "allocationMode", "ExactCount");
            if get(it, "allocationMode") == "ExactCount" {
                or(it, "count", 1);
            }
        }
        ("scheduling", "v1.PriorityClass") => {
            or_nil(it, "preemptionPolicy", "PreemptLowerPriority");
        }
        ("storage", name) => others::storage(name.trim_start_matches("v1."), it),
        _ => {}
    }
}
