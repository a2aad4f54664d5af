//! Formats values as Go does, for messages.

use serde_json::Value;

/// A JSON number as the API server holds it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Number {
    Int(i64),
    Float(f64),
}

impl Number {
    /// Returns the number in a value.
    pub fn of(value: &Value) -> Option<Self> {
        let number = value.as_number()?;
        match number.as_i64() {
            Some(int) => Some(Self::Int(int)),
            None => number.as_f64().map(Self::Float),
        }
    }

    #[expect(clippy::cast_precision_loss, reason = "as in Go")]
    pub fn as_f64(self) -> f64 {
        match self {
            Self::Int(int) => int as f64,
            Self::Float(float) => float,
        }
    }

    /// Formats the number as `%v`.
    pub fn text(self) -> String {
        match self {
            Self::Int(int) => int.to_string(),
            Self::Float(float) => self::float(float),
        }
    }
}

/// Converts a float to an integer as Go does on amd64, where a float out of range gives the smallest integer.
#[expect(clippy::cast_possible_truncation, reason = "as in Go")]
pub fn int(float: f64) -> i64 {
    const LIMIT: f64 = 9_223_372_036_854_775_808.0;
    if (-LIMIT..LIMIT).contains(&float) {
        float as i64
    } else {
        i64::MIN
    }
}

/// Formats a float as `%v`: with an exponent below 1e-4 and from 1e6 on.
pub fn float(value: f64) -> String {
    let text = format!("{value:e}");
    let Some((digits, exponent)) = text.split_once('e') else {
        return text;
    };
    match exponent.parse() {
        Ok(exponent) if !(-4..6).contains(&exponent) => exponential(digits, exponent),
        _ => value.to_string(),
    }
}

fn exponential(digits: &str, exponent: i32) -> String {
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{digits}e{sign}{:02}", exponent.abs())
}

/// Formats a string as `%q`.
pub fn quote(text: &str) -> String {
    use std::fmt::Write as _;
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for letter in text.chars() {
        match letter {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\u{7}' => out.push_str("\\a"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{b}' => out.push_str("\\v"),
            letter if is_printable(letter) => out.push(letter),
            // Writing to a string does not fail.
            letter if letter < '\u{80}' => _ = write!(out, "\\x{:02x}", u32::from(letter)),
            letter if letter < '\u{10000}' => _ = write!(out, "\\u{:04x}", u32::from(letter)),
            letter => _ = write!(out, "\\U{:08x}", u32::from(letter)),
        }
    }
    out.push('"');
    out
}

fn is_printable(letter: char) -> bool {
    // Rust escapes what is not printable, and combining marks, which Go prints.
    letter == ' '
        || !letter.is_whitespace()
            && (letter.escape_debug().len() == 1 || letter == '\'' || letter.is_alphanumeric())
}

/// Formats a value as the messages of the API server do.
pub fn shown(value: &Value) -> String {
    match value {
        Value::String(text) => quote(text),
        Value::Number(_) => Number::of(value).map(Number::text).unwrap_or_default(),
        value => json(value),
    }
}

/// Formats a value as `json.Marshal` does: keys sorted, `<`, `>` and `&` escaped.
pub fn json(value: &Value) -> String {
    match value {
        Value::Null | Value::Bool(_) => value.to_string(),
        Value::Number(_) => Number::of(value).map(json_number).unwrap_or_default(),
        Value::String(text) => json_string(text),
        Value::Array(items) => {
            let items: Vec<_> = items.iter().map(json).collect();
            format!("[{}]", items.join(","))
        }
        Value::Object(fields) => {
            let mut fields: Vec<_> = fields.iter().collect();
            fields.sort_by_key(|(name, _)| *name);
            let fields: Vec<_> = fields
                .into_iter()
                .map(|(name, value)| format!("{}:{}", json_string(name), json(value)))
                .collect();
            format!("{{{}}}", fields.join(","))
        }
    }
}

fn json_number(number: Number) -> String {
    match number {
        Number::Int(int) => int.to_string(),
        Number::Float(float) => {
            let size = float.abs();
            if size != 0.0 && !(1e-6..1e21).contains(&size) {
                let text = format!("{float:e}");
                match text.split_once('e') {
                    Some((digits, exponent)) if !exponent.starts_with('-') => {
                        format!("{digits}e+{exponent}")
                    }
                    _ => text,
                }
            } else {
                float.to_string()
            }
        }
    }
}

fn json_string(text: &str) -> String {
    let text = Value::from(text).to_string();
    if !text.contains(['<', '>', '&', '\u{2028}', '\u{2029}']) {
        return text;
    }
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '<' => out.push_str("\\u003c"),
            '>' => out.push_str("\\u003e"),
            '&' => out.push_str("\\u0026"),
            '\u{2028}' => out.push_str("\\u2028"),
            '\u{2029}' => out.push_str("\\u2029"),
            letter => out.push(letter),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{float, int, json, quote};

    #[test]
    fn values_are_formatted_as_in_go() {
        for (value, text) in [
            (1.0, "1"),
            (0.5, "0.5"),
            (123_456.0, "123456"),
            (1e6, "1e+06"),
            (1_234_567.5, "1.2345675e+06"),
            (1e21, "1e+21"),
            (1.5e-7, "1.5e-07"),
            (0.0001, "0.0001"),
            (-2.5e300, "-2.5e+300"),
        ] {
            assert_eq!(float(value), text);
        }
        assert_eq!(int(1e19), i64::MIN);
        assert_eq!(quote("a\"\u{0}\u{7f}é'\n"), r#""a\"\x00\x7fé'\n""#);
        assert_eq!(
            json(&json!({"b": "<a>", "a": [1, 1e21, 1e-7]})),
            "{\"a\":[1,1e+21,1e-7],\"b\":\"\\u003ca\\u003e\"}"
        );
    }
}
