//! Converts numbers as Go does between JSON and the values of custom resources.

use kube_codegen_record::Number;
use serde_json::Value;

use crate::request::Request;

/// Converts numbers as a real server stores them: `1.0` becomes `1`, and what exceeds 64 bits a float.
pub(crate) fn normalize(value: &mut Value) {
    convert(value, false);
}

/// Returns whether a value has numbers such as `1.0`.
fn has_whole_floats(value: &Value) -> bool {
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

/// Brings numbers such as `1.0` into the form in which they are stored, and returns the object as it was, if there are any.
pub(crate) fn normalize_sent(request: &Request, object: &mut Value) -> Option<Value> {
    let fields = object.as_object().into_iter().flatten();
    let mut of_spec = fields.filter(|(name, _)| !matches!(name.as_str(), "metadata" | "status"));
    let is_raised = of_spec.any(|(_, field)| has_whole_floats(field));
    request.has_whole_float.set(is_raised);
    let sent = has_whole_floats(object).then(|| object.clone());
    if sent.is_some() {
        normalize(object);
    }
    sent
}
