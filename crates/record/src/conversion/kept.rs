//! Keeps values without a place in another version in one annotation, and restores them.
//!
//! Per version, the annotation lists the differences between an object and what the conversion there and back makes of it. When the
//! object comes back, a difference is undone unless the value that it replaces has changed: then the user's change wins.
use std::{
    collections::{BTreeMap, HashMap},
    hash::Hasher as _,
};

use fnv::FnvHasher;
use serde_json::{Map, Value, json};

use super::{path::Key, spoke::Keyed};

/// What is kept, by the version that has a place for it.
#[derive(Default)]
pub(super) struct Kept(BTreeMap<String, Vec<Value>>);

impl Kept {
    /// Reads the annotation. Text of another form, which only a user can have written, is ignored: an error would make the object
    /// unreadable.
    pub(super) fn read(object: &Value, annotation: &str) -> Self {
        let text = object["metadata"]["annotations"][annotation].as_str();
        let kept = text.and_then(|text| serde_json::from_str(text).ok());
        Self(kept.unwrap_or_default())
    }

    /// Reads the annotation and removes it.
    pub(super) fn take(object: &mut Value, annotation: &str) -> Self {
        let kept = Self::read(object, annotation);
        let Some(fields) = object.as_object_mut() else {
            return kept;
        };
        // Objects become what they were before there was something to keep.
        if let Some(metadata) = fields.get_mut("metadata").and_then(Value::as_object_mut)
            && let Some(annotations) = metadata
                .get_mut("annotations")
                .and_then(Value::as_object_mut)
            && annotations.remove(annotation).is_some()
            && annotations.is_empty()
        {
            metadata.remove("annotations");
            if metadata.is_empty() {
                fields.remove("metadata");
            }
        }
        kept
    }

    /// Writes the annotation, if there is something to keep.
    pub(super) fn write(&self, object: &mut Value, annotation: &str) {
        if self.0.is_empty() {
            return;
        }
        let Ok(text) = serde_json::to_string(&self.0) else {
            return;
        };
        let Some(object) = object.as_object_mut() else {
            return;
        };
        let metadata = object.entry("metadata").or_insert_with(|| json!({}));
        let Some(metadata) = metadata.as_object_mut() else {
            return;
        };
        let annotations = metadata.entry("annotations").or_insert_with(|| json!({}));
        if annotations.is_null() {
            *annotations = json!({});
        }
        if let Some(annotations) = annotations.as_object_mut() {
            annotations.insert(annotation.to_owned(), text.into());
        }
    }

    /// Keeps what distinguishes an object from what the conversion there and back makes of it.
    pub(super) fn keep(&mut self, version: &str, object: &Value, back: &Value, keyed: &[Keyed]) {
        let mut found = Differences {
            keyed,
            path: Vec::new(),
            shape: Vec::new(),
            found: Vec::new(),
        };
        let (Some(object), Some(back)) = (object.as_object(), back.as_object()) else {
            return;
        };
        for name in names(object, back) {
            if !matches!(name.as_str(), "apiVersion" | "kind" | "metadata") {
                found.field(name, object.get(name), back.get(name));
            }
        }
        if !found.found.is_empty() {
            self.0.insert(version.to_owned(), found.found);
        }
    }

    /// Restores what is kept for a version into an object of it.
    pub(super) fn restore(&mut self, version: &str, object: &mut Value) {
        let entries = self.0.remove(version).unwrap_or_default();
        // An item of a list is found by its contents, which change as values are restored.
        let mut lists = Lists::default();
        let places = entries
            .iter()
            .map(|entry| locate(object, entry, &mut lists));
        let places: Vec<_> = places.collect();
        for (entry, place) in entries.iter().zip(places) {
            if let Some(place) = place {
                set(object, &place, entry.get("is"));
            }
        }
    }

    /// Returns the paths of what is kept for a version.
    pub(super) fn paths(&self, version: &str) -> Vec<String> {
        let entries = self.0.get(version).into_iter().flatten();
        let paths = entries.filter_map(|entry| entry["path"].as_array());
        let text = |path: &Vec<Value>| {
            let steps = path.iter().map(|step| match step {
                Value::String(name) => format!(".{name}"),
                step if step["keys"].is_null() => format!("[{}]", step["at"]),
                step => format!("[{}]", step["keys"]),
            });
            steps.collect::<String>().trim_start_matches('.').to_owned()
        };
        paths.map(text).collect()
    }
}

fn names<'a>(
    a: &'a Map<String, Value>,
    b: &'a Map<String, Value>,
) -> impl Iterator<Item = &'a String> {
    a.keys()
        .chain(b.keys().filter(|name| !a.contains_key(*name)))
}

/// The differences between an object and what comes back.
struct Differences<'a> {
    keyed: &'a [Keyed],
    /// Steps of the current path: names, and items as [`item`] writes them.
    path: Vec<Value>,
    /// The same path in the schema, where an item has no name.
    shape: Vec<Option<String>>,
    found: Vec<Value>,
}

impl Differences<'_> {
    fn field(&mut self, name: &str, object: Option<&Value>, back: Option<&Value>) {
        self.path.push(name.into());
        self.shape.push(Some(name.to_owned()));
        self.value(object, back);
        self.path.pop();
        self.shape.pop();
    }

    fn value(&mut self, object: Option<&Value>, back: Option<&Value>) {
        match (object, back) {
            (object, back) if object == back => {}
            (Some(Value::Object(object)), Some(Value::Object(back))) => {
                for name in names(object, back) {
                    self.field(name, object.get(name), back.get(name));
                }
            }
            (Some(Value::Array(object)), Some(Value::Array(back)))
                if object.len() == back.len() =>
            {
                let keys = self.keys();
                for (index, (object, plain)) in object.iter().zip(back).enumerate() {
                    self.path.push(item(index, back.len(), plain, keys));
                    self.shape.push(None);
                    self.value(Some(object), Some(plain));
                    self.path.pop();
                    self.shape.pop();
                }
            }
            (object, back) => {
                let mut entry = json!({ "path": self.path });
                if let Some(back) = back {
                    entry["was"] = back.clone();
                }
                if let Some(object) = object {
                    entry["is"] = object.clone();
                }
                self.found.push(entry);
            }
        }
    }

    /// Returns the keys of the list at the current path.
    fn keys(&self) -> Option<&'static [&'static str]> {
        let found = self.keyed.iter().find(|keyed| {
            let mut shape = self.shape.iter();
            let same = keyed.path.steps().all(|step| {
                shape
                    .next()
                    .is_some_and(|at| step.is_none() || at.as_deref() == step)
            });
            same && shape.next().is_none()
        });
        found.map(|keyed| keyed.keys)
    }
}

/// Describes an item of a list: by its keys, or by its place and its contents.
fn item(index: usize, length: usize, plain: &Value, keys: Option<&[&str]>) -> Value {
    match keys {
        Some(keys) => {
            let keys = keys
                .iter()
                .map(|key| ((*key).to_owned(), plain[*key].clone()));
            json!({ "keys": keys.collect::<Map<_, _>>() })
        }
        None => json!({ "at": index, "of": length, "hash": hash(plain) }),
    }
}

/// FNV-1a of the JSON text, which is the same in every build.
fn hash(value: &Value) -> String {
    let mut hash = FnvHasher::default();
    hash.write(value.to_string().as_bytes());
    format!("{:016x}", hash.finish())
}

/// Returns the place of a kept value in an object, if the object still has there what the conversion makes of it.
fn locate(object: &Value, entry: &Value, lists: &mut Lists) -> Option<Vec<Key>> {
    let (last, parents) = entry["path"].as_array()?.split_last()?;
    let mut at = object;
    let mut place = Vec::new();
    for step in parents {
        let key = lists.key(at, step)?;
        at = key.of(at)?;
        place.push(key);
    }
    let last = lists.key(at, last)?;
    let is_unchanged = last.of(at) == entry.get("was");
    place.push(last);
    is_unchanged.then_some(place)
}

/// Sets or removes the value at a place.
fn set(object: &mut Value, place: &[Key], value: Option<&Value>) {
    let Some((last, parents)) = place.split_last() else {
        return;
    };
    let mut at = object;
    for key in parents {
        match key.of_mut(at) {
            Some(next) => at = next,
            None => return,
        }
    }
    match (at, last, value) {
        (Value::Object(fields), Key::Name(name), Some(value)) => {
            fields.insert(name.clone(), value.clone());
        }
        (Value::Object(fields), Key::Name(name), None) => {
            fields.remove(name);
        }
        (at, key, Some(value)) => {
            if let Some(item) = key.of_mut(at) {
                *item = value.clone();
            }
        }
        (_, _, None) => {}
    }
}

/// Where the items of an object's lists are, by their contents or their keys. Users write lists and annotations of any length, so a list is searched
/// once, and not once per entry.
#[derive(Default)]
struct Lists {
    by_keys: HashMap<(*const Value, Vec<String>), Index>,
    by_content: HashMap<*const Value, Index>,
    /// Of items without keys, which may be as large as the object.
    hashes: HashMap<*const Value, String>,
}

/// The first item by a text.
type Index = HashMap<String, usize>;

fn index(items: &[Value], text: impl Fn(&Value) -> String) -> Index {
    let mut index = Index::new();
    for (at, item) in items.iter().enumerate() {
        index.entry(text(item)).or_insert(at);
    }
    index
}

impl Lists {
    /// Returns where a step leads.
    fn key(&mut self, value: &Value, step: &Value) -> Option<Key> {
        match (step, value) {
            (Value::String(name), Value::Object(_)) => Some(Key::Name(name.clone())),
            (step, Value::Array(items)) => {
                let index = match step["keys"].as_object() {
                    Some(keys) => self.by_keys(items, keys),
                    None => self.by_place(items, step),
                };
                index.map(Key::Index)
            }
            _ => None,
        }
    }

    /// Returns the first item with these keys. One that an item lacks is null.
    fn by_keys(&mut self, items: &[Value], keys: &Map<String, Value>) -> Option<usize> {
        let names: Vec<String> = keys.keys().cloned().collect();
        let text = |item: &Value| {
            let values = names.iter().map(|name| item.get(name).cloned());
            Value::Array(values.map(Option::unwrap_or_default).collect()).to_string()
        };
        let wanted = Value::Array(keys.values().cloned().collect()).to_string();
        let list = (items.as_ptr(), names.clone());
        let index = self.by_keys.entry(list);
        let index = index.or_insert_with(|| self::index(items, text));
        index.get(&wanted).copied()
    }

    /// Returns the place of an item without keys: the same place if it is unchanged there, else where its contents are, else the same
    /// place if the list is as long as it was.
    fn by_place(&mut self, items: &[Value], step: &Value) -> Option<usize> {
        let number = |name: &str| usize::try_from(step[name].as_u64()?).ok();
        let (at, length) = (number("at")?, number("of")?);
        let wanted = step["hash"].as_str()?;
        if items.get(at).is_some_and(|item| self.hash(item) == wanted) {
            return Some(at);
        }
        let same = (items.len() == length).then_some(at);
        let index = self.by_content.entry(items.as_ptr());
        let index = index.or_insert_with(|| self::index(items, hash));
        index.get(wanted).copied().or(same)
    }

    fn hash(&mut self, item: &Value) -> &str {
        let hashes = &mut self.hashes;
        hashes.entry(item).or_insert_with(|| hash(item))
    }
}
