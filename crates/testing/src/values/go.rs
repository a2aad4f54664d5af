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

/// Formats a text as `%q`.
pub(crate) fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for character in text.chars() {
        match character {
            '"' | '\\' => quoted.extend(['\\', character]),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            '\u{7}' => quoted.push_str("\\a"),
            '\u{8}' => quoted.push_str("\\b"),
            '\u{b}' => quoted.push_str("\\v"),
            '\u{c}' => quoted.push_str("\\f"),
            _ if character.is_ascii_control() => {
                quoted.extend(["\\x", &format!("{:02x}", u32::from(character))]);
            }
            _ if character.is_control() => {
                quoted.extend(["\\u", &format!("{:04x}", u32::from(character))]);
            }
            _ => quoted.push(character),
        }
    }
    quoted + "\""
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
