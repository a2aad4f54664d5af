//! The fields that a field manager owns, as `fieldsV1` of `metadata.managedFields` lists them.
use std::collections::{BTreeMap, HashMap};

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ManagedFieldsEntry, ObjectMeta};
use serde_json::{Map, Value};

/// A tree of fields. A step is `f:name`, `k:{keys}` (an item of a map list) or `v:value` (an item of a set).
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct FieldSet(pub(super) BTreeMap<String, FieldSet>);

impl FieldSet {
    fn read(fields: &Value) -> Self {
        let steps = fields.as_object().into_iter().flatten();
        let steps = steps.filter(|(step, _)| *step != ".");
        Self(
            steps
                .map(|(step, below)| (step.clone(), Self::read(below)))
                .collect(),
        )
    }

    /// Whether the set has no fields inside this one: it is a scalar, atomic or empty.
    pub(super) fn is_leaf(&self) -> bool {
        self.0.is_empty()
    }

    fn add(&mut self, other: Self) {
        for (step, below) in other.0 {
            self.0.entry(step).or_default().add(below);
        }
    }
}

/// The fields of one manager, and those of all managers.
#[derive(Debug, Default)]
pub(super) struct Owned {
    pub(super) own: FieldSet,
    pub(super) all: FieldSet,
}

impl Owned {
    /// Reads the fields that `manager` owns by applying `api_version` to an object or a subresource.
    pub(super) fn read(
        metadata: &ObjectMeta,
        manager: &str,
        subresource: Option<&str>,
        api_version: &str,
    ) -> Self {
        let is_own = |entry: &ManagedFieldsEntry| {
            entry.manager.as_deref() == Some(manager)
                && entry.operation.as_deref() == Some("Apply")
                && entry.api_version.as_deref() == Some(api_version)
                && entry.subresource.as_deref().unwrap_or_default()
                    == subresource.unwrap_or_default()
        };
        let mut found = Self::default();
        for entry in metadata.managed_fields.iter().flatten() {
            let Some(fields) = &entry.fields_v1 else {
                continue;
            };
            let fields = FieldSet::read(&fields.0);
            if is_own(entry) {
                found.own.add(fields.clone());
            }
            found.all.add(fields);
        }
        found
    }
}

/// Returns the keys of a step `k:{…}`.
pub(super) fn keys(step: &str) -> Option<Map<String, Value>> {
    serde_json::from_str(step.strip_prefix("k:")?).ok()
}

/// Finds the step of a set of fields that names an item of a list.
///
/// Users write lists of any length, so each step is parsed once, and an item is looked up by the values of its keys instead of being compared
/// with every step. An item may lack keys that have defaults; then the keys that it has decide, for which an index is made on demand.
pub(super) struct StepIndex<'s> {
    keyed: Vec<Keyed<'s>>,
    /// Steps `v:…`.
    by_value: ByValue<'s>,
}

/// The first step by a value, or by the values of some keys, as JSON.
type ByValue<'s> = HashMap<String, &'s str>;

/// The steps `k:{…}` with the same names of keys.
struct Keyed<'s> {
    names: Vec<String>,
    steps: Vec<(Map<String, Value>, &'s str)>,
    /// By the names that an item has.
    by_present: HashMap<Vec<String>, ByValue<'s>>,
}

impl<'s> StepIndex<'s> {
    pub(super) fn new(set: &'s FieldSet) -> Self {
        let mut index = Self {
            keyed: Vec::new(),
            by_value: HashMap::new(),
        };
        for step in set.0.keys() {
            if let Some(keys) = keys(step) {
                let known = index.keyed.iter_mut();
                match known.into_iter().find(|it| keys.keys().eq(&it.names)) {
                    Some(known) => known.steps.push((keys, step)),
                    None => index.keyed.push(Keyed {
                        names: keys.keys().cloned().collect(),
                        steps: vec![(keys, step)],
                        by_present: HashMap::new(),
                    }),
                }
            } else if let Some(text) = step.strip_prefix("v:")
                && let Ok(value) = serde_json::from_str::<Value>(text)
            {
                index.by_value.entry(value.to_string()).or_insert(step);
            }
        }
        index
    }

    /// Returns the first step that names an item.
    pub(super) fn step(&mut self, item: &Value) -> Option<&'s str> {
        match item {
            Value::Object(fields) => {
                let steps = self.keyed.iter_mut().filter_map(|it| it.step(fields));
                steps.min()
            }
            item => self.by_value.get(&item.to_string()).copied(),
        }
    }
}

impl<'s> Keyed<'s> {
    fn step(&mut self, item: &Map<String, Value>) -> Option<&'s str> {
        let names = self.names.iter().filter(|name| item.contains_key(*name));
        let present: Vec<String> = names.cloned().collect();
        if present.is_empty() {
            return None;
        }
        let wanted = values(item, &present);
        let steps = &self.steps;
        let index = self
            .by_present
            .entry(present)
            .or_insert_with_key(|present| {
                let mut index = ByValue::new();
                for (keys, step) in steps {
                    index.entry(values(keys, present)).or_insert(step);
                }
                index
            });
        index.get(&wanted).copied()
    }
}

/// Returns the values of some fields, as JSON.
fn values(fields: &Map<String, Value>, names: &[String]) -> String {
    let values = names.iter().map(|name| fields.get(name).cloned());
    Value::Array(values.map(Option::unwrap_or_default).collect()).to_string()
}

/// Returns a step as paths show it: `.spec`, `[name="a"]`, `[="b"]`.
pub(super) fn shown(step: &str) -> String {
    if let Some(keys) = keys(step) {
        let keys = keys.iter().map(|(key, value)| format!("{key}={value}"));
        return format!("[{}]", keys.collect::<Vec<_>>().join(","));
    }
    match step.split_at_checked(2) {
        Some(("v:", value)) => format!("[={value}]"),
        Some(("f:", name)) => format!(".{name}"),
        _ => format!("[{step}]"),
    }
}
