//! The rules for `x-kubernetes-list-type` and `x-kubernetes-list-map-keys`.

use serde_json::Value;

use super::{
    LIST_KEYS, LIST_TYPE, MAP_TYPE, Node, Path, Rule, Stage, Violations, child, entry, flag, kind,
    text, texts,
};

pub(super) fn check(schema: &Node, at: &Path<'_>, found: &mut Violations) {
    let list_type = text(schema, LIST_TYPE);
    if let Some(list_type) = list_type {
        of_type(schema, list_type, at, found);
    }
    keys_of(schema, list_type, at, found);
    if list_type == Some("map") {
        map(schema, at, found);
    }
    if let (Some(list_type @ ("map" | "set")), Some(items)) = (list_type, child(schema, "items"))
        && flag(items, "nullable")
    {
        let items_at = at.child("items");
        let at = items_at.child("nullable");
        let violation = found.add(Stage::Keywords, Rule::NullableItems, &at);
        let why = format!("cannot be nullable when x-kubernetes-list-type is {list_type}");
        violation.forbidden(&at, &why);
    }
    if list_type == Some("map") {
        values_of_keys(schema, at, found);
    }
}

fn of_type(schema: &Node, list_type: &str, at: &Path<'_>, found: &mut Violations) {
    let list_type_at = at.child(LIST_TYPE);
    let items = child(schema, "items");
    if kind(schema) != "array" {
        let at = at.child("type");
        let why = "must be array if x-kubernetes-list-type is specified";
        let violation = found.add(Stage::Keywords, Rule::ListTypeOf, &list_type_at);
        if kind(schema).is_empty() {
            violation.required(&at, why);
        } else {
            violation.invalid(&at, &kind(schema).into(), why);
        }
    } else if let ("set", Some(items)) = (list_type, items) {
        let (keyword, is_atomic) = match kind(items) {
            "array" => (
                LIST_TYPE,
                text(items, LIST_TYPE).is_none_or(|it| it == "atomic"),
            ),
            "object" => (MAP_TYPE, text(items, MAP_TYPE) == Some("atomic")),
            _ => (MAP_TYPE, true),
        };
        if !is_atomic {
            let items_at = at.child("items");
            let value = entry(items, LIST_TYPE).unwrap_or(&Value::Null);
            let why = "must be atomic as item of a list with x-kubernetes-list-type=set";
            let violation = found.add(Stage::Keywords, Rule::SetItems, &list_type_at);
            violation.invalid(&items_at.child(keyword), value, why);
        }
    }
    let known = ["atomic", "set", "map"];
    if !known.contains(&list_type) {
        let violation = found.add(Stage::Keywords, Rule::ListType, &list_type_at);
        violation.unsupported(&list_type_at, list_type, &known);
    }
}

/// Only a list of type map has keys.
fn keys_of(schema: &Node, list_type: Option<&str>, at: &Path<'_>, found: &mut Violations) {
    if texts(schema, LIST_KEYS).next().is_none() || list_type == Some("map") {
        return;
    }
    let why = "must be map if x-kubernetes-list-map-keys is non-empty";
    let violation = found.add(Stage::Keywords, Rule::KeysOf, &at.child(LIST_KEYS));
    let at = at.child(LIST_TYPE);
    match list_type {
        None => violation.required(&at, why),
        Some(other) => violation.invalid(&at, &other.into(), why),
    };
}

fn map(schema: &Node, at: &Path<'_>, found: &mut Violations) {
    let keys: Vec<&str> = texts(schema, LIST_KEYS).collect();
    let (list_type_at, keys_at, items_at) =
        (at.child(LIST_TYPE), at.child(LIST_KEYS), at.child("items"));
    if keys.is_empty() {
        let violation = found.add(Stage::Keywords, Rule::NoKeys, &list_type_at);
        let why = "must not be empty if x-kubernetes-list-type is map";
        violation.required(&keys_at, why);
    }
    let Some(items) = child(schema, "items") else {
        if entry(schema, "items").is_none() {
            let violation = found.add(Stage::Keywords, Rule::NoItems, &items_at);
            let why = "must have a schema if x-kubernetes-list-type is map";
            violation.required(&items_at, why);
        }
        return;
    };
    if kind(items) != "object" {
        let violation = found.add(Stage::Keywords, Rule::MapItems, &list_type_at);
        let why = "must be object if parent array's x-kubernetes-list-type is map";
        violation.invalid(&items_at.child("type"), &kind(items).into(), why);
        return;
    }
    let all = Value::from(keys.clone());
    let properties_at = items_at.child("properties");
    for (index, key) in keys.iter().enumerate() {
        let at = keys_at.index(index);
        match child(items, "properties").and_then(|all| child(all, key)) {
            None => {
                let violation = found.add(Stage::Keywords, Rule::KeyUndeclared, &at);
                let why = "entries must all be names of item properties";
                violation.invalid(&keys_at, &all, why);
            }
            Some(property) if matches!(kind(property), "array" | "object") => {
                let property_at = properties_at.key(key);
                let violation = found.add(Stage::Keywords, Rule::KeyType, &at);
                let why = "must be a scalar type if parent array's x-kubernetes-list-type is map";
                // It shows the type of the items.
                violation.invalid(&property_at.child("type"), &"object".into(), why);
            }
            Some(_) => {}
        }
        if keys[..index].contains(key) {
            let violation = found.add(Stage::Keywords, Rule::KeyTwice, &at);
            violation.invalid(&keys_at, &all, "must not contain duplicate entries");
        }
    }
}

/// Checks that each key of a map has a value.
fn values_of_keys(schema: &Node, at: &Path<'_>, found: &mut Violations) {
    let Some(items) = child(schema, "items") else {
        return;
    };
    let (keys_at, items_at) = (at.child(LIST_KEYS), at.child("items"));
    let properties_at = items_at.child("properties");
    for (index, key) in texts(schema, LIST_KEYS).enumerate() {
        let Some(property) = child(items, "properties").and_then(|all| child(all, key)) else {
            continue;
        };
        let (at, property_at) = (keys_at.index(index), properties_at.key(key));
        let is_required = texts(items, "required").any(|name| name == key);
        if !is_required && entry(property, "default").is_none() {
            let violation = found.add(Stage::Keywords, Rule::KeyOptional, &at);
            let why = "this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property";
            violation.required(&property_at.child("default"), why);
        }
        if flag(property, "nullable") {
            let violation = found.add(Stage::Keywords, Rule::KeyNullable, &at);
            let why = "this property is in x-kubernetes-list-map-keys, so it cannot be nullable";
            violation.forbidden(&property_at.child("nullable"), why);
        }
    }
}
