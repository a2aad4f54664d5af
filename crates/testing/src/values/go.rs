//! Formats values as Go's `fmt` does, for messages.

use serde_json::Value;

/// Formats a value as `%v`.
pub(crate) fn value(value: &Value) -> String {
    match value {
        Value::Null => "<nil>".to_owned(),
        Value::String(text) => text.clone(),
        Value::Array(items) => {
            let items: Vec<_> = items.iter().map(self::value).collect();
            format!("[{}]", items.join(" "))
        }
        Value::Object(fields) => {
            let fields = fields
                .iter()
                .map(|(name, value)| format!("{name}:{}", self::value(value)));
            format!("map[{}]", fields.collect::<Vec<_>>().join(" "))
        }
        Value::Bool(_) | Value::Number(_) => value.to_string(),
    }
}

/// Formats a value as `%#v`.
pub(crate) fn syntax(value: &Value) -> String {
    match value {
        Value::Null => "interface {}(nil)".to_owned(),
        Value::Array(items) => {
            let items: Vec<_> = items.iter().map(syntax).collect();
            format!("[]interface {{}}{{{}}}", items.join(", "))
        }
        Value::Object(fields) => {
            let fields = fields
                .iter()
                .map(|(name, value)| format!("{name:?}:{}", syntax(value)));
            format!(
                "map[string]interface {{}}{{{}}}",
                fields.collect::<Vec<_>>().join(", ")
            )
        }
        Value::Bool(_) | Value::Number(_) | Value::String(_) => value.to_string(),
    }
}

/// Returns the type of a value as `%T`.
pub(crate) fn type_name(value: &Value) -> &'static str {
    match value {
        Value::Null => "<nil>",
        Value::Bool(_) => "bool",
        Value::Number(number) if number.is_f64() => "float64",
        Value::Number(_) => "int64",
        Value::String(_) => "string",
        Value::Array(_) => "[]interface {}",
        Value::Object(_) => "map[string]interface {}",
    }
}
