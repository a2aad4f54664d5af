//! Converts numbers as Go does between JSON and the values of custom resources.

use kube_codegen_record::Number;
use serde_json::Value;

/// Converts numbers as a real server stores them: `1.0` becomes `1`, and what exceeds 64 bits a float.
pub(crate) fn normalize(value: &mut Value) {
    convert(value, false);
}

/// Returns whether a value has numbers such as `1.0`.
pub(crate) fn has_whole_floats(value: &Value) -> bool {
    match value {
        Value::Number(number) => number.is_f64() && Number::from(number).as_i64().is_some(),
        Value::Array(items) => items.iter().any(has_whole_floats),
        Value::Object(fields) => fields.values().any(has_whole_floats),
        Value::Null | Value::Bool(_) | Value::String(_) => false,
    }
}

/// Converts numbers; the validation of custom resources sees a `1.0` as it was sent.
pub(crate) fn convert(value: &mut Value, keeps_floats: bool) {
    match value {
        Value::Number(number) => {
            let is_kept = keeps_floats && number.is_f64();
            let number = Number::from(&*number);
            let whole = number.as_i64().filter(|_| !is_kept);
            *value = whole.map_or_else(|| number.as_f64().into(), Value::from);
        }
        Value::Array(items) => {
            for item in items {
                convert(item, keeps_floats);
            }
        }
        Value::Object(fields) => {
            for field in fields.values_mut() {
                convert(field, keeps_floats);
            }
        }
        Value::Null | Value::Bool(_) | Value::String(_) => {}
    }
}
