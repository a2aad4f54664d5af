//! Compares two states of an object by its schema.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use super::{
    set::Fields,
    shape::{Form, Shape},
    typed::{Path, is_empty},
};

/// The fields in which two objects differ.
#[derive(Clone, Debug, Default)]
pub(crate) struct Comparison {
    pub(crate) added: Fields,
    pub(crate) modified: Fields,
    pub(crate) removed: Fields,
}

impl Comparison {
    /// Returns the fields that have a new value.
    pub(crate) fn changed(&self) -> Fields {
        self.modified.union(&self.added)
    }

    /// Removes the changed fields from a set, one after the other: most sets are empty.
    pub(super) fn take_from(&self, fields: &mut Fields) {
        let changes = [&self.added, &self.modified, &self.removed];
        for change in changes.into_iter().filter(|it| !it.is_empty()) {
            *fields = fields.difference(change);
        }
    }
}

/// What a request changes, as the owners of fields see it.
#[derive(Debug)]
pub(crate) struct Changes {
    /// The version of the request.
    pub(crate) version: String,
    /// Without the fields that the request cannot write.
    pub(crate) written: Comparison,
    /// With them, if there are owners of other versions.
    pub(crate) sent: Option<Comparison>,
}

impl Changes {
    /// Returns the changes for the owners of a version: the server compares in their version, and leaves out what a request cannot write in
    /// that of the request alone.
    pub(crate) fn in_version(&self, version: &str) -> &Comparison {
        let sent = self.sent.as_ref().filter(|_| version != self.version);
        sent.unwrap_or(&self.written)
    }
}

/// Compares two states of an object.
pub(crate) fn compare(shape: &Shape<'_>, old: &Value, new: &Value) -> Comparison {
    let mut found = Comparison::default();
    compare_values(shape, Some(old), Some(new), &mut Path::new(), &mut found);
    found
}

fn compare_values(
    shape: &Shape<'_>,
    old: Option<&Value>,
    new: Option<&Value>,
    path: &mut Path,
    found: &mut Comparison,
) {
    let form = |value: Option<&Value>| match value {
        None | Some(Value::Null) => None,
        Some(value) => Some(shape.form(value)),
    };
    let (old_form, new_form) = (form(old), form(new));
    let is_blank = |value: Option<&Value>| value.is_none_or(|it| it.is_null() || is_empty(it));
    let is_map = [old_form, new_form].contains(&Some(Form::Map));
    let is_list = [old_form, new_form].contains(&Some(Form::List));
    let is_leaf = [old_form, new_form].contains(&Some(Form::Leaf)) || !(is_map || is_list);
    if is_leaf || is_map && is_list || is_blank(old) && is_blank(new) {
        match (old, new) {
            (None, _) => found.added.insert(path),
            (_, None) => found.removed.insert(path),
            (old, new) if old != new => found.modified.insert(path),
            _ => {}
        }
        return;
    }
    if is_map {
        let (olds, news) = (
            old.and_then(Value::as_object),
            new.and_then(Value::as_object),
        );
        let names = olds.into_iter().chain(news).flat_map(Map::keys);
        for name in names.collect::<BTreeSet<_>>() {
            let (old, new) = (
                olds.and_then(|it| it.get(name)),
                news.and_then(|it| it.get(name)),
            );
            // Nothing inside equal fields differs.
            if old == new {
                continue;
            }
            path.push(format!("f:{name}"));
            let below = shape.field(name).unwrap_or(Shape::Deduced);
            compare_values(&below, old, new, path, found);
            path.pop();
        }
    } else {
        compare_lists(shape, old, new, path, found);
    }
    if old.is_none() {
        found.added.insert(path);
    } else if new.is_none() {
        found.removed.insert(path);
    }
}

fn compare_lists(
    shape: &Shape<'_>,
    old: Option<&Value>,
    new: Option<&Value>,
    path: &mut Path,
    found: &mut Comparison,
) {
    let mut all: BTreeMap<String, [Vec<&Value>; 2]> = BTreeMap::new();
    for (side, list) in [old, new].into_iter().enumerate() {
        for item in list.and_then(Value::as_array).into_iter().flatten() {
            if let Ok(step) = shape.identity(item) {
                all.entry(step).or_default()[side].push(item);
            }
        }
    }
    let below = shape.items();
    for (step, [old, new]) in all {
        path.push(step);
        match (old.as_slice(), new.as_slice()) {
            ([] | [_], [] | [_]) => {
                let (old, new) = (old.first().copied(), new.first().copied());
                compare_values(&below, old, new, path, found);
            }
            ([_, _, ..], [_, _, ..]) => {
                if old != new {
                    found.modified.insert(path);
                }
            }
            ([_, _, ..], _) => {
                if let Some(new) = new.first() {
                    compare_values(&below, None, Some(new), path, found);
                }
                found.removed.insert(path);
            }
            (_, _) => {
                if let Some(old) = old.first() {
                    compare_values(&below, Some(old), None, path, found);
                }
                found.added.insert(path);
            }
        }
        path.pop();
    }
}
