//! Sets of fields in the form of `FieldsV1`: reading, writing, and set operations.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::shape::Shape;

/// A set of fields as a tree; a step is `f:name`, `k:{keys}` (an item by its keys) or `v:value` (an item of a set).
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Fields {
    /// Whether the field itself is in the set.
    here: bool,
    inner: BTreeMap<String, Fields>,
}

/// Returns the fields that an object sets.
pub(crate) fn of(shape: &Shape<'_>, object: &Value) -> Fields {
    let inner: BTreeMap<String, Fields> = match object {
        Value::Object(fields) if !shape.atomic() => fields
            .iter()
            .map(|(name, value)| (format!("f:{name}"), of(&shape.field(name), value)))
            .collect(),
        Value::Array(items) => {
            let item = |item: &Value| {
                Some((
                    shape.identity(item)?,
                    Fields {
                        here: true,
                        ..of(&shape.items(), item)
                    },
                ))
            };
            items
                .iter()
                .map(item)
                .collect::<Option<_>>()
                .unwrap_or_default()
        }
        _ => BTreeMap::new(),
    };
    Fields {
        here: inner.is_empty(),
        inner,
    }
}

/// Returns the value at a path of steps.
pub(crate) fn value<'a>(object: &'a Value, path: &[&str]) -> Option<&'a Value> {
    path.iter()
        .try_fold(object, |value, step| find(value, step))
}

fn find<'a>(value: &'a Value, step: &str) -> Option<&'a Value> {
    match step.split_at_checked(2)? {
        ("f:", name) => value.get(name),
        (_, _) => value.as_array()?.iter().find(|item| is(item, step)),
    }
}

/// Returns whether a step names this item of a list; an absent key has its default.
fn is(item: &Value, step: &str) -> bool {
    let Some((kind, text)) = step.split_at_checked(2) else {
        return false;
    };
    match (kind, serde_json::from_str(text)) {
        ("k:", Ok(Value::Object(keys))) => keys
            .iter()
            .all(|(key, value)| item.get(key).is_none_or(|found| found == value)),
        (_, Ok(value)) => *item == value,
        _ => false,
    }
}

impl Fields {
    pub(crate) fn is_empty(&self) -> bool {
        !self.here && self.inner.is_empty()
    }

    pub(crate) fn union(&self, other: &Self) -> Self {
        let mut inner = self.inner.clone();
        for (step, theirs) in &other.inner {
            let ours = inner.remove(step).unwrap_or_default();
            inner.insert(step.clone(), ours.union(theirs));
        }
        Self {
            here: self.here || other.here,
            inner,
        }
    }

    pub(crate) fn intersection(&self, other: &Self) -> Self {
        let both = |(step, ours): (&String, &Self)| {
            Some((step.clone(), ours.intersection(other.inner.get(step)?)))
        };
        Self {
            here: self.here && other.here,
            inner: self
                .inner
                .iter()
                .filter_map(both)
                .filter(|(_, set)| !set.is_empty())
                .collect(),
        }
    }

    pub(crate) fn difference(&self, other: &Self) -> Self {
        let left = |(step, ours): (&String, &Self)| {
            (
                step.clone(),
                other
                    .inner
                    .get(step)
                    .map_or_else(|| ours.clone(), |theirs| ours.difference(theirs)),
            )
        };
        Self {
            here: self.here && !other.here,
            inner: self
                .inner
                .iter()
                .map(left)
                .filter(|(_, set)| !set.is_empty())
                .collect(),
        }
    }

    /// Keeps the fields for which `keep` returns true; its arguments are the path and whether the field has inner fields.
    pub(crate) fn filter(&self, keep: &impl Fn(&[&str], bool) -> bool) -> Self {
        fn walk<'a>(
            set: &'a Fields,
            path: &mut Vec<&'a str>,
            keep: &impl Fn(&[&str], bool) -> bool,
        ) -> Fields {
            let mut inner = BTreeMap::new();
            for (step, set) in &set.inner {
                path.push(step);
                let kept = walk(set, path, keep);
                path.pop();
                if !kept.is_empty() {
                    inner.insert(step.clone(), kept);
                }
            }
            Fields {
                here: set.here && keep(path, !set.inner.is_empty()),
                inner,
            }
        }
        walk(self, &mut Vec::new(), keep)
    }

    /// Removes one field and all fields inside it.
    pub(crate) fn without(mut self, path: &[&str]) -> Self {
        match path {
            [step] => drop(self.inner.remove(*step)),
            [step, rest @ ..] => {
                if let Some(inner) = self.inner.remove(*step) {
                    let left = inner.without(rest);
                    if !left.is_empty() {
                        self.inner.insert((*step).to_owned(), left);
                    }
                }
            }
            [] => {}
        }
        self
    }

    /// Keeps one top-level field and all fields inside it.
    pub(crate) fn only(mut self, step: &str) -> Self {
        self.inner.retain(|name, _| name == step);
        self
    }

    /// Returns the fields in the form used in messages: `.spec.containers[name="a"].image`.
    pub(crate) fn paths(&self) -> Vec<String> {
        let mut paths = Vec::new();
        if self.here {
            paths.push(String::new());
        }
        for (step, inner) in &self.inner {
            let (kind, text) = step.split_at_checked(2).unwrap_or(("f:", step));
            let shown = match (kind, serde_json::from_str(text)) {
                ("k:", Ok(Value::Object(keys))) => {
                    let keys: Vec<_> = keys
                        .iter()
                        .map(|(key, value)| format!("{key}={value}"))
                        .collect();
                    format!("[{}]", keys.join(","))
                }
                ("v:", _) => format!("[={text}]"),
                _ => format!(".{text}"),
            };
            paths.extend(inner.paths().into_iter().map(|path| shown.clone() + &path));
        }
        paths
    }

    /// Removes the fields of the set from an object, and what becomes empty.
    pub(crate) fn remove_from(&self, object: &mut Value) {
        for (step, set) in &self.inner {
            if let (Some(name), Value::Object(fields)) = (step.strip_prefix("f:"), &mut *object) {
                let Some(value) = fields.get_mut(name) else {
                    continue;
                };
                set.remove_from(value);
                let emptied = !set.inner.is_empty()
                    && (value.as_object().is_some_and(Map::is_empty)
                        || value.as_array().is_some_and(Vec::is_empty));
                if set.here || emptied {
                    fields.remove(name);
                }
            } else if let Value::Array(items) = object {
                let Some(index) = items.iter().position(|item| is(item, step)) else {
                    continue;
                };
                set.remove_from(&mut items[index]);
                if set.here {
                    items.remove(index);
                }
            }
        }
    }

    /// Reads `fieldsV1`.
    pub(crate) fn read(value: &Value) -> Self {
        let steps = value
            .as_object()
            .into_iter()
            .flatten()
            .filter(|(step, _)| *step != ".");
        let inner: BTreeMap<_, _> = steps
            .map(|(step, value)| (step.clone(), Self::read(value)))
            .collect();
        Self {
            here: inner.is_empty() || value.get(".").is_some(),
            inner,
        }
    }

    /// Writes `fieldsV1`.
    pub(crate) fn write(&self) -> Value {
        let mut fields: Map<String, Value> = self
            .inner
            .iter()
            .map(|(step, set)| (step.clone(), set.write()))
            .collect();
        if self.here && !fields.is_empty() {
            fields.insert(".".to_owned(), Value::Object(Map::new()));
        }
        Value::Object(fields)
    }
}
