//! Formats JSON as Go's `fmt` does, which the API server uses for string columns.
use crate::Number;
use serde_json::Value;
use std::fmt::Write;

/// Appends the text of a value: `[a b]`, `map[k:v]`, `<nil>`.
pub(super) fn print(value: &Value, out: &mut String) {
    match value {
        Value::Null => out.push_str("<nil>"),
        Value::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
        Value::Number(number) => out.push_str(&self::number(number.into())),
        Value::String(text) => out.push_str(text),
        Value::Array(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    out.push(' ');
                }
                print(item, out);
            }
            out.push(']');
        }
        Value::Object(fields) => {
            let mut fields: Vec<_> = fields.iter().collect();
            fields.sort_unstable_by_key(|(key, _)| *key);
            out.push_str("map[");
            for (index, (key, value)) in fields.into_iter().enumerate() {
                if index > 0 {
                    out.push(' ');
                }
                let _ = write!(out, "{key}:");
                print(value, out);
            }
            out.push(']');
        }
    }
}

/// Formats a number: as an integer if it has no fraction, as the API server holds it.
pub(super) fn number(number: Number) -> String {
    match number.as_i64() {
        Some(value) => value.to_string(),
        None => float(number.as_f64()),
    }
}

/// Formats a float with its shortest digits, and with an exponent below 1e-4 and from 1e6 on, as `%v` does.
fn float(value: f64) -> String {
    let scientific = format!("{value:e}");
    let Some((digits, exponent)) = scientific.split_once('e') else {
        return scientific;
    };
    match exponent.parse::<i32>() {
        Ok(exponent) if !(-4..6).contains(&exponent) => {
            format!(
                "{digits}e{}{:02}",
                if exponent < 0 { '-' } else { '+' },
                exponent.abs()
            )
        }
        _ => value.to_string(),
    }
}
