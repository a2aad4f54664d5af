//! Converts Events between the core group, in whose form they are stored, and `events.k8s.io`.

use serde_json::Value;

use crate::{kinds::kind::Kind, values::object::map};

const GROUP: &str = "events.k8s.io";

/// The names of a field in the core group and in `events.k8s.io`.
const FIELDS: &[(&str, &str)] = &[
    ("involvedObject", "regarding"),
    ("message", "note"),
    ("source", "deprecatedSource"),
    ("firstTimestamp", "deprecatedFirstTimestamp"),
    ("lastTimestamp", "deprecatedLastTimestamp"),
    ("count", "deprecatedCount"),
    ("reportingComponent", "reportingController"),
];

/// Returns the group of the collection that holds the objects of a kind.
pub(crate) fn stored_group(kind: &Kind) -> &str {
    if kind.group == GROUP { "" } else { &kind.group }
}

/// Converts an object of a kind into the form in which it is stored.
pub(crate) fn store(kind: &Kind, object: &mut Value) {
    if kind.group == GROUP {
        map(object).insert("apiVersion".to_owned(), "v1".into());
        for (core, other) in FIELDS {
            rename(object, other, core);
        }
    }
}

/// Converts a stored object into the form of a kind.
pub(crate) fn load(kind: &Kind, object: &mut Value) {
    if kind.group == GROUP {
        map(object).insert("apiVersion".to_owned(), format!("{GROUP}/v1").into());
        for (core, other) in FIELDS {
            rename(object, core, other);
        }
        // The core group writes these also when they are empty.
        for name in ["reportingController", "reportingInstance"] {
            if object.get(name).is_some_and(|it| it == "") {
                map(object).remove(name);
            }
        }
    }
}

/// Returns the path of a field in the stored form.
pub(crate) fn stored_path(kind: &Kind, path: &str) -> String {
    let (first, rest) = path.split_once('.').unwrap_or((path, ""));
    let renamed = FIELDS.iter().find(|(_, other)| *other == first);
    match renamed.filter(|_| kind.group == GROUP) {
        Some((core, _)) if rest.is_empty() => (*core).to_owned(),
        Some((core, _)) => format!("{core}.{rest}"),
        None => path.to_owned(),
    }
}

fn rename(object: &mut Value, from: &str, to: &str) {
    let fields = map(object);
    if let Some(value) = fields.remove(from) {
        fields.insert(to.to_owned(), value);
    }
}
