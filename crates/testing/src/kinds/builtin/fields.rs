//! Sets fields that have no value yet.

use serde_json::{Map, Value};

use super::strategy::Fields;
use crate::values::object::map;

pub(crate) fn is_blank(value: Option<&Value>) -> bool {
    match value {
        None | Some(Value::Null) => true,
        Some(Value::String(text)) => text.is_empty(),
        Some(Value::Number(number)) => number.as_i64() == Some(0),
        Some(Value::Array(items)) => items.is_empty(),
        _ => false,
    }
}

/// Sets a value field that is absent or zero.
pub(crate) fn or(fields: &mut Fields, name: &str, default: impl Into<Value>) {
    if is_blank(fields.get(name)) {
        fields.insert(name.to_owned(), default.into());
    }
}

/// Sets a pointer field that is absent; a zero stays.
pub(crate) fn or_nil(fields: &mut Fields, name: &str, default: impl Into<Value>) {
    if fields.get(name).is_none_or(Value::is_null) {
        fields.insert(name.to_owned(), default.into());
    }
}

pub(crate) fn inner<'a>(fields: &'a mut Fields, name: &str) -> &'a mut Fields {
    map(fields.entry(name).or_insert(Value::Null))
}

pub(crate) fn get<'a>(fields: &'a Fields, name: &str) -> &'a str {
    fields.get(name).and_then(Value::as_str).unwrap_or_default()
}

/// Gives an object labels, if it has none.
pub(crate) fn copy_labels(it: &mut Fields, labels: &Value) {
    let metadata = inner(it, "metadata");
    if metadata
        .get("labels")
        .and_then(Value::as_object)
        .is_none_or(Map::is_empty)
    {
        metadata.insert("labels".to_owned(), labels.clone());
    }
}
