//! The operations of structured-merge-diff on objects with a schema: field set, check, merge, remove.
//!
//! They follow <https://github.com/kubernetes-sigs/structured-merge-diff>, package `typed`.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use crate::values::go;

use super::{
    set::{Fields, shown},
    shape::{Form, Shape},
};

/// The path from the root to a value, as steps of [`Fields`].
pub(super) type Path = Vec<String>;

/// Returns the fields that an object sets.
pub(crate) fn fields_of(shape: &Shape<'_>, object: &Value) -> Fields {
    let mut set = Fields::default();
    // The root cannot be in a set.
    add(shape, object, &mut set);
    set.here = false;
    set
}

/// Adds the fields inside a value to the set at its place; a value without fields is one itself.
fn add(shape: &Shape<'_>, value: &Value, set: &mut Fields) {
    match (shape.form(value), value) {
        (Form::Map, Value::Object(fields)) => {
            for (name, value) in fields {
                let mut inner = Fields::default();
                add(
                    &shape.field(name).unwrap_or(Shape::Deduced),
                    value,
                    &mut inner,
                );
                let is_blank = value.is_null() || value.as_object().is_some_and(Map::is_empty);
                inner.here |= is_blank || !shape.declares(name);
                if !inner.is_empty() {
                    set.inner.insert(format!("f:{name}"), inner);
                }
            }
        }
        (Form::List, Value::Array(items)) => {
            let duplicates = duplicates(shape, items);
            for item in items {
                let Ok(step) = shape.identity(item) else {
                    continue;
                };
                let is_single = !duplicates.contains(&step);
                let inner = set.inner.entry(step).or_default();
                inner.here = true;
                if is_single {
                    add(&shape.items(), item, inner);
                }
            }
        }
        _ => set.here = true,
    }
}

fn duplicates(shape: &Shape<'_>, items: &[Value]) -> BTreeSet<String> {
    let mut seen = BTreeSet::new();
    let steps = items.iter().filter_map(|item| shape.identity(item).ok());
    steps.filter(|step| !seen.insert(step.clone())).collect()
}

/// Returns why an object is not one of the schema, with paths.
pub(crate) fn errors(shape: &Shape<'_>, object: &Value) -> Vec<String> {
    let mut errors = Vec::new();
    check(shape, object, &mut String::new(), &mut errors);
    errors
}

/// Returns whether an object is one of the schema. Items may occur twice, which only a configuration may not have.
pub(crate) fn is_typed(shape: &Shape<'_>, object: &Value) -> bool {
    let errors = errors(shape, object);
    errors.iter().all(|why| why.contains(DUPLICATE))
}

const DUPLICATE: &str = ": duplicate entries for key ";

/// Checks a value; `path` is its own again at the end.
fn check(shape: &Shape<'_>, value: &Value, path: &mut String, errors: &mut Vec<String>) {
    if value.is_null() {
        return;
    }
    let printed = || format!("&{{{}}}", go::value(value));
    let wrong = match shape.expected() {
        Some("integer" | "number") if !value.is_number() => {
            format!(
                "expected numeric (int or float), got {}",
                go::type_name(value)
            )
        }
        Some("string") if !value.is_string() => {
            let shown = go::syntax(value);
            format!("expected string, got &value.valueUnstructured{{Value:{shown}}}")
        }
        Some("boolean") if !value.is_boolean() => format!("expected boolean, got {}", printed()),
        Some("array") if !value.is_array() => format!("expected list, got {}", printed()),
        Some("object") if !value.is_object() => format!("expected map, got {}", printed()),
        _ => String::new(),
    };
    if !wrong.is_empty() {
        errors.push(format!("{path}: {wrong}"));
        return;
    }
    let end = path.len();
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                path.extend([".", name]);
                if let Some(shape) = shape.field(name) {
                    check(&shape, value, path, errors);
                } else {
                    errors.push(format!("{path}: field not declared in schema"));
                    path.truncate(end);
                    return;
                }
                path.truncate(end);
            }
        }
        Value::Array(items) => {
            let is_associative = shape.form(value) == Form::List;
            let mut seen = BTreeSet::new();
            for (index, item) in items.iter().enumerate() {
                let step = if is_associative {
                    match shape.identity(item) {
                        Ok(step) => step,
                        Err(why) => {
                            errors.push(format!("{path}: element {index}: {why}"));
                            return;
                        }
                    }
                } else {
                    String::new()
                };
                let below = if is_associative {
                    shown(&step)
                } else {
                    format!("[{index}]")
                };
                if is_associative && !seen.insert(step) {
                    errors.push(format!("{path}{DUPLICATE}{below}"));
                }
                path.push_str(&below);
                check(&shape.items(), item, path, errors);
                path.truncate(end);
            }
        }
        _ => {}
    }
}

/// Returns the paths of the atomic lists and maps in an object.
#[cfg(feature = "cel")]
pub(crate) fn atomics(shape: &Shape<'_>, object: &Value) -> Vec<String> {
    let mut found = Vec::new();
    add_atomics(shape, object, &mut String::new(), &mut found);
    found
}

#[cfg(feature = "cel")]
fn add_atomics(shape: &Shape<'_>, value: &Value, path: &mut String, found: &mut Vec<String>) {
    let is_collection = value.is_object() || value.is_array();
    if is_collection && shape.form(value) == Form::Leaf {
        found.push(path.clone());
    }
    let end = path.len();
    match value {
        Value::Object(fields) => {
            for (name, value) in fields.iter().filter(|(name, _)| shape.declares(name)) {
                if let Some(shape) = shape.field(name) {
                    path.extend([".", name]);
                    add_atomics(&shape, value, path, found);
                    path.truncate(end);
                }
            }
        }
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                path.extend(["[", &index.to_string(), "]"]);
                add_atomics(&shape.items(), item, path, found);
                path.truncate(end);
            }
        }
        _ => {}
    }
}

/// Merges an applied configuration into the live object; removes nothing.
pub(crate) fn merge(
    shape: &Shape<'_>,
    live: Option<&Value>,
    applied: Option<&Value>,
) -> Option<Value> {
    let (live, applied) = match (live, applied) {
        (Some(live), Some(applied)) => (live, applied),
        (one, other) => return other.or(one).cloned(),
    };
    let is_blank = |value: &Value| is_empty(value) || value.is_null();
    match (live, applied) {
        _ if is_blank(live) && is_blank(applied) => Some(applied.clone()),
        (Value::Object(live), Value::Object(applied_fields))
            if shape.form(applied) == Form::Map =>
        {
            let mut merged = Map::new();
            for (name, value) in live {
                let below = shape.field(name).unwrap_or(Shape::Deduced);
                let value = merge(&below, Some(value), applied_fields.get(name));
                merged.extend(value.map(|value| (name.clone(), value)));
            }
            for (name, value) in applied_fields {
                if !live.contains_key(name) {
                    merged.insert(name.clone(), value.clone());
                }
            }
            Some(merged.into())
        }
        (Value::Array(live), Value::Array(items)) if shape.form(applied) == Form::List => {
            Some(merge_lists(shape, live, items).into())
        }
        // A null takes the form of the other operand, and an absent map or list adds nothing.
        (Value::Object(_) | Value::Array(_), Value::Null) if shape.form(live) != Form::Leaf => {
            Some(live.clone())
        }
        _ => Some(applied.clone()),
    }
}

pub(super) fn is_empty(value: &Value) -> bool {
    match value {
        Value::Array(items) => items.is_empty(),
        Value::Object(fields) => fields.is_empty(),
        _ => false,
    }
}

/// Merges lists of identified items. Shared items are in the order of `right`, the others near their neighbours.
fn merge_lists(shape: &Shape<'_>, left: &[Value], right: &[Value]) -> Vec<Value> {
    let step = |item: &Value| shape.identity(item).unwrap_or_default();
    let lefts: Vec<String> = left.iter().map(step).collect();
    let rights: Vec<String> = right.iter().map(step).collect();
    let duplicates = duplicates(shape, left);
    let find = |steps: &[String], items: &[Value], step: &String| {
        let at = steps.iter().position(|it| it == step)?;
        Some(items[at].clone())
    };
    let below = shape.items();
    let merged = |step: &String| {
        let live = find(&lefts, left, step).filter(|_| !duplicates.contains(step));
        merge(&below, live.as_ref(), find(&rights, right, step).as_ref())
    };
    let mut shared = rights.iter().filter(|step| lefts.contains(step));
    let mut next = shared.next();
    let mut done = BTreeSet::new();
    let mut out = Vec::new();
    let (mut l, mut r) = (0, 0);
    while l < lefts.len() || r < rights.len() {
        if let (Some(ours), Some(theirs)) = (lefts.get(l), rights.get(r)) {
            if ours == theirs {
                done.insert(ours);
                out.extend(merged(ours));
                (l, r) = (l + 1, r + 1);
                next = shared.next();
                continue;
            }
            // A shared item, but not the next one.
            if rights.contains(ours) && next.is_some_and(|next| next != ours) {
                l += 1;
                continue;
            }
        }
        if let Some(ours) = lefts.get(l) {
            if !rights.contains(ours) {
                out.push(left[l].clone());
                l += 1;
                continue;
            }
            if done.contains(ours) {
                l += 1;
            }
        }
        if let Some(theirs) = rights.get(r) {
            done.insert(theirs);
            out.extend(merged(theirs));
            r += 1;
            if next == Some(theirs) {
                next = shared.next();
            }
        }
    }
    out
}

/// Returns an object without the fields of a set. What becomes empty becomes null.
pub(crate) fn remove(shape: &Shape<'_>, value: &Value, set: &Fields) -> Value {
    match (shape.form(value), value) {
        (Form::Map, Value::Object(fields)) => {
            let left = fields.iter().filter_map(|(name, value)| {
                let step = format!("f:{name}");
                if set.has(&step) {
                    return None;
                }
                let below = shape.field(name).unwrap_or(Shape::Deduced);
                let value = match set.below(&step) {
                    Some(set) => remove(&below, value, set),
                    None => value.clone(),
                };
                Some((name.clone(), value))
            });
            let left: Map<String, Value> = left.collect();
            if left.is_empty() {
                Value::Null
            } else {
                left.into()
            }
        }
        (Form::List, Value::Array(items)) => {
            let below = shape.items();
            let left = items.iter().filter_map(|item| {
                let Ok(step) = shape.identity(item) else {
                    return Some(item.clone());
                };
                if set.has(&step) {
                    return None;
                }
                Some(match set.below(&step) {
                    Some(set) => remove(&below, item, set),
                    None => item.clone(),
                })
            });
            let left: Vec<Value> = left.collect();
            if left.is_empty() {
                Value::Null
            } else {
                left.into()
            }
        }
        _ => value.clone(),
    }
}
