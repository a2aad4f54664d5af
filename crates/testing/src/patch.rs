//! Applies JSON, merge and strategic merge patches.

use serde_json::Value;

use crate::{
    object::{map, text},
    request::{APPLY, Request},
    status::{Answer, bad_request, unprocessable, unsupported_media_type},
    strategic,
};

const JSON: &str = "application/json-patch+json";
const MERGE: &str = "application/merge-patch+json";
const STRATEGIC: &str = "application/strategic-merge-patch+json";

/// Returns the patched object. Server-side apply is in [`crate::apply`].
pub(crate) fn patched(request: &Request, object: &Value) -> Answer<Value> {
    let custom = request.target.kind.custom;
    let mut new = object.clone();
    match request.content_type.as_str() {
        JSON => json(&mut new, &request.json()?)?,
        MERGE => merge(&mut new, &request.json()?),
        STRATEGIC if !custom => {
            let schema = request.target.version()?.schema().unwrap_or(&Value::Null);
            strategic::merge(schema, &mut new, &request.json()?)?;
        }
        _ if custom => return Err(unsupported_media_type(&[JSON, MERGE, APPLY].join(", "))),
        _ => {
            return Err(unsupported_media_type(
                &[JSON, MERGE, STRATEGIC, APPLY].join(", "),
            ));
        }
    }
    Ok(new)
}

/// Applies an RFC 6902 patch with the liberties of the API server: `replace` adds an absent field, an index may count from the
/// end, a `test` for null passes on an absent path, and a path without a leading slash changes nothing.
pub(crate) fn json(object: &mut Value, patch: &Value) -> Answer<()> {
    let malformed = || bad_request("error decoding patch: expected a list of operations");
    for operation in patch.as_array().ok_or_else(malformed)? {
        let value = operation.get("value").cloned().unwrap_or_default();
        let target = text(operation, "/path");
        let done = match text(operation, "/op") {
            "add" => add(object, target, value),
            "replace" => replace(object, target, value),
            "remove" => remove(object, target).map(drop),
            "test" => match object.pointer(target) {
                Some(found) if *found == value => Some(()),
                None if value.is_null() => Some(()),
                _ => None,
            },
            "move" => remove(object, text(operation, "/from"))
                .and_then(|value| add(object, target, value)),
            "copy" => {
                let value = object.pointer(text(operation, "/from")).cloned();
                value.and_then(|value| add(object, target, value))
            }
            other => {
                return Err(bad_request(&format!(
                    "error decoding patch: operation {other:?}"
                )));
            }
        };
        done.ok_or_else(unprocessable)?;
    }
    Ok(())
}

/// Returns the parent of a path, and the last step.
fn parent<'a>(object: &'a mut Value, path: &str) -> Option<(&'a mut Value, String)> {
    let (parent, last) = path.rsplit_once('/')?;
    let last = last.replace("~1", "/").replace("~0", "~");
    Some((object.pointer_mut(parent)?, last))
}

/// Returns the index that a step means in a list of a length.
fn index(step: &str, length: usize) -> Option<usize> {
    match step.strip_prefix('-') {
        Some(back) => length.checked_sub(back.parse().ok()?),
        None => step.parse().ok(),
    }
}

fn add(object: &mut Value, path: &str, value: Value) -> Option<()> {
    if !path.starts_with('/') {
        return Some(());
    }
    let (parent, last) = parent(object, path)?;
    match parent {
        Value::Object(fields) => drop(fields.insert(last, value)),
        Value::Array(items) if last == "-" => items.push(value),
        Value::Array(items) => {
            let at = index(&last, items.len()).filter(|at| *at <= items.len())?;
            items.insert(at, value);
        }
        _ => return None,
    }
    Some(())
}

fn replace(object: &mut Value, path: &str, value: Value) -> Option<()> {
    if !path.starts_with('/') {
        return Some(());
    }
    let (parent, last) = parent(object, path)?;
    match parent {
        Value::Object(fields) => drop(fields.insert(last, value)),
        Value::Array(items) => {
            let at = index(&last, items.len())?;
            *items.get_mut(at)? = value;
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
fn merge(object: &mut Value, patch: &Value) {
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
