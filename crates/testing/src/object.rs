//! Small reads and writes of JSON objects by pointer; never an error: what is absent reads as empty.
use serde_json::{Map, Value};

static NULL: Value = Value::Null;

/// The value at a JSON pointer, null where absent.
pub(super) fn at<'a>(object: &'a Value, pointer: &str) -> &'a Value {
    object.pointer(pointer).unwrap_or(&NULL)
}

pub(super) fn text<'a>(object: &'a Value, pointer: &str) -> &'a str {
    at(object, pointer).as_str().unwrap_or_default()
}

pub(super) fn flag(object: &Value, pointer: &str) -> bool {
    at(object, pointer).as_bool().unwrap_or_default()
}

pub(super) fn list<'a>(object: &'a Value, pointer: &str) -> &'a [Value] {
    at(object, pointer)
        .as_array()
        .map(Vec::as_slice)
        .unwrap_or_default()
}

pub(super) fn strings(object: &Value, pointer: &str) -> Vec<String> {
    list(object, pointer)
        .iter()
        .filter_map(Value::as_str)
        .map(str::to_owned)
        .collect()
}

/// The object inside `parent` under `name`; made where it is not there.
pub(super) fn section<'a>(parent: &'a mut Value, name: &str) -> &'a mut Map<String, Value> {
    map(map(parent).entry(name).or_insert(Value::Null))
}

/// The value as an object; what is none becomes an empty one.
pub(super) fn map(value: &mut Value) -> &mut Map<String, Value> {
    if !value.is_object() {
        *value = Value::Object(Map::new());
    }
    match value {
        Value::Object(map) => map,
        _ => unreachable!("made an object above"),
    }
}

/// Sets the value at a JSON pointer made of object fields, and the objects on the way.
pub(super) fn put(object: &mut Value, pointer: &str, value: Value) {
    let mut place = object;
    for name in pointer.trim_start_matches('/').split('/') {
        place = map(place).entry(name).or_insert(Value::Null);
    }
    *place = value;
}

/// Gives `target` the field `name` of `source`, or takes it away where `source` has none.
pub(super) fn copy(target: &mut Map<String, Value>, source: &Value, name: &str) {
    match source.get(name) {
        Some(value) => target.insert(name.to_owned(), value.clone()),
        None => target.remove(name),
    };
}

pub(super) fn namespace(object: &Value) -> &str {
    text(object, "/metadata/namespace")
}

pub(super) fn name(object: &Value) -> &str {
    text(object, "/metadata/name")
}

pub(super) fn uid(object: &Value) -> &str {
    text(object, "/metadata/uid")
}

pub(super) fn deleting(object: &Value) -> bool {
    at(object, "/metadata/deletionTimestamp").is_string()
}
