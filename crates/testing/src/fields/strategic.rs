//! Strategic merge patch of built-in kinds, by the merge keys and strategies of their types.
//!
//! It follows `k8s.io/apimachinery/pkg/util/strategicpatch`.

use serde_json::{Map, Value};

use crate::values::{
    go,
    object::{at, map, text},
    status::{Answer, unexplained, unprocessable},
};

const DIRECTIVE: &str = "$patch";
const RETAIN: &str = "$retainKeys";
const ORDER: &str = "$setElementOrder/";
const DELETE: &str = "$deleteFromPrimitiveList/";

/// Merges the patch into the target.
pub(crate) fn merge(schema: &Value, target: &mut Value, patch: &Value) -> Answer<()> {
    let Value::Object(patch) = patch else {
        return Err(unexplained(
            "json: cannot unmarshal patch into Go value of type map[string]interface {}",
        ));
    };
    merge_map(schema, map(target), patch)
}

fn merge_map(
    schema: &Value,
    target: &mut Map<String, Value>,
    patch: &Map<String, Value>,
) -> Answer<()> {
    if let Some(directive) = patch.get(DIRECTIVE) {
        match directive.as_str() {
            Some("replace") => {
                target.clone_from(patch);
                target.remove(DIRECTIVE);
            }
            Some("delete") => target.clear(),
            _ => return Err(bad_directive(directive, patch)),
        }
        return Ok(());
    }
    if let Some(retained) = patch.get(RETAIN) {
        let retained = retained.as_array().map(Vec::as_slice).unwrap_or_default();
        let is_retained = |name: &String| retained.iter().any(|it| it == name);
        if patch
            .keys()
            .any(|name| !name.starts_with('$') && !is_retained(name))
        {
            return Err(unprocessable());
        }
        target.retain(|name, _| is_retained(name));
    }
    for (name, change) in patch {
        if name == RETAIN || name.starts_with(ORDER) {
            continue;
        }
        let (name, is_deletion) = match name.strip_prefix(DELETE) {
            Some(name) => (name, true),
            None => (name.as_str(), false),
        };
        if change.is_null() {
            target.remove(name);
            continue;
        }
        let property = at(schema, "/properties").get(name);
        let inner = property.or_else(|| schema.get("additionalProperties"));
        let inner = inner.unwrap_or(&Value::Null);
        let strategies = text(inner, "/x-kubernetes-patch-strategy");
        let is = |strategy: &str| strategies.split(',').any(|it| it == strategy);
        match (target.get_mut(name), change) {
            (Some(Value::Object(_)), Value::Object(change)) if is("replace") => {
                target.insert(name.to_owned(), change.clone().into());
            }
            (Some(Value::Object(field)), Value::Object(change)) => {
                merge_map(inner, field, change)?;
            }
            (Some(Value::Array(items)), Value::Array(change)) if is_deletion => {
                items.retain(|item| !change.contains(item));
            }
            (Some(Value::Array(items)), Value::Array(change)) if is("merge") => {
                *items = merge_list(inner, std::mem::take(items), change)?;
            }
            (Some(Value::Array(items)), Value::Array(change)) => items.clone_from(change),
            _ if is_deletion => {}
            _ => match plain(change) {
                Some(value) => drop(target.insert(name.to_owned(), value)),
                None => drop(target.remove(name)),
            },
        }
    }
    for (name, order) in patch {
        if let (Some(name), Some(order)) = (name.strip_prefix(ORDER), order.as_array())
            && let Some(Value::Array(items)) = target.get_mut(name)
        {
            let inner = at(schema, "/properties").get(name).unwrap_or(&Value::Null);
            let key = text(inner, "/x-kubernetes-patch-merge-key");
            let server = items.clone();
            *items = ordered(std::mem::take(items), order, &server, key);
        }
    }
    Ok(())
}

fn bad_directive(directive: &Value, patch: &Map<String, Value>) -> Box<kube::core::Status> {
    let patch = go::value(&Value::Object(patch.clone()));
    unexplained(&format!(
        "unknown patch type: {} in map: {patch}",
        go::value(directive)
    ))
}

fn no_key(item: &Value, key: &str) -> Box<kube::core::Status> {
    unexplained(&format!(
        "map: {} does not contain declared merge key: {key}",
        go::value(item)
    ))
}

fn merge_list(schema: &Value, mut items: Vec<Value>, patch: &[Value]) -> Answer<Vec<Value>> {
    let key = text(schema, "/x-kubernetes-patch-merge-key");
    if key.is_empty() {
        let mut merged: Vec<Value> = Vec::new();
        for item in items.iter().chain(patch) {
            if !merged.contains(item) {
                merged.push(item.clone());
            }
        }
        return Ok(ordered(merged, patch, &items, key));
    }
    let mut changes = Vec::new();
    let mut is_replaced = false;
    for item in patch {
        match item
            .get(DIRECTIVE)
            .map(|it| it.as_str().unwrap_or_default())
        {
            None => changes.push(item.clone()),
            Some("replace") => is_replaced = true,
            Some("delete") => {
                let value = item.get(key).ok_or_else(|| no_key(item, key))?;
                items.retain(|item| item.get(key) != Some(value));
            }
            Some("merge") => {
                return Err(unexplained(
                    "merging lists cannot yet be specified in the patch",
                ));
            }
            Some(_) => {
                return Err(bad_directive(
                    at(item, "/$patch"),
                    item.as_object().unwrap_or(&Map::new()),
                ));
            }
        }
    }
    if is_replaced {
        return Ok(changes);
    }
    let server = items.clone();
    for change in &changes {
        let value = change.get(key).ok_or_else(|| no_key(change, key))?;
        match (
            items.iter_mut().find(|item| item.get(key) == Some(value)),
            change,
        ) {
            (Some(Value::Object(item)), Value::Object(change)) => {
                merge_map(at(schema, "/items"), item, change)?;
            }
            _ => items.push(change.clone()),
        }
    }
    Ok(ordered(items, &changes, &server, key))
}

/// Orders a merged list: items of the patch in its order, the others in their old order, both merged.
fn ordered(items: Vec<Value>, patch: &[Value], server: &[Value], key: &str) -> Vec<Value> {
    let place = |list: &[Value], item: &Value| {
        list.iter().position(|it| {
            if key.is_empty() {
                it == item
            } else {
                it.get(key) == item.get(key)
            }
        })
    };
    let (mut ours, mut theirs): (Vec<Value>, Vec<Value>) = items
        .into_iter()
        .partition(|item| place(patch, item).is_some());
    ours.sort_by_key(|item| place(patch, item));
    theirs.sort_by_key(|item| place(server, item));
    let (mut ours, mut theirs) = (ours.into_iter().peekable(), theirs.into_iter().peekable());
    let mut out = Vec::new();
    while let Some(right) = ours.peek() {
        let Some(left) = theirs.peek() else { break };
        let is_left = match (place(server, left), place(server, right)) {
            (Some(left), Some(right)) => left < right,
            _ => false,
        };
        out.extend(if is_left { theirs.next() } else { ours.next() });
    }
    out.into_iter().chain(ours).chain(theirs).collect()
}

/// Returns a new value without nulls and directives; `None` if it is to be deleted.
fn plain(value: &Value) -> Option<Value> {
    match value {
        Value::Object(fields) => {
            if fields.get(DIRECTIVE).is_some_and(|it| it != "replace") {
                return None;
            }
            let is_directive = |name: &str| {
                matches!(name, DIRECTIVE | RETAIN)
                    || name.starts_with(ORDER)
                    || name.starts_with(DELETE)
            };
            let kept = fields.iter();
            let kept = kept.filter(|(name, value)| !is_directive(name) && !value.is_null());
            Some(
                kept.filter_map(|(name, value)| Some((name.clone(), plain(value)?)))
                    .collect(),
            )
        }
        Value::Array(items) => Some(items.iter().filter_map(plain).collect()),
        _ => Some(value.clone()),
    }
}
