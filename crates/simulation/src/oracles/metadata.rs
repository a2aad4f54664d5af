//! Labels, annotations and finalizers of others stay.

use std::collections::BTreeMap;

use serde_json::Value;

use super::{
    check::{AtRest, Check, Run},
    violation::Violation,
};
use crate::state::{Difference, find};

pub(super) const DEMANDS: &str = "labels, annotations and finalizers of others stay";

#[derive(Default)]
pub(super) struct Metadata;

impl Check for Metadata {
    fn rested(&self, run: &Run<'_>, rest: &AtRest<'_>) -> Vec<Violation> {
        let found: BTreeMap<String, Value> = find(run.server, &rest.marks);
        let marks = rest.marks.iter();
        marks
            .filter_map(|(key, mark)| vanished(key, mark, found.get(key)))
            .collect()
    }
}

/// Returns a violation if an object has lost a label, an annotation or a finalizer that another client has set.
fn vanished(key: &str, mark: &Value, found: Option<&Value>) -> Option<Violation> {
    let lost = |path: String, expected: &Value, found: Option<&Value>| Difference {
        object: key.to_owned(),
        path,
        expected: Some(expected.to_string()),
        found: found.map(Value::to_string),
    };
    let mut differences = Vec::new();
    for section in ["labels", "annotations"] {
        let fields = mark["metadata"].get(section).and_then(Value::as_object);
        for (name, expected) in fields.into_iter().flatten() {
            let now = found.and_then(|it| it["metadata"].get(section)?.get(name));
            if now != Some(expected) {
                differences.push(lost(format!("metadata.{section}.{name}"), expected, now));
            }
        }
    }
    let finalizers = mark["metadata"].get("finalizers").and_then(Value::as_array);
    for name in finalizers.into_iter().flatten() {
        let now = found.and_then(|it| it["metadata"].get("finalizers"));
        let is_there = now
            .and_then(Value::as_array)
            .is_some_and(|it| it.contains(name));
        if !is_there {
            differences.push(lost("metadata.finalizers".to_owned(), name, now));
        }
    }
    let first = differences.first()?;
    let what = match found {
        None => "is gone, although another client has a finalizer on it".to_owned(),
        Some(_) => format!(
            "has lost {} of another client in {}",
            first.expected.as_deref()?,
            first.path
        ),
    };
    Some(Violation::new(format!("{key} {what}")).with(differences))
}
