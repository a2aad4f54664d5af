//! Paths of a schema, and the values that an object has at them.
use std::fmt;

use serde_json::{Map, Value};

/// The path of a field in a schema, from the root of the object.
///
/// A plain path converts from a list of names. Use [`FieldPath::each`] for the items of a list or the values of a map:
///
/// ```
/// use kube_codegen_record::conversion::FieldPath;
///
/// assert_eq!(FieldPath::from(["spec", "size"]).to_string(), "spec.size");
/// let port = FieldPath::new(["spec", "ports"]).each(["port"]);
/// assert_eq!(port.to_string(), "spec.ports[].port");
/// // The items themselves:
/// assert_eq!(FieldPath::new(["spec", "levels"]).each([]).to_string(), "spec.levels[]");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FieldPath {
    /// The properties between one list or map and the next.
    levels: Vec<Vec<&'static str>>,
}

impl FieldPath {
    /// Creates a path through these properties.
    pub fn new(names: impl IntoIterator<Item = &'static str>) -> Self {
        let levels = vec![names.into_iter().collect()];
        Self { levels }
    }

    /// Continues in each item of a list or each value of a map, and from there through these properties.
    #[must_use]
    pub fn each(mut self, names: impl IntoIterator<Item = &'static str>) -> Self {
        self.levels.push(names.into_iter().collect());
        self
    }

    /// Returns the steps: names, and none for an item or a value.
    pub(super) fn steps(&self) -> impl Iterator<Item = Option<&'static str>> {
        let levels = self.levels.iter().enumerate();
        levels.flat_map(|(number, level)| {
            let item = (number > 0).then_some(None);
            item.into_iter().chain(level.iter().copied().map(Some))
        })
    }

    /// Returns the number of steps.
    pub(super) fn depth(&self) -> usize {
        self.levels.iter().map(|level| level.len() + 1).sum()
    }
}

impl<const N: usize> From<[&'static str; N]> for FieldPath {
    fn from(names: [&'static str; N]) -> Self {
        Self::new(names)
    }
}

/// Formats the path as diagnostics do: `spec.ports[].port`.
impl fmt::Display for FieldPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, step) in self.steps().enumerate() {
            match step {
                Some(name) if number > 0 => write!(f, ".{name}")?,
                Some(name) => f.write_str(name)?,
                None => f.write_str("[]")?,
            }
        }
        Ok(())
    }
}

/// The item of a list, or the value of a map, that a path goes through.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Key {
    Index(usize),
    Name(String),
}

impl Key {
    /// Returns the value that a value has here.
    pub(super) fn of<'a>(&self, value: &'a Value) -> Option<&'a Value> {
        match self {
            Self::Index(index) => value.get(*index),
            Self::Name(name) => value.get(name.as_str()),
        }
    }

    /// Returns the value that a value has here, mutably.
    pub(super) fn of_mut<'a>(&self, value: &'a mut Value) -> Option<&'a mut Value> {
        match self {
            Self::Index(index) => value.get_mut(*index),
            Self::Name(name) => value.get_mut(name.as_str()),
        }
    }
}

/// Takes the values at a path out of an object, with the items that each is in. An item itself is replaced by null.
pub(super) fn take(value: &mut Value, path: &FieldPath) -> Vec<(Vec<Key>, Value)> {
    let mut found = Vec::new();
    each_parent(
        value,
        &path.levels,
        &mut Vec::new(),
        &mut |parent, name, keys| {
            let taken = match name {
                Some(name) => parent
                    .as_object_mut()
                    .and_then(|fields| fields.remove(name)),
                None => Some(parent.take()),
            };
            found.extend(taken.map(|value| (keys.to_vec(), value)));
        },
    );
    found
}

/// Calls a function with each object that may hold the last property of a path.
pub(super) fn each_object(
    value: &mut Value,
    path: &FieldPath,
    visit: &mut dyn FnMut(&mut Map<String, Value>, &str),
) {
    each_parent(
        value,
        &path.levels,
        &mut Vec::new(),
        &mut |parent, name, _| {
            if let (Some(fields), Some(name)) = (parent.as_object_mut(), name) {
                visit(fields, name);
            }
        },
    );
}

/// Calls a function with each value at a path.
pub(super) fn each_value(value: &mut Value, path: &FieldPath, visit: &mut dyn FnMut(&mut Value)) {
    each_parent(
        value,
        &path.levels,
        &mut Vec::new(),
        &mut |parent, name, _| {
            let found = match name {
                Some(name) => parent.get_mut(name),
                None => Some(parent),
            };
            found.into_iter().for_each(&mut *visit);
        },
    );
}

type Visit<'a> = dyn FnMut(&mut Value, Option<&str>, &[Key]) + 'a;

/// Calls a function with each value that contains the last property of a path, or with each item if the path ends with one.
fn each_parent(
    value: &mut Value,
    levels: &[Vec<&str>],
    keys: &mut Vec<Key>,
    visit: &mut Visit<'_>,
) {
    let Some((level, rest)) = levels.split_first() else {
        return;
    };
    let (parents, last) = match (rest, level.split_last()) {
        ([], Some((last, parents))) => (parents, Some(*last)),
        _ => (level.as_slice(), None),
    };
    let mut at = value;
    for name in parents {
        match at.get_mut(*name) {
            Some(next) => at = next,
            None => return,
        }
    }
    if rest.is_empty() {
        return visit(at, last, keys);
    }
    let mut item = |key, item: &mut Value| {
        keys.push(key);
        each_parent(item, rest, keys, visit);
        keys.pop();
    };
    match at {
        Value::Array(items) => {
            let items = items.iter_mut().enumerate();
            items.for_each(|(index, value)| item(Key::Index(index), value));
        }
        Value::Object(values) => {
            let values = values.iter_mut();
            values.for_each(|(name, value)| item(Key::Name(name.clone()), value));
        }
        _ => {}
    }
}

/// Puts a value at a path, within the given items. Missing objects are created, missing items are not.
pub(super) fn put(object: &mut Value, path: &FieldPath, keys: &[Key], value: Value) {
    let mut at = object;
    let mut keys = keys.iter();
    for (number, level) in path.levels.iter().enumerate() {
        if number > 0 {
            let item = keys.next().and_then(|key| key.of_mut(at));
            match item {
                Some(item) => at = item,
                None => return,
            }
        }
        for name in level {
            if at.is_null() {
                *at = Value::Object(Map::new());
            }
            match at {
                Value::Object(fields) => at = fields.entry(*name).or_insert(Value::Null),
                _ => return,
            }
        }
    }
    *at = value;
}
