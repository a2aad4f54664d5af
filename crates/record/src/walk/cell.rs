//! The text of a cell, as the API server computes and kubectl prints it.
use jiff::Timestamp;
use serde_json::Value;

use super::{age::age, column::ColumnType, go, node::Node};
use crate::Number;

impl ColumnType {
    /// Returns the cell that the API server would compute from the first value at the column's path; null if there is none, or if its type
    /// does not fit.
    ///
    /// ```
    /// use kube_codegen_record::walk::{ColumnType, Path};
    ///
    /// let object = serde_json::json!({"spec": {"hosts": ["a", "b"]}});
    /// let cell = |type_: ColumnType, path| type_.cell(Path::parse(path).unwrap().find_in(&object).first(), Default::default());
    /// assert_eq!(cell(ColumnType::String, ".spec.hosts"), r#"["a","b"]"#);
    /// assert_eq!(cell(ColumnType::Integer, ".spec.hosts"), serde_json::Value::Null);
    /// ```
    pub fn cell(self, found: Option<&Node<'_>>, now: Timestamp) -> Value {
        let Some(node) = found else {
            return Value::Null;
        };
        if let Some(text) = node.as_text() {
            return match self {
                Self::String => text.into(),
                Self::Date => age(&text, now).into(),
                Self::Integer | Self::Number | Self::Boolean => Value::Null,
            };
        }
        match (self, node.to_json()) {
            (Self::String, Value::Null) => "<no value>".into(),
            (Self::String, value) => {
                let mut text = String::new();
                go::print(&value, &mut text);
                text.into()
            }
            (Self::Integer, Value::Number(number)) => integer(&number).into(),
            (Self::Number, Value::Number(number)) => float(&number),
            (Self::Boolean, value @ Value::Bool(_)) => value,
            _ => Value::Null,
        }
    }
}

/// Returns the text of a cell as kubectl prints it; empty for null.
pub(super) fn cell(type_: ColumnType, found: Option<&Node<'_>>, now: Timestamp) -> String {
    match type_.cell(found, now) {
        Value::Null => String::new(),
        Value::String(text) => text,
        Value::Number(number) => go::number((&number).into()),
        other => other.to_string(),
    }
}

/// Drops the fraction. A float beyond all integers is what Go converts it to on most machines.
#[expect(
    clippy::cast_possible_truncation,
    reason = "the fraction is dropped, and the range checked"
)]
fn integer(number: &serde_json::Number) -> i64 {
    const LIMIT: f64 = 9_223_372_036_854_775_808.0; // 2^63
    let number = Number::from(number);
    let float = number.as_f64();
    match number.as_i64() {
        Some(value) => value,
        None if float.abs() < LIMIT => float as i64,
        None => i64::MIN,
    }
}

/// Every number is a float in such a column, without a fraction if it is whole: kubectl reads it as an integer again.
fn float(number: &serde_json::Number) -> Value {
    let float = Number::from(number).as_f64();
    // kubectl sees the shortest digits of the float, as the server writes them: not the integer next to it.
    let digits = float.to_string();
    match (digits.parse::<i64>(), digits.parse::<u64>()) {
        (Ok(whole), _) => whole.into(),
        (_, Ok(whole)) => whole.into(),
        _ => float.into(),
    }
}
