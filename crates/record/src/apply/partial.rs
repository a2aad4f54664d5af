//! Finds the required fields that nothing has set, which a type writes nevertheless.
use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value as Json, json};

use super::ApplyError;
use crate::{
    place::resolve,
    value::{Record, Slot, Value, View, views},
};

/// Fields with a constant value, which are always sent.
const HEADER: [&str; 2] = ["apiVersion", "kind"];

/// The JSON of an object without its blank required fields, and those by their path.
pub(super) struct Partial {
    pub(super) json: Json,
    pub(super) blank: BTreeMap<String, Blank>,
}

/// A blank required field.
pub(super) struct Blank {
    steps: Vec<Step>,
    value: Json,
}

#[derive(Clone)]
enum Step {
    Field(String),
    Item(usize),
}

/// Returns the JSON of an object without the required fields that have their blank value.
///
/// A blank value of the type goes along: a field that is present there is required, and a value that equals the one there is blank. A
/// time is never blank. Inside a value whose type depends on it, such as one of several types, all fields are sent.
pub(super) fn partial<K: Value + Record>(object: &K) -> Result<Partial, ApplyError> {
    let mut blank = K::blank();
    let mut found = Found::default();
    let json = found.record(object, &mut blank)?;
    Ok(Partial {
        json,
        blank: found.blank,
    })
}

/// What was found so far.
#[derive(Default)]
struct Found {
    path: Vec<Step>,
    blank: BTreeMap<String, Blank>,
}

impl Found {
    fn record(&mut self, of: &dyn Record, blank: &mut dyn Record) -> Result<Json, ApplyError> {
        let names = of.names();
        let mut fields = Map::new();
        // Of each present field: whether it is required, and whether it has the blank value.
        let mut present = Vec::new();
        let defaults = views(blank).into_iter();
        for (index, ((name, view), default)) in names
            .iter()
            .copied()
            .zip(views(of))
            .zip(defaults)
            .enumerate()
        {
            if matches!(view, View::Absent) {
                continue;
            }
            let is_required = !matches!(default, View::Absent);
            let is_header = self.path.is_empty() && HEADER.contains(&name);
            let is_blank = is_required && !is_header && is_blank(view, default)?;
            present.push((index, name, view, is_required, is_blank));
        }
        for (index, name, view, is_required, is_blank) in present {
            self.path.push(Step::Field(name.to_owned()));
            let value = if is_blank {
                None
            } else {
                let value = self.value(view, blank.at(index))?;
                // A required struct without fields of its own is not set either.
                let is_empty = matches!(view, View::Record(_)) && value == json!({});
                (!is_required || !is_empty).then_some(value)
            };
            if let Some(value) = value {
                fields.insert(name.to_owned(), value);
            } else {
                let value = match view {
                    View::Record(_) => json!({}),
                    view => serde_json::to_value(view)?,
                };
                let steps = self.path.clone();
                self.blank.insert(shown(&self.path), Blank { steps, value });
            }
            self.path.pop();
        }
        for (key, value) in of.rest().into_iter().flatten() {
            if names.binary_search(&key.as_str()).is_err() {
                fields.insert(key.clone(), value.clone());
            }
        }
        Ok(Json::Object(fields))
    }

    /// Converts a value; `blank` is the place of a blank one.
    fn value(&mut self, view: View<'_>, blank: Slot<'_>) -> Result<Json, ApplyError> {
        match (view, resolve(blank)) {
            (View::Record(of), Slot::Record(blank)) => self.record(of, blank),
            (View::List(of), Slot::List(blank)) => {
                let mut items = Vec::new();
                for index in 0..of.len() {
                    self.path.push(Step::Item(index));
                    items.push(self.value(of.get(index), blank.push())?);
                    self.path.pop();
                }
                Ok(Json::Array(items))
            }
            (View::Map(of), Slot::Map(blank)) => {
                let mut entries = Map::new();
                let mut result = Ok(());
                of.each(&mut |key, view| {
                    self.path.push(Step::Field(key.to_owned()));
                    result = self
                        .value(view, blank.insert(key))
                        .map(|value| drop(entries.insert(key.to_owned(), value)));
                    self.path.pop();
                    result.is_ok()
                });
                result?;
                Ok(Json::Object(entries))
            }
            (view, _) => Ok(serde_json::to_value(view)?),
        }
    }
}

/// Whether a value is the blank one of its type. Only two literals are compared by their JSON, which gives numbers of all types one form.
fn is_blank(view: View<'_>, blank: View<'_>) -> Result<bool, ApplyError> {
    Ok(match view {
        // The fields of a record decide.
        View::Record(_) | View::Display(_) => false,
        View::List(list) => list.is_empty(),
        View::Map(map) => map.is_empty(),
        view => serde_json::to_value(view)? == serde_json::to_value(blank)?,
    })
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
    pub(super) fn is_in(&self, document: &Json) -> bool {
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
fn insert(mut place: &mut Json, steps: &[Step], value: &Json) {
    for step in steps {
        place = match step {
            Step::Field(name) => {
                if !place.is_object() {
                    *place = Json::Object(Map::new());
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
