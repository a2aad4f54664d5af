//! Applies JSON, merge and strategic merge patches.

use kube::core::response::Status;
use serde::de::IgnoredAny;
use serde_json::Value;

use crate::{
    fields::strategic,
    request::{APPLY, Request},
    values::{
        numbers,
        object::{map, text},
        status::{
            Answer, bad_request, cause, invalid_options, unprocessable, unsupported_media_type,
        },
    },
};

const JSON: &str = "application/json-patch+json";
const MERGE: &str = "application/merge-patch+json";
const STRATEGIC: &str = "application/strategic-merge-patch+json";

/// Checks the options and the form of a patch, before its object is looked for.
pub(crate) fn check(request: &Request) -> Answer<()> {
    let content = request.content_type.as_str();
    let is_known = match content {
        JSON | MERGE | APPLY => true,
        STRATEGIC => !request.target.kind.custom,
        _ => false,
    };
    if !is_known {
        return Err(unsupported(request));
    }
    if content != APPLY && request.query.get("force").is_some() {
        let message = "Forbidden: may not be specified for non-apply patch";
        let cause = cause("force", "FieldValueForbidden", message);
        return Err(invalid_options("PatchOptions", vec![cause]));
    }
    if content == MERGE && serde_json::from_slice::<IgnoredAny>(&request.body).is_err() {
        return Err(bad_request("invalid JSON patch"));
    }
    Ok(())
}

fn unsupported(request: &Request) -> Box<Status> {
    let all: &[&str] = if request.target.kind.custom {
        &[JSON, MERGE, APPLY]
    } else {
        &[JSON, MERGE, STRATEGIC, APPLY]
    };
    unsupported_media_type(&all.join(", "))
}

/// Returns the patched object. Server-side apply is in [`crate::handlers::apply`].
pub(crate) fn patched(request: &Request, object: &Value) -> Answer<Value> {
    let custom = request.target.kind.custom;
    let mut new = object.clone();
    match request.content_type.as_str() {
        JSON => json(&mut new, &request.json()?)?,
        MERGE => {
            let patch = request.json()?;
            if let Some(found) = not_a_map(&patch) {
                return Err(bad_request(&format!(
                    "error decoding patch: json: cannot unmarshal {found} into Go value of type map[string]interface {{}}"
                )));
            }
            merge(&mut new, &patch);
        }
        STRATEGIC if !custom => {
            let schema = request.target.version()?.schema().unwrap_or(&Value::Null);
            strategic::merge(schema, &mut new, &request.json()?)?;
        }
        _ => return Err(unsupported(request)),
    }
    Ok(new)
}

/// Returns the type of a value that is neither a map nor null, as Go names it.
fn not_a_map(value: &Value) -> Option<&'static str> {
    match value {
        Value::Null | Value::Object(_) => None,
        Value::Bool(_) => Some("bool"),
        Value::Number(_) => Some("number"),
        Value::String(_) => Some("string"),
        Value::Array(_) => Some("array"),
    }
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
                Some(found) if *found == value || stored(found) == stored(&value) => Some(()),
                None if value.is_null() => Some(()),
                _ => None,
            },
            "move" => remove(object, text(operation, "/from"))
                .and_then(|value| add(object, target, value)),
            "copy" => {
                let value = object.pointer(text(operation, "/from")).cloned();
                value.and_then(|value| add(object, target, value))
            }
            _ => None,
        };
        done.ok_or_else(unprocessable)?;
    }
    Ok(())
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
