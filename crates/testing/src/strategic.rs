//! Strategic merge patch of built-in kinds: lists with a known merge key merge by it, others are replaced.

use serde_json::Value;

use crate::{
    managed::LIST_KEYS,
    object::{at, map},
};

/// Merges the patch into the target.
pub(crate) fn merge(target: &mut Value, patch: &Value) {
    let Value::Object(fields) = patch else {
        *target = patch.clone();
        return;
    };
    if at(patch, "/$patch") == "replace" {
        let mut new = patch.clone();
        map(&mut new).remove("$patch");
        *target = new;
        return;
    }
    for (name, value) in fields {
        if let Some(list) = name.strip_prefix("$deleteFromPrimitiveList/") {
            let removed = value.as_array().map(Vec::as_slice).unwrap_or_default();
            if let Some(Value::Array(items)) = map(target).get_mut(list) {
                items.retain(|item| !removed.contains(item));
            }
        } else if name.starts_with('$') {
            // Order directives and retained keys do not change the result here.
        } else if value.is_null() {
            map(target).remove(name);
        } else {
            let field = map(target).entry(name.as_str()).or_insert(Value::Null);
            match value {
                Value::Object(_) if at(value, "/$patch") == "delete" => {
                    drop(map(target).remove(name));
                }
                Value::Object(_) => merge(field, value),
                Value::Array(items) => merge_list(name, field, items),
                _ => *field = value.clone(),
            }
        }
    }
}

fn merge_list(name: &str, target: &mut Value, patch: &[Value]) {
    let mut items = match target {
        Value::Array(items) => std::mem::take(items),
        _ => Vec::new(),
    };
    if name == "finalizers" {
        let new: Vec<_> = patch
            .iter()
            .filter(|item| !items.contains(item))
            .cloned()
            .collect();
        items.extend(new);
        *target = Value::Array(items);
        return;
    }
    let mut keys = LIST_KEYS
        .iter()
        .filter(|(field, _)| *field == name)
        .map(|(_, keys)| keys[0]);
    let replace = patch.iter().any(|item| {
        at(item, "/$patch") == "replace" && item.as_object().is_some_and(|item| item.len() == 1)
    });
    let Some(key) = keys
        .find(|key| patch.iter().all(|item| item.get(key).is_some()))
        .filter(|_| !replace)
    else {
        *target = patch
            .iter()
            .filter(|item| item.get("$patch").is_none())
            .cloned()
            .collect();
        return;
    };
    for change in patch {
        let found = items
            .iter()
            .position(|item| item.get(key) == change.get(key));
        match (found, at(change, "/$patch") == "delete") {
            (Some(index), true) => drop(items.remove(index)),
            (Some(index), false) => merge(&mut items[index], change),
            (None, true) => {}
            (None, false) => {
                let mut new = Value::Null;
                merge(&mut new, change);
                items.push(new);
            }
        }
    }
    *target = Value::Array(items);
}
