//! The text of a cell, as the API server computes and kubectl prints it.
use super::age::age;
use super::column::ColumnType;
use super::go;
use super::node::Node;
use crate::Number;
use jiff::Timestamp;
use serde_json::Value;

/// Returns the text; empty if nothing was found or the type does not fit.
pub(super) fn cell(type_: ColumnType, found: Option<&Node<'_>>, now: Timestamp) -> String {
    let Some(node) = found else {
        return String::new();
    };
    if let Some(text) = node.as_text() {
        return match type_ {
            ColumnType::String => text.into_owned(),
            ColumnType::Date => age(&text, now),
            ColumnType::Integer | ColumnType::Number | ColumnType::Boolean => String::new(),
        };
    }
    let value = node.to_json();
    match (type_, &value) {
        (ColumnType::String, Value::Null) => "<no value>".to_owned(),
        (ColumnType::String, value) => {
            let mut text = String::new();
            go::print(value, &mut text);
            text
        }
        (ColumnType::Integer, Value::Number(number)) => integer(number),
        (ColumnType::Number, Value::Number(number)) => float(number),
        (ColumnType::Boolean, Value::Bool(value)) => value.to_string(),
        _ => String::new(),
    }
}

/// Drops the fraction. A float beyond all integers is what Go converts it to on most machines.
#[expect(
    clippy::cast_possible_truncation,
    reason = "the fraction is dropped, and the range checked"
)]
fn integer(number: &serde_json::Number) -> String {
    const LIMIT: f64 = 9_223_372_036_854_775_808.0; // 2^63
    let number = Number::from(number);
    let float = number.as_f64();
    match number.as_i64() {
        Some(value) => value.to_string(),
        None if float.abs() < LIMIT => (float as i64).to_string(),
        None => i64::MIN.to_string(),
    }
}

/// Every number is a float in such a column. Without a fraction on the wire, kubectl reads it as an integer again.
fn float(number: &serde_json::Number) -> String {
    go::number(Number::from(number).as_f64().into())
}
