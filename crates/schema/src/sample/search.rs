//! Repairs a sample: small changes near each violation, as long as one leaves fewer violations.
//!
//! Hill climbing with the validator as the judge: the number of violations has to fall with each change, so the search ends. A change is tried at
//! the place that a violation names, then at the objects around it, since a rule about a field may be met by its neighbours. Values come from the
//! schema and from the literals of its rules (`hints`). A change is judged at its place where possible: judging the whole object costs more. The budget counts
//! validated bytes, alternatives and the costs of rules, so it is the same on each machine.

use kube_codegen_formats::pointer;
use serde_json::Value;

use super::{DEPTH, Extent, LARGEST, hints::Hints, text, value};
use crate::{cause::Cause, defaults, metadata, node::Node, schema::Schema, work};

/// How many changes a sample gets at most.
const ROUNDS: usize = 60;
/// What a validation costs at least: for smaller values, what each of them needs is more.
const LEAST: usize = 500;

/// Returns the object, changed so that it has as few violations as possible, and these.
pub(super) fn repair(schema: &Schema, mut object: Value) -> (Value, Vec<Cause>) {
    let mut causes = causes(schema, &object);
    if causes.is_empty() {
        return (object, causes);
    }
    let hints = Hints::of(schema.root(), &object);
    let mut budget = Budget::new(schema.effort());
    for _ in 0..ROUNDS {
        let better = improve_places(schema, &object, &causes, &hints, &mut budget)
            .or_else(|| improve(schema, &object, &causes, &hints, &mut budget));
        let Some(better) = better else {
            break;
        };
        (object, causes) = better;
        if causes.is_empty() {
            break;
        }
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

/// Returns how many violations a value has that are seen without what is around it.
fn count(schema: &Schema, node: &Node, value: &Value) -> usize {
    let mut value = value.clone();
    defaults::drop_nulls(node, &mut value);
    defaults::apply(node, &mut value);
    schema.violations(node, &value).len()
}

/// How many bytes may still be validated.
struct Budget {
    rest: usize,
    /// What this thread had done when that was counted last.
    done: usize,
}

impl Budget {
    fn new(rest: usize) -> Self {
        Self {
            rest,
            done: work::done(),
        }
    }

    /// Takes what a validation costs, and what those before cost besides; none if too little is left.
    fn take(&mut self, bytes: usize) -> Option<()> {
        let done = std::mem::replace(&mut self.done, work::done());
        let besides = self.done.wrapping_sub(done);
        let rest = self.rest.checked_sub(bytes.saturating_add(besides));
        self.rest = rest.unwrap_or_default();
        rest.map(|_| ())
    }
}

/// Returns about how many bytes of work a validation of a value is.
fn cost(value: &Value) -> usize {
    size(value).max(LEAST)
}

/// Returns about how many bytes a value has.
pub(super) fn size(value: &Value) -> usize {
    let inner = match value {
        Value::String(text) => text.len(),
        Value::Array(items) => items.iter().map(size).sum(),
        Value::Object(fields) => fields.iter().map(|(name, it)| name.len() + size(it)).sum(),
        _ => 0,
    };
    inner + 8
}

/// Returns the object with a change at each place where one leaves fewer violations, if there are fewer on the whole, too: a large object
/// has many places, and is validated once for all of them.
fn improve_places(
    schema: &Schema,
    object: &Value,
    found: &[Cause],
    hints: &Hints,
    budget: &mut Budget,
) -> Option<(Value, Vec<Cause>)> {
    let mut changed = object.clone();
    for cause in found {
        let pointer = cause.pointer(object);
        // At the root, a place is the whole.
        let Some(node) = node(schema.root(), &pointer).filter(|_| !pointer.is_empty()) else {
            continue;
        };
        let Some(place) = changed.pointer_mut(&pointer) else {
            continue;
        };
        let before = count(schema, node, place);
        if before == 0 {
            continue;
        }
        let mut better = None;
        for edit in edits(node, place, hints, false, "") {
            let mut edited = place.clone();
            edit.apply(&mut edited);
            // A small place may get a large value.
            budget.take(cost(&edited))?;
            if count(schema, node, &edited) < before {
                better = Some(edited);
                break;
            }
        }
        if let Some(better) = better {
            *place = better;
        }
    }
    budget.take(cost(&changed))?;
    let causes = causes(schema, &changed);
    (causes.len() < found.len()).then_some((changed, causes))
}

/// Returns the first changed object with fewer violations. `budget`: how many bytes may be validated.
fn improve(
    schema: &Schema,
    object: &Value,
    found: &[Cause],
    hints: &Hints,
    budget: &mut Budget,
) -> Option<(Value, Vec<Cause>)> {
    for cause in found {
        let mut pointer = cause.pointer(object);
        let mut last = String::new();
        // A rule about an object may be met by a change of its fields, or of its parent.
        for _ in 0..3 {
            if let Some(node) = node(schema.root(), &pointer)
                && let Some(place) = object.pointer(&pointer)
            {
                let is_root = pointer.is_empty();
                let before = if is_root {
                    0
                } else {
                    count(schema, node, place)
                };
                for edit in edits(node, place, hints, is_root, &last) {
                    let mut changed = place.clone();
                    edit.apply(&mut changed);
                    // What is wrong inside the place is seen there, for less than the whole object costs.
                    if before > 0 {
                        budget.take(cost(&changed))?;
                        if count(schema, node, &changed) >= before {
                            continue;
                        }
                    }
                    let changed = with(object, &pointer, changed)?;
                    budget.take(cost(&changed))?;
                    let causes = causes(schema, &changed);
                    if causes.len() < found.len() {
                        return Some((changed, causes));
                    }
                }
            }
            let Some(parent) = pointer.rfind('/') else {
                break;
            };
            last = pointer::steps(&pointer).last().unwrap_or_default();
            pointer.truncate(parent);
        }
    }
    None
}

/// Returns the object with another value at a place.
fn with(object: &Value, pointer: &str, value: Value) -> Option<Value> {
    if pointer.is_empty() {
        return Some(value);
    }
    let mut object = object.clone();
    *object.pointer_mut(pointer)? = value;
    Some(object)
}

/// A change of a place.
enum Edit {
    /// Another name of the object.
    Name(String),
    Remove(String),
    Set(String, Value),
    Replace(Value),
}

impl Edit {
    fn apply(self, place: &mut Value) {
        match (self, place) {
            (Self::Name(name), place) => place["metadata"]["name"] = name.into(),
            (Self::Remove(name), Value::Object(fields)) => _ = fields.remove(&name),
            (Self::Set(name, value), Value::Object(fields)) => _ = fields.insert(name, value),
            (Self::Replace(value), place) => *place = value,
            (Self::Remove(_) | Self::Set(..), _) => {}
        }
    }
}

/// Returns the changes at or directly below a place, each made when it is tried: together they may be much larger than the object. `last`: the
/// field that was tried before, which is removed first.
fn edits<'a>(
    node: &'a Node,
    place: &'a Value,
    hints: &'a Hints,
    is_root: bool,
    last: &str,
) -> Box<dyn Iterator<Item = Edit> + 'a> {
    const EXTENTS: [Extent; 2] = [Extent::Minimal, Extent::Full];
    // A rule may demand a name.
    let renamed: &[String] = if is_root && place["metadata"].is_object() {
        &hints.names
    } else {
        &[]
    };
    let renamed = renamed.iter().cloned().map(Edit::Name);
    match place {
        Value::Object(fields) => {
            let is_meta =
                |name: &str| is_root && matches!(name, "apiVersion" | "kind" | "metadata");
            let optional = |name: &&String| !node.required.contains(name) && !is_meta(name);
            let mut removable: Vec<&String> = fields.keys().filter(optional).collect();
            removable.sort_by_key(|name| *name != last);
            let removed = removable.into_iter().cloned().map(Edit::Remove);
            let absent = node.properties.iter();
            let absent = absent.filter(|(name, _)| !fields.contains_key(*name));
            let added = absent.flat_map(|(name, inner)| {
                EXTENTS.into_iter().map(|extent| {
                    let value = value(inner, name, extent, DEPTH / 2);
                    Edit::Set(name.clone(), value)
                })
            });
            let extents: &[Extent] = if is_root { &[] } else { &EXTENTS };
            let replaced = extents.iter();
            let replaced =
                replaced.map(|extent| Edit::Replace(value(node, "", *extent, DEPTH / 2)));
            let changed = node.properties.iter().flat_map(|(name, inner)| {
                let others = others(inner, fields.get(name), hints).into_iter();
                others.map(|other| Edit::Set(name.clone(), other))
            });
            Box::new(
                renamed
                    .chain(removed)
                    .chain(added)
                    .chain(replaced)
                    .chain(changed),
            )
        }
        Value::Array(items) => {
            let inner = node.items.as_deref().filter(|_| items.is_empty());
            let item = inner.map(|inner| value(inner, "", Extent::Minimal, DEPTH / 2));
            let replaced = Edit::Replace(item.into_iter().collect());
            Box::new(renamed.chain([replaced]))
        }
        place => {
            let others = others(node, Some(place), hints).into_iter();
            Box::new(renamed.chain(others.map(Edit::Replace)))
        }
    }
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
        Value::String(_) => vec![text::string(schema, "", LARGEST).into()],
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

#[cfg(test)]
mod tests {
    use serde_json::{Map, Value, json};

    use super::*;

    fn work_of(spec: &Value) -> usize {
        let schema = json!({"type": "object", "required": ["spec"], "properties": {"spec": spec}});
        let schema = Schema::new(&schema).unwrap();
        let before = work::done();
        let object = json!({"apiVersion": "e.com/v1", "kind": "A", "metadata": {"name": "a"}});
        let (_, causes) = schema.sample(Extent::Full, &object);
        assert!(!causes.is_empty());
        work::done() - before
    }

    #[test]
    #[cfg(feature = "cel")]
    fn rules_that_cost_much_are_seldom_evaluated() {
        let nested = (0..30).fold("true".to_owned(), |inner, index| {
            format!("[1, 2].all(x{index}, {inner})")
        });
        let work = work_of(&json!({
            "type": "object",
            "properties": {"a": {"type": "string"}, "b": {"type": "string"}},
            "x-kubernetes-validations": [{"rule": nested}],
        }));
        assert!((1_000_000..40_000_000).contains(&work), "{work}");
    }

    #[test]
    fn many_alternatives_are_seldom_validated() {
        let name = |index: usize| format!("p{:03}", index % 300);
        let properties: Map<String, Value> = (0..300)
            .map(|index| (name(index), json!({"type": "string"})))
            .collect();
        let pairs: Vec<_> = (0..300)
            .map(|index| json!({"required": [name(index), name(index + 1)]}))
            .collect();
        let others: Vec<_> = (0..299)
            .map(|index| json!({"not": {"required": [name(index)]}}))
            .collect();
        let work = work_of(
            &json!({"type": "object", "properties": properties, "anyOf": pairs, "allOf": others}),
        );
        assert!((1_000_000..40_000_000).contains(&work), "{work}");
    }
}
