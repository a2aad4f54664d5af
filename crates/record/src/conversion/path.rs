//! Paths of a schema, and the values that an object has at them.
use serde_json::{Map, Value};

/// A path of a schema: the properties between one list or map and the next.
///
/// `&[&["spec", "ports"], &["port"]]` is `spec.ports[].port`; the value of each item of a map is reached likewise.
pub type Path = &'static [&'static [&'static str]];

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

/// Returns the number of steps.
pub(super) fn depth(path: Path) -> usize {
    path.iter().map(|level| level.len() + 1).sum()
}

/// Formats a path as diagnostics do: `spec.ports[].port`.
pub(super) fn text(path: Path) -> String {
    let levels: Vec<String> = path.iter().map(|level| level.join(".")).collect();
    let text = levels.join("[].");
    text.strip_suffix('.').map_or(text.clone(), str::to_owned)
}

/// Takes the values at a path out of an object, with the items that each is in. An item itself is replaced by null.
pub(super) fn take(value: &mut Value, path: Path) -> Vec<(Vec<Key>, Value)> {
    let mut found = Vec::new();
    each_parent(value, path, &mut Vec::new(), &mut |parent, name, keys| {
        let taken = match name {
            Some(name) => parent
                .as_object_mut()
                .and_then(|fields| fields.remove(name)),
            None => Some(parent.take()),
        };
        found.extend(taken.map(|value| (keys.to_vec(), value)));
    });
    found
}

/// Calls a function with each object that may hold the last property of a path.
pub(super) fn each_object(
    value: &mut Value,
    path: Path,
    visit: &mut dyn FnMut(&mut Map<String, Value>, &str),
) {
    each_parent(value, path, &mut Vec::new(), &mut |parent, name, _| {
        if let (Some(fields), Some(name)) = (parent.as_object_mut(), name) {
            visit(fields, name);
        }
    });
}

/// Calls a function with each value at a path.
pub(super) fn each_value(value: &mut Value, path: Path, visit: &mut dyn FnMut(&mut Value)) {
    each_parent(value, path, &mut Vec::new(), &mut |parent, name, _| {
        let found = match name {
            Some(name) => parent.get_mut(name),
            None => Some(parent),
        };
        found.into_iter().for_each(&mut *visit);
    });
}

type Visit<'a> = dyn FnMut(&mut Value, Option<&str>, &[Key]) + 'a;

/// Calls a function with each value that contains the last property of a path, or with each item if the path ends with one.
fn each_parent(value: &mut Value, path: Path, keys: &mut Vec<Key>, visit: &mut Visit<'_>) {
    let Some((level, rest)) = path.split_first() else {
        return;
    };
    let (parents, last) = match (rest, level.split_last()) {
        ([], Some((last, parents))) => (parents, Some(*last)),
        _ => (*level, None),
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
pub(super) fn put(object: &mut Value, path: Path, keys: &[Key], value: Value) {
    let mut at = object;
    let mut keys = keys.iter();
    for (number, level) in path.iter().enumerate() {
        if number > 0 {
            let item = keys.next().and_then(|key| key.of_mut(at));
            match item {
                Some(item) => at = item,
                None => return,
            }
        }
        for name in *level {
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
