//! A JSON value in, its text as Go's `fmt` prints it out: what the API server puts into string columns.
use serde_json::Value;
use std::fmt::Write;

/// The text of a value within another: `[a b]`, `map[k:v]`, `<nil>`.
pub(super) fn print(value: &Value, out: &mut String) {
    match value {
        Value::Null => out.push_str("<nil>"),
        Value::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
        Value::Number(number) => out.push_str(&number_text(number)),
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

/// A number as the API server holds it.
pub enum Number {
    Int(i64),
    Float(f64),
}

/// A float without a fraction is an integer once it is stored; an integer beyond 64 bits is a float.
pub fn number(number: &serde_json::Number) -> Number {
    let float = number.as_f64().unwrap_or_default();
    let int = number.as_i64().or_else(|| whole(float));
    int.map_or(Number::Float(float), Number::Int)
}

/// The integer that the digits of a float spell, as Go writes them.
pub(super) fn whole(value: f64) -> Option<i64> {
    value.to_string().parse().ok()
}

fn number_text(value: &serde_json::Number) -> String {
    match number(value) {
        Number::Int(value) => value.to_string(),
        Number::Float(value) => float(value),
    }
}

/// A float by its shortest digits, with an exponent below 1e-4 and from 1e6 on, as `%v` has one.
pub(super) fn float(value: f64) -> String {
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
