//! Validates that the items of lists of type `set` and `map` differ.

use std::collections::BTreeMap;

use kube_codegen_formats::go::{json, shown};
use serde_json::{Map, Value};

use crate::{
    cause::{Cause, Reason},
    node::Node,
    path,
};

/// Returns the violations inside a value.
pub(crate) fn validate(schema: &Node, value: &Value, path: &str, causes: &mut Vec<Cause>) {
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                if let Some(inner) = schema.properties.get(name) {
                    validate(inner, value, &path::field(path, name), causes);
                }
                if let Some(inner) = schema.additional() {
                    validate(inner, value, &path::key(path, name), causes);
                }
            }
        }
        Value::Array(items) => {
            match schema.list_type.as_deref() {
                Some("set") => {
                    let identities = items.iter().map(identity).collect();
                    duplicates(items, identities, path, causes);
                }
                Some("map") => map(schema, items, path, causes),
                _ => {}
            }
            if let Some(inner) = &schema.items {
                for (index, item) in items.iter().enumerate() {
                    validate(inner, item, &path::index(path, index), causes);
                }
            }
        }
        _ => {}
    }
}

/// Reports the second of equal values.
fn duplicates(values: &[Value], identities: Vec<String>, path: &str, causes: &mut Vec<Cause>) {
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    for (index, (value, identity)) in values.iter().zip(identities).enumerate() {
        let times = seen.entry(identity).or_default();
        *times += 1;
        if *times == 2 {
            let path = path::index(path, index);
            causes.push(Cause::new(&path, Reason::Duplicate, &shown(value), ""));
        }
    }
}

/// Returns a text that equal values have in common: 1 and 1.0 are different, except inside lists and maps.
fn identity(value: &Value) -> String {
    match value {
        Value::Array(_) | Value::Object(_) => json(value),
        scalar => scalar.to_string(),
    }
}

fn map(schema: &Node, items: &[Value], path: &str, causes: &mut Vec<Cause>) {
    let other = items
        .iter()
        .position(|item| !item.is_object() && !item.is_null());
    if let Some(index) = other {
        let detail = "must be an object for an array of list-type map";
        let value = shown(&items[index]);
        causes.push(Cause::new(
            &path::index(path, index),
            Reason::Invalid,
            &value,
            detail,
        ));
        return;
    }
    let keys = |item: &Value| {
        let keys = schema.list_map_keys.iter();
        let keys = keys.filter_map(|name| Some((name.clone(), item.get(name)?.clone())));
        Value::Object(keys.collect::<Map<_, _>>())
    };
    let keys: Vec<_> = items.iter().map(keys).collect();
    let identities = keys.iter().map(|keys| match &*schema.list_map_keys {
        [name] => keys.get(name).map(identity).unwrap_or_default(),
        _ => identity(keys),
    });
    let identities = identities.collect();
    duplicates(&keys, identities, path, causes);
}
