//! A column and an object in, the text of the cell out: what the API server computes and kubectl prints of it.
use super::age::age;
use super::column::ColumnType;
use super::go;
use super::node::Node;
use jiff::Timestamp;
use serde_json::Value;

/// The cell; empty where nothing is found or the type does not fit.
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

/// A float loses its fraction; one beyond all integers is what Go makes of it on most machines.
#[expect(
    clippy::cast_possible_truncation,
    reason = "a fraction is cut off, and what is out of range does not come here"
)]
fn integer(number: &serde_json::Number) -> String {
    const LIMIT: f64 = 9_223_372_036_854_775_808.0; // 2^63
    match go::number(number) {
        go::Number::Float(value) if value.abs() < LIMIT => (value as i64).to_string(),
        go::Number::Float(_) => i64::MIN.to_string(),
        go::Number::Int(value) => value.to_string(),
    }
}

/// Every number is a float here. A whole one has no fraction on the wire, and so is an integer again for kubectl.
fn float(number: &serde_json::Number) -> String {
    let value = number.as_f64().unwrap_or_default();
    match go::whole(value) {
        Some(value) => value.to_string(),
        None => go::float(value),
    }
}
