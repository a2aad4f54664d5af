//! Reads and writes JSON objects by pointer; absent values read as empty.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use kube_codegen_formats::pointer;
use kube_codegen_record::clock;
use serde_json::{Map, Value, json};

/// Returns the current time.
pub(crate) fn now() -> Value {
    json!(Time(clock::now()))
}

static NULL: Value = Value::Null;

/// Returns the value at a JSON pointer, or null.
pub(crate) fn at<'a>(object: &'a Value, pointer: &str) -> &'a Value {
    // `Value::pointer` allocates for each part, and a search in so short a text takes longer than a loop over its bytes.
    let mut value = object;
    let mut rest = pointer.as_bytes();
    while let [b'/', after @ ..] = rest {
        let end = after.iter().position(|byte| *byte == b'/');
        let (part, next) = after.split_at(end.unwrap_or(after.len()));
        let start = pointer.len() - after.len();
        let found = step(value, &pointer[start..start + part.len()]);
        let Some(found) = found else {
            return &NULL;
        };
        (value, rest) = (found, next);
    }
    value
}

/// Returns the value at one part of a pointer.
fn step<'a>(value: &'a Value, part: &str) -> Option<&'a Value> {
    match value {
        Value::Object(fields) if part.as_bytes().contains(&b'~') => {
            fields.get(&pointer::unescape(part))
        }
        Value::Object(fields) => fields.get(part),
        Value::Array(items) => items.get(part.parse::<usize>().ok()?),
        _ => None,
    }
}

pub(crate) fn text<'a>(object: &'a Value, pointer: &str) -> &'a str {
    at(object, pointer).as_str().unwrap_or_default()
}

pub(crate) fn flag(object: &Value, pointer: &str) -> bool {
    at(object, pointer).as_bool().unwrap_or_default()
}

pub(crate) fn list<'a>(object: &'a Value, pointer: &str) -> &'a [Value] {
    at(object, pointer)
        .as_array()
        .map(Vec::as_slice)
        .unwrap_or_default()
}

pub(crate) fn strings(object: &Value, pointer: &str) -> Vec<String> {
    list(object, pointer)
        .iter()
        .filter_map(Value::as_str)
        .map(str::to_owned)
        .collect()
}

/// Returns the object under `name`, created if missing.
pub(crate) fn section<'a>(parent: &'a mut Value, name: &str) -> &'a mut Map<String, Value> {
    map(map(parent).entry(name).or_insert(Value::Null))
}

/// Returns the value as an object; another value becomes an empty object.
pub(crate) fn map(value: &mut Value) -> &mut Map<String, Value> {
    if !value.is_object() {
        *value = Value::Object(Map::new());
    }
    match value {
        Value::Object(map) => map,
        _ => unreachable!("converted to an object above"),
    }
}

/// Sets the value at a JSON pointer, and creates the objects on the way.
pub(crate) fn put(object: &mut Value, pointer: &str, value: Value) {
    let mut current = object;
    for name in pointer.trim_start_matches('/').split('/') {
        current = map(current).entry(name).or_insert(Value::Null);
    }
    *current = value;
}

/// Returns whether two objects have the same fields, but for some.
pub(crate) fn equal(one: &Value, other: &Value, ignored: &[&str]) -> bool {
    let fields = |object| {
        let fields = Value::as_object(object).into_iter().flatten();
        fields.filter(|(name, _)| !ignored.contains(&name.as_str()))
    };
    fields(one).count() == fields(other).count()
        && fields(one).all(|(name, value)| other.get(name) == Some(value))
}

/// Copies the field `name`, or removes it if `source` does not have it.
pub(crate) fn copy(target: &mut Map<String, Value>, source: &Value, name: &str) {
    match source.get(name) {
        Some(value) => target.insert(name.to_owned(), value.clone()),
        None => target.remove(name),
    };
}

pub(crate) fn namespace(object: &Value) -> &str {
    text(object, "/metadata/namespace")
}

pub(crate) fn name(object: &Value) -> &str {
    text(object, "/metadata/name")
}

pub(crate) fn uid(object: &Value) -> &str {
    text(object, "/metadata/uid")
}

/// Returns the resource version as a number.
pub(crate) fn revision(object: &Value) -> u64 {
    text(object, "/metadata/resourceVersion")
        .parse()
        .unwrap_or_default()
}

pub(crate) fn deleting(object: &Value) -> bool {
    at(object, "/metadata/deletionTimestamp").is_string()
}
