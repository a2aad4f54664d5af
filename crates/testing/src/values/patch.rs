//! Applies JSON patches (RFC 6902) and merge patches (RFC 7396).
//!
//! The crate `json-patch` follows the RFC, which the API server does not: with it, 17 of the recorded answers differ.

use kube_codegen_formats::pointer;
use serde_json::Value;

use crate::values::{
    numbers,
    object::{map, text},
    status::{Answer, bad_request, too_many_bytes, unprocessable},
};

/// The operations of a JSON patch, and the bytes that they may copy.
const MOST_OPERATIONS: usize = 10_000;
const MOST_COPIED: usize = 3 * 1024 * 1024;
/// How deep the values of a body may be nested: a patch does not nest them deeper.
const DEEPEST: usize = 128;

/// Applies an RFC 6902 patch with the liberties of the API server: `replace` adds an absent field, an index may count from the
/// end, and a `test` for null passes on an absent path.
pub(crate) fn json(object: &mut Value, patch: &Value) -> Answer<()> {
    let malformed = || bad_request("error decoding patch: expected a list of operations");
    let operations = patch.as_array().ok_or_else(malformed)?;
    if operations.len() > MOST_OPERATIONS {
        return Err(too_many_bytes(&format!(
            "The allowed maximum operations in a JSON patch is {MOST_OPERATIONS}, got {}",
            operations.len()
        )));
    }
    let mut copied = 0;
    for operation in operations {
        let value = operation.get("value").cloned().unwrap_or_default();
        let target = text(operation, "/path");
        let done = match text(operation, "/op") {
            "add" => put(object, target, value, false),
            "replace" => put(object, target, value, true),
            "remove" => remove(object, target).map(drop),
            "test" => match object.pointer(target) {
                Some(found) if *found == value || stored(found) == stored(&value) => Some(()),
                None if value.is_null() && target.starts_with('/') => Some(()),
                _ => None,
            },
            "move" => remove(object, text(operation, "/from"))
                .and_then(|value| put(object, target, value, false)),
            "copy" => {
                let value = object.pointer(text(operation, "/from"));
                copied += value.map_or(0, |value| value.to_string().len());
                let value = value.filter(|_| copied <= MOST_COPIED).cloned();
                value.and_then(|value| put(object, target, value, false))
            }
            _ => None,
        };
        done.ok_or_else(unprocessable)?;
    }
    Ok(())
}

fn depth(value: &Value) -> usize {
    let inner = match value {
        Value::Object(fields) => fields.values().map(depth).max(),
        Value::Array(items) => items.iter().map(depth).max(),
        _ => return 0,
    };
    1 + inner.unwrap_or_default()
}

/// Returns a value as it is stored: `1.0` as `1`.
fn stored(value: &Value) -> Value {
    let mut value = value.clone();
    numbers::normalize(&mut value);
    value
}

/// Returns the parent of a path, and the last step.
fn parent<'a>(object: &'a mut Value, path: &str) -> Option<(&'a mut Value, String)> {
    let (parent, last) = path.rsplit_once('/')?;
    let last = pointer::unescape(last);
    Some((object.pointer_mut(parent)?, last))
}

/// Returns the index that a step means in a list of a length.
fn index(step: &str, length: usize) -> Option<usize> {
    match step.strip_prefix('-') {
        Some(back) => length.checked_sub(back.parse().ok()?),
        None => step.parse().ok(),
    }
}

/// Adds a value to its parent, or puts it in the place of an item of a list.
fn put(object: &mut Value, path: &str, value: Value, replaces: bool) -> Option<()> {
    if !path.starts_with('/') {
        return None;
    }
    if path.matches('/').count() + depth(&value) > DEEPEST {
        return None;
    }
    let (parent, last) = parent(object, path)?;
    match parent {
        Value::Object(fields) => drop(fields.insert(last, value)),
        Value::Array(items) if last == "-" && !replaces => items.push(value),
        Value::Array(items) => {
            let at = index(&last, items.len())?;
            if replaces {
                *items.get_mut(at)? = value;
            } else if at <= items.len() {
                items.insert(at, value);
            } else {
                return None;
            }
        }
        _ => return None,
    }
    Some(())
}

fn remove(object: &mut Value, path: &str) -> Option<Value> {
    let (parent, last) = parent(object, path)?;
    match parent {
        Value::Object(fields) => fields.remove(&last),
        Value::Array(items) => {
            let at = index(&last, items.len()).filter(|at| *at < items.len())?;
            Some(items.remove(at))
        }
        _ => None,
    }
}

/// Applies an RFC 7396 patch.
pub(crate) fn merge(object: &mut Value, patch: &Value) {
    let Value::Object(patch) = patch else {
        object.clone_from(patch);
        return;
    };
    let fields = map(object);
    for (name, change) in patch {
        if change.is_null() {
            fields.remove(name);
        } else {
            merge(fields.entry(name.as_str()).or_insert(Value::Null), change);
        }
    }
}
