//! The fields that a field manager owns, as `fieldsV1` of `metadata.managedFields` lists them.
use std::collections::{BTreeMap, HashMap, hash_map::Entry};

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
    /// Steps `k:{…}` by the names of their keys.
    keyed: BTreeMap<Vec<String>, Vec<(Map<String, Value>, &'s str)>>,
    /// The first step by the values of some keys, as JSON.
    by_keys: HashMap<(Vec<String>, Vec<String>), HashMap<String, &'s str>>,
    /// Steps `v:…` by their value, as JSON.
    by_value: HashMap<String, &'s str>,
}

impl<'s> StepIndex<'s> {
    pub(super) fn new(set: &'s FieldSet) -> Self {
        let mut items = Self {
            keyed: BTreeMap::new(),
            by_keys: HashMap::new(),
            by_value: HashMap::new(),
        };
        for step in set.0.keys() {
            if let Some(keys) = keys(step) {
                let names = keys.keys().cloned().collect();
                items.keyed.entry(names).or_default().push((keys, step));
            } else if let Some(value) = step
                .strip_prefix("v:")
                .and_then(|text| serde_json::from_str::<Value>(text).ok())
            {
                items.by_value.entry(value.to_string()).or_insert(step);
            }
        }
        items
    }

    /// Returns the first step that names an item.
    pub(super) fn step(&mut self, item: &Value) -> Option<&'s str> {
        let Value::Object(fields) = item else {
            return self.by_value.get(&item.to_string()).copied();
        };
        let mut found: Option<&'s str> = None;
        for (names, steps) in &self.keyed {
            let present: Vec<String> = names
                .iter()
                .filter(|name| fields.contains_key(*name))
                .cloned()
                .collect();
            if present.is_empty() {
                continue;
            }
            let wanted = values(fields, &present);
            let index = match self.by_keys.entry((names.clone(), present)) {
                Entry::Occupied(index) => index.into_mut(),
                Entry::Vacant(vacant) => {
                    let mut index = HashMap::new();
                    for (keys, step) in steps {
                        index.entry(values(keys, &vacant.key().1)).or_insert(*step);
                    }
                    vacant.insert(index)
                }
            };
            let step = index.get(&wanted).copied();
            found = [found, step].into_iter().flatten().min();
        }
        found
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
