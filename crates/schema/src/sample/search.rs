//! Repairs a sample: small changes near each violation, as long as one leaves fewer violations.

use kube_codegen_formats::pointer;
use serde_json::Value;

use super::{DEPTH, Extent, hints::Hints, text, value};
use crate::{cause::Cause, metadata, node::Node, schema::Schema};

/// How many changes a sample gets at most.
const ROUNDS: usize = 60;

/// Returns the object, changed so that it has as few violations as possible, and these.
pub(super) fn repair(schema: &Schema, mut object: Value) -> (Value, Vec<Cause>) {
    let mut causes = causes(schema, &object);
    if causes.is_empty() {
        return (object, causes);
    }
    let hints = Hints::of(schema.root(), &object);
    let mut budget = schema.effort() / object.to_string().len().max(2000);
    for _ in 0..ROUNDS {
        let Some(better) = improve(schema, &object, &causes, &hints, &mut budget) else {
            break;
        };
        (object, causes) = better;
    }
    (object, causes)
}

fn causes(schema: &Schema, object: &Value) -> Vec<Cause> {
    let mut object = object.clone();
    schema.prune(&mut object);
    schema.apply_defaults(&mut object);
    let mut causes = metadata::validate_metadata(&object);
    causes.extend(schema.validate(&object));
    causes
}

/// Returns the first changed object with fewer violations. `budget`: how many objects may be validated.
fn improve(
    schema: &Schema,
    object: &Value,
    found: &[Cause],
    hints: &Hints,
    budget: &mut usize,
) -> Option<(Value, Vec<Cause>)> {
    for cause in found {
        let mut pointer = cause.pointer(object);
        // A rule about an object may be met by a change of its fields, or of its parent.
        for _ in 0..3 {
            for changed in changes(schema, object, &pointer, hints, *budget) {
                *budget = budget.checked_sub(1)?;
                let causes = causes(schema, &changed);
                if causes.len() < found.len() {
                    return Some((changed, causes));
                }
            }
            let Some(parent) = pointer.rfind('/') else {
                break;
            };
            pointer.truncate(parent);
        }
    }
    None
}

/// Returns the objects with one change at or directly below a place, not many more than can be validated.
fn changes(
    schema: &Schema,
    object: &Value,
    pointer: &str,
    hints: &Hints,
    most: usize,
) -> Vec<Value> {
    let mut found = Vec::new();
    if pointer.is_empty() && object["metadata"].is_object() {
        // A rule may demand a name.
        found.extend(hints.names.iter().take(most).map(|name| {
            let mut changed = object.clone();
            changed["metadata"]["name"] = name.as_str().into();
            changed
        }));
    }
    let Some(node) = node(schema.root(), pointer) else {
        return found;
    };
    let mut with = |change: &dyn Fn(&mut Value)| {
        if found.len() > most {
            return;
        }
        let mut changed = object.clone();
        if let Some(place) = changed.pointer_mut(pointer) {
            change(place);
            found.push(changed);
        }
    };
    match object.pointer(pointer) {
        Some(Value::Object(fields)) => {
            let is_meta = |name: &str| {
                pointer.is_empty() && matches!(name, "apiVersion" | "kind" | "metadata")
            };
            let optional = |name: &&String| !node.required.contains(name) && !is_meta(name);
            for name in fields.keys().filter(optional) {
                with(&|place| {
                    if let Value::Object(fields) = place {
                        fields.remove(name);
                    }
                });
            }
            let absent = node.properties.iter();
            for (name, inner) in absent.filter(|(name, _)| !fields.contains_key(*name)) {
                for extent in [Extent::Minimal, Extent::Full] {
                    with(&|place| place[name] = value(inner, name, extent, DEPTH / 2));
                }
            }
            for extent in [Extent::Minimal, Extent::Full] {
                if !pointer.is_empty() {
                    with(&|place| *place = value(node, "", extent, DEPTH / 2));
                }
            }
            for (name, inner) in &node.properties {
                for other in others(inner, fields.get(name), hints) {
                    with(&|place| place[name] = other.clone());
                }
            }
        }
        Some(Value::Array(items)) => {
            if let Some(inner) = node.items.as_deref().filter(|_| items.is_empty()) {
                with(&|place| *place = vec![value(inner, "", Extent::Minimal, DEPTH / 2)].into());
            } else {
                with(&|place| *place = Vec::<Value>::new().into());
            }
        }
        found_value => {
            for other in others(node, found_value, hints) {
                with(&|place| *place = other.clone());
            }
        }
    }
    found
}

/// Returns other values of a scalar.
fn others(schema: &Node, found: Option<&Value>, hints: &Hints) -> Vec<Value> {
    const TEXTS: [&str; 12] = [
        "a",
        "1",
        "10s",
        "1h",
        "100m",
        "1Gi",
        "example.com",
        "https://example.com",
        "192.0.2.1",
        "192.0.2.0/24",
        "/",
        "*",
    ];
    let Some(found) = found else {
        return Vec::new();
    };
    if !schema.values.is_empty() {
        return schema
            .values
            .iter()
            .filter(|value| *value != found)
            .cloned()
            .collect();
    }
    match found {
        Value::Bool(value) => vec![(!value).into()],
        Value::Number(_) => [0, 1, 2, 10, 80, 1000]
            .map(|wanted| super::number(schema, wanted))
            .into(),
        Value::String(_) if schema.pattern.is_none() => {
            let known = TEXTS
                .into_iter()
                .chain(hints.texts.iter().map(String::as_str));
            known.map(Value::from).collect()
        }
        // Of a name that is given.
        Value::String(_) => vec![text::string(schema, "").into()],
        _ => Vec::new(),
    }
}

/// Returns the schema of a place.
fn node<'a>(root: &'a Node, pointer: &str) -> Option<&'a Node> {
    pointer::steps(pointer).try_fold(root, |node, step| match step.parse::<usize>() {
        Ok(_) if node.items.is_some() => node.items.as_deref(),
        _ => node.field(&step),
    })
}
