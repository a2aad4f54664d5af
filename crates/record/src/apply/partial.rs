//! Finds the required fields that nothing has set, which a type writes nevertheless.
use std::collections::{BTreeMap, BTreeSet};

use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Map, Value};

use super::ApplyError;

/// Fields with a constant value, which are always sent.
const HEADER: [&str; 2] = ["apiVersion", "kind"];

/// The JSON of an object without its blank required fields, and those by their path.
pub(super) struct Partial {
    pub(super) json: Value,
    pub(super) blank: BTreeMap<String, Blank>,
}

/// A blank required field.
pub(super) struct Blank {
    steps: Vec<Step>,
    value: Value,
}

#[derive(Clone)]
enum Step {
    Field(String),
    Item(usize),
}

/// Returns the JSON of an object without the required fields that have their blank value.
///
/// Such a field comes back if the object is read without it and written again. An optional field does not, whatever its value; so this needs no
/// knowledge of the type. A required field without a blank value, such as a time, is always sent.
pub(super) fn partial<K: Serialize + DeserializeOwned>(object: &K) -> Result<Partial, ApplyError> {
    let mut json = serde_json::to_value(object)?;
    let mut blank = BTreeMap::new();
    let mut indispensable = BTreeSet::new();
    loop {
        let mut probe = json.clone();
        strip(&mut probe, &indispensable);
        let read = match serde_json::from_value::<K>(probe) {
            Ok(read) => read,
            Err(error) => match missing_field(&error) {
                Some(name) if indispensable.insert(name.clone()) => continue,
                _ => break,
            },
        };
        let written = serde_json::to_value(read)?;
        let before = blank.len();
        drop_blank(
            &mut json,
            &written,
            &indispensable,
            &mut Vec::new(),
            &mut blank,
        );
        if blank.len() == before {
            break;
        }
    }
    Ok(Partial { json, blank })
}

fn is_plain(value: &Value) -> bool {
    match value {
        Value::Object(fields) => fields.is_empty(),
        Value::Array(items) => items.is_empty(),
        _ => true,
    }
}

/// Returns the field without which a type cannot be read.
fn missing_field(error: &serde_json::Error) -> Option<String> {
    let error = error.to_string();
    let (_, name) = error.split_once("missing field `")?;
    Some(name.split_once('`')?.0.to_owned())
}

/// Removes all fields that are scalars or empty, except for those with a name in `keep`.
fn strip(value: &mut Value, keep: &BTreeSet<String>) {
    match value {
        Value::Object(fields) => {
            fields.retain(|name, value| !is_plain(value) || keep.contains(name));
            fields.values_mut().for_each(|value| strip(value, keep));
        }
        Value::Array(items) => items.iter_mut().for_each(|item| strip(item, keep)),
        _ => {}
    }
}

fn drop_blank(
    value: &mut Value,
    written: &Value,
    keep: &BTreeSet<String>,
    path: &mut Vec<Step>,
    blank: &mut BTreeMap<String, Blank>,
) {
    match value {
        Value::Object(fields) => {
            let names: Vec<String> = fields.keys().cloned().collect();
            for name in names {
                let (Some(value), Some(written)) = (fields.get_mut(&name), written.get(&name))
                else {
                    continue;
                };
                path.push(Step::Field(name.clone()));
                if !is_plain(value) {
                    drop_blank(value, written, keep, path, blank);
                } else if keep.contains(&name) || path.len() == 1 && HEADER.contains(&&*name) {
                    // It is always sent.
                } else if value == written || value.is_object() || value.is_array() {
                    let value = value.take();
                    fields.remove(&name);
                    let steps = path.clone();
                    blank.insert(shown(path), Blank { steps, value });
                }
                path.pop();
            }
        }
        Value::Array(items) => {
            for (index, item) in items.iter_mut().enumerate() {
                path.push(Step::Item(index));
                drop_blank(item, &written[index], keep, path, blank);
                path.pop();
            }
        }
        _ => {}
    }
}

fn shown(path: &[Step]) -> String {
    let steps = path.iter().map(|step| match step {
        Step::Field(name) => format!(".{name}"),
        Step::Item(index) => format!("[{index}]"),
    });
    steps.collect()
}

impl Blank {
    /// Whether a document has the field.
    pub(super) fn is_in(&self, document: &Value) -> bool {
        let found = self
            .steps
            .iter()
            .try_fold(document, |place, step| match step {
                Step::Field(name) => place.get(name),
                Step::Item(index) => place.get(index),
            });
        found.is_some()
    }
}

impl Partial {
    /// Adds the blank fields that are to be owned nevertheless.
    pub(super) fn restore(&mut self, paths: &BTreeSet<String>) -> Result<(), ApplyError> {
        for path in paths {
            if let Some(blank) = self.blank.get(path) {
                insert(&mut self.json, &blank.steps, &blank.value);
            } else if !self.has(path) {
                let blank = self.blank.keys().cloned().collect();
                let path = path.clone();
                return Err(ApplyError::NoField { path, blank });
            }
        }
        Ok(())
    }

    /// Whether a field is set; `path` is as in [`Partial::blank`].
    fn has(&self, path: &str) -> bool {
        let pointer = path.replace(['.', '['], "/").replace(']', "");
        self.json.pointer(&pointer).is_some()
    }
}

/// Sets a field, below parents that may have been dropped.
fn insert(mut place: &mut Value, steps: &[Step], value: &Value) {
    for step in steps {
        place = match step {
            Step::Field(name) => {
                if !place.is_object() {
                    *place = Value::Object(Map::new());
                }
                &mut place[name.as_str()]
            }
            // Items are never dropped.
            Step::Item(index) => match place.get_mut(*index) {
                Some(item) => item,
                None => return,
            },
        };
    }
    // A parent that is owned, too, must not lose the fields inside it.
    if place.is_null() {
        *place = value.clone();
    }
}
