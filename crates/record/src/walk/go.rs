//! Formats values as Go does, which the API server uses for string columns.
use std::fmt::Write;

use serde_json::Value;

use crate::Number;

/// Appends the text of a value: that of a scalar as `fmt` prints it, a map or list as JSON.
pub(super) fn print(value: &Value, out: &mut String) {
    match value {
        Value::Null => out.push_str("<nil>"),
        Value::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
        Value::Number(number) => out.push_str(&self::number(number.into())),
        Value::String(text) => out.push_str(text),
        Value::Array(_) | Value::Object(_) => json(value, out),
    }
}

/// Appends JSON as `encoding/json` writes it: with sorted keys, and escaped for HTML.
fn json(value: &Value, out: &mut String) {
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(_) => print(value, out),
        Value::Number(number) => json_number(number.into(), out),
        Value::String(text) => quote(text, out),
        Value::Array(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                json(item, out);
            }
            out.push(']');
        }
        Value::Object(fields) => {
            let mut fields: Vec<_> = fields.iter().collect();
            fields.sort_unstable_by_key(|(key, _)| *key);
            out.push('{');
            for (index, (key, value)) in fields.into_iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                quote(key, out);
                out.push(':');
                json(value, out);
            }
            out.push('}');
        }
    }
}

fn quote(text: &str, out: &mut String) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            '\0'..='\u{1f}' | '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => {
                let _ = write!(out, "\\u{:04x}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out.push('"');
}

/// Appends a number with its shortest digits, and with an exponent below 1e-6 and from 1e21 on.
fn json_number(number: Number, out: &mut String) {
    let value = number.as_f64();
    let _ = match number.as_i64() {
        Some(value) => write!(out, "{value}"),
        None if value != 0.0 && !(1e-6..1e21).contains(&value.abs()) => {
            let text = format!("{value:e}");
            write!(
                out,
                "{}",
                if value.abs() < 1.0 {
                    text
                } else {
                    text.replace('e', "e+")
                }
            )
        }
        None => write!(out, "{value}"),
    };
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
