//! The fields that a field manager owns, as `fieldsV1` of `metadata.managedFields` lists them.
use std::collections::BTreeMap;

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

/// Whether an item of a list is the one that a step names. A key that the item lacks has its default.
pub(super) fn is_item(step: &str, item: &Value) -> bool {
    if let Some(keys) = keys(step) {
        let mut present = keys
            .iter()
            .filter_map(|(key, value)| Some((item.get(key)?, value)));
        return item.is_object()
            && present.clone().count() > 0
            && present.all(|(own, key)| own == key);
    }
    step.strip_prefix("v:")
        .and_then(|text| serde_json::from_str::<Value>(text).ok())
        .is_some_and(|value| value == *item)
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
