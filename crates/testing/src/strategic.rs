//! Strategic merge patch of built-in kinds: object and patch in, merged object out; lists with a known key merge by it, others are replaced.
use serde_json::Value;

use super::object::{at, map};

/// The merge key of a list by the name of its field; an item must have the key.
const KEYS: &[(&str, &[&str])] = &[
    ("containers", &["name"]),
    ("initContainers", &["name"]),
    ("ephemeralContainers", &["name"]),
    ("env", &["name"]),
    ("volumes", &["name"]),
    ("imagePullSecrets", &["name"]),
    ("secrets", &["name"]),
    ("volumeMounts", &["mountPath"]),
    ("ports", &["containerPort", "port"]),
    ("conditions", &["type"]),
    ("ownerReferences", &["uid"]),
    ("hostAliases", &["ip"]),
];

pub(super) fn merge(target: &mut Value, patch: &Value) {
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
            let gone = value.as_array().map(Vec::as_slice).unwrap_or_default();
            if let Some(Value::Array(items)) = map(target).get_mut(list) {
                items.retain(|item| !gone.contains(item));
            }
        } else if name.starts_with('$') {
            // Orders and retained keys change nothing that is compared.
        } else if value.is_null() {
            map(target).remove(name);
        } else {
            let place = map(target).entry(name.as_str()).or_insert(Value::Null);
            match value {
                Value::Object(_) if at(value, "/$patch") == "delete" => {
                    drop(map(target).remove(name));
                }
                Value::Object(_) => merge(place, value),
                Value::Array(items) => merge_list(name, place, items),
                _ => *place = value.clone(),
            }
        }
    }
}

fn merge_list(name: &str, place: &mut Value, patch: &[Value]) {
    let mut items = match place {
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
        *place = Value::Array(items);
        return;
    }
    let keys = KEYS
        .iter()
        .find(|(field, _)| *field == name)
        .map_or(&[][..], |(_, keys)| keys);
    let replace = patch.iter().any(|item| {
        at(item, "/$patch") == "replace" && item.as_object().is_some_and(|item| item.len() == 1)
    });
    let Some(key) = keys
        .iter()
        .find(|key| patch.iter().all(|item| item.get(*key).is_some()))
        .filter(|_| !replace)
    else {
        *place = patch
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
    *place = Value::Array(items);
}
