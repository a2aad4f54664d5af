//! A column and an object in, the text of the cell out: what the API server computes and kubectl prints of it.
use super::age::age;
use super::column::ColumnType;
use super::go;
use super::node::Node;
use k8s_openapi::jiff::Timestamp;
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

/// A float loses its fraction.
fn integer(number: &serde_json::Number) -> String {
    match number.as_f64() {
        Some(value) if number.is_f64() => format!("{:.0}", value.trunc()),
        _ => number.to_string(),
    }
}

/// A whole number has no fraction on the wire, and so is one again for kubectl.
fn float(number: &serde_json::Number) -> String {
    match number.as_f64() {
        Some(value) if value.fract() != 0.0 || value.abs() >= 9e18 => go::float(value),
        Some(value) => format!("{value:.0}"),
        None => number.to_string(),
    }
}
