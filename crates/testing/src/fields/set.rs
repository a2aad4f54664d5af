//! Sets of fields as a tree, in the form of `FieldsV1`.
//!
//! The set operations are those of `fieldpath.Set` of <https://github.com/kubernetes-sigs/structured-merge-diff>.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::shape::Shape;

/// A set of fields. A step is `f:name`, `k:{keys}` (an item by its keys) or `v:value` (an item of a set).
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Fields {
    /// Whether the field itself is in the set; never at the root.
    pub(super) here: bool,
    pub(super) inner: BTreeMap<String, Fields>,
}

impl Fields {
    /// Creates a set of top-level fields.
    pub(crate) fn top(names: &[&str]) -> Self {
        let mut set = Self::default();
        for name in names {
            set.insert(&[format!("f:{name}")]);
        }
        set
    }

    pub(crate) fn is_empty(&self) -> bool {
        !self.here && self.inner.is_empty()
    }

    /// Inserts a field. The root cannot be in a set.
    pub(crate) fn insert(&mut self, path: &[String]) {
        let mut set = self;
        for step in path {
            set = set.inner.entry(step.clone()).or_default();
        }
        set.here = !path.is_empty();
    }

    /// Returns whether a field below the root is in the set.
    pub(crate) fn has(&self, step: &str) -> bool {
        self.inner.get(step).is_some_and(|set| set.here)
    }

    /// Returns the fields inside a field, if there are any.
    pub(crate) fn below(&self, step: &str) -> Option<&Self> {
        self.inner.get(step).filter(|set| !set.inner.is_empty())
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
            inner: non_empty(self.inner.iter().filter_map(both)),
        }
    }

    /// Removes the fields of another set; what is inside them stays.
    pub(crate) fn difference(&self, other: &Self) -> Self {
        let left = |(step, ours): (&String, &Self)| {
            let theirs = other.inner.get(step);
            let left = theirs.map_or_else(|| ours.clone(), |theirs| ours.difference(theirs));
            (step.clone(), left)
        };
        Self {
            here: self.here && !other.here,
            inner: non_empty(self.inner.iter().map(left)),
        }
    }

    /// Removes the fields of another set and all fields inside them.
    pub(crate) fn without(&self, other: &Self) -> Self {
        let left = |(step, ours): (&String, &Self)| match other.inner.get(step) {
            Some(theirs) if theirs.here => None,
            Some(theirs) => Some((step.clone(), ours.without(theirs))),
            None => Some((step.clone(), ours.clone())),
        };
        Self {
            here: self.here,
            inner: non_empty(self.inner.iter().filter_map(left)),
        }
    }

    /// Adds the declared fields that have fields of the set inside them.
    pub(crate) fn with_declared(&self, shape: &Shape<'_>) -> Self {
        let inner = self.inner.iter().map(|(step, set)| {
            let (below, is_declared) = match step.strip_prefix("f:") {
                Some(name) => (shape.field(name), shape.declares(name)),
                None => (Some(shape.items()), false),
            };
            let mut all = set.with_declared(&below.unwrap_or(Shape::Deduced));
            all.here = set.here || is_declared && !set.inner.is_empty();
            (step.clone(), all)
        });
        Self {
            here: self.here,
            inner: inner.collect(),
        }
    }

    /// Returns the fields in the form used in messages: `.spec.containers[name="a"].image`.
    pub(crate) fn paths(&self) -> Vec<String> {
        let mut paths = Vec::new();
        self.add_paths("", &mut paths);
        paths
    }

    fn add_paths(&self, parent: &str, paths: &mut Vec<String>) {
        let mut inner: Vec<_> = self.inner.iter().collect();
        inner.sort_by_cached_key(|(step, _)| order(step));
        for (step, set) in &inner {
            if set.here {
                paths.push(format!("{parent}{}", shown(step)));
            }
        }
        for (step, set) in inner {
            set.add_paths(&format!("{parent}{}", shown(step)), paths);
        }
    }

    /// Reads `fieldsV1`.
    pub(crate) fn read(value: &Value) -> Self {
        let steps = value.as_object().into_iter().flatten();
        let steps = steps.filter(|(step, _)| *step != ".");
        let inner = steps.map(|(step, value)| {
            let mut set = Self::read(value);
            set.here = set.inner.is_empty() || value.get(".").is_some();
            (step.clone(), set)
        });
        Self {
            here: false,
            inner: inner.collect(),
        }
    }

    /// Writes `fieldsV1`.
    pub(crate) fn write(&self) -> Value {
        let inner = self.inner.iter();
        let mut fields: Map<String, Value> = inner
            .map(|(step, set)| (step.clone(), set.write()))
            .collect();
        if self.here && !fields.is_empty() {
            fields.insert(".".to_owned(), Value::Object(Map::new()));
        }
        Value::Object(fields)
    }
}

fn non_empty(sets: impl Iterator<Item = (String, Fields)>) -> BTreeMap<String, Fields> {
    sets.filter(|(_, set)| !set.is_empty()).collect()
}

/// Returns what steps are sorted by in messages: numbers in keys by their value.
fn order(step: &str) -> String {
    let padded = |value: &Value| match value.as_u64() {
        Some(number) => format!("{number:020}"),
        None => value.to_string(),
    };
    match (
        step.get(..2),
        serde_json::from_str(step.get(2..).unwrap_or_default()),
    ) {
        (Some("k:"), Ok(Value::Object(keys))) => {
            let keys = keys
                .iter()
                .map(|(key, value)| format!("{key}={}", padded(value)));
            format!("k:{}", keys.collect::<Vec<_>>().join(","))
        }
        (Some("v:"), Ok(value)) => format!("v:{}", padded(&value)),
        _ => step.to_owned(),
    }
}

/// Returns a step in the form used in messages.
pub(crate) fn shown(step: &str) -> String {
    let (kind, text) = step.split_at_checked(2).unwrap_or(("f:", step));
    match (kind, serde_json::from_str(text)) {
        ("k:", Ok(Value::Object(keys))) => {
            let keys = keys.iter().map(|(key, value)| format!("{key}={value}"));
            format!("[{}]", keys.collect::<Vec<_>>().join(","))
        }
        ("v:", _) => format!("[={text}]"),
        _ => format!(".{text}"),
    }
}
