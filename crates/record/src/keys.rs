//! A key of an object in, the field or the map entry it names out.
use super::report::Report;
use super::{Map, Slot};
use serde::de::{DeserializeSeed, Deserializer, Visitor};
use std::fmt;

/// With `serde_json`'s feature `arbitrary_precision` a number comes as an object with this one key and its digits as value.
pub(super) const NUMBER: &str = "$serde_json::private::Number";

/// What a key of a record is.
pub(super) enum Name {
    /// The declared field of this index.
    Field(usize),
    /// Not declared; its text if unknown fields are kept.
    Unknown(Option<String>),
    /// No key at all: a number in the form of [`NUMBER`].
    Number,
}

/// Finds the field that a key names.
pub(super) struct NameOf {
    pub(super) names: &'static [&'static str],
    /// The index after the last field read: the likely one, since names are sorted and so are, mostly, the keys that come.
    pub(super) next: usize,
    /// Whether unknown fields are kept.
    pub(super) keep: bool,
}

impl<'de> DeserializeSeed<'de> for NameOf {
    type Value = Name;
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Name, D::Error> {
        deserializer.deserialize_identifier(self)
    }
}

impl Visitor<'_> for NameOf {
    type Value = Name;
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a field name")
    }
    fn visit_str<E>(self, key: &str) -> Result<Name, E> {
        Ok(match find(self.names, self.next, key) {
            Some(index) => Name::Field(index),
            None if key == NUMBER => Name::Number,
            None => Name::Unknown(self.keep.then(|| key.to_owned())),
        })
    }
}

/// So many names are compared before the search is by halves: names of other lengths cost next to nothing.
const AHEAD: usize = 16;

/// The index of a field by its name.
pub(super) fn find(names: &[&str], next: usize, key: &str) -> Option<usize> {
    let ahead = names.iter().skip(next).take(AHEAD);
    for (skipped, name) in ahead.enumerate() {
        if *name == key {
            return Some(next + skipped);
        }
    }
    names.binary_search(&key).ok()
}

/// Makes the entry that a key names, and leaves the key with the report; `None` for a number in the form of [`NUMBER`].
pub(super) struct EntryOf<'m, 'r> {
    pub(super) map: &'m mut dyn Map,
    pub(super) report: &'r mut Report,
}

impl<'m, 'de> DeserializeSeed<'de> for EntryOf<'m, '_> {
    type Value = Option<Slot<'m>>;
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl<'m> Visitor<'_> for EntryOf<'m, '_> {
    type Value = Option<Slot<'m>>;
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string key")
    }
    fn visit_str<E>(self, key: &str) -> Result<Self::Value, E> {
        if key == NUMBER {
            return Ok(None);
        }
        self.report.enter_key(key);
        Ok(Some(self.map.insert(key)))
    }
}

/// Tells whether the one key of an object makes it a number.
pub(super) struct IsNumber;

impl<'de> DeserializeSeed<'de> for IsNumber {
    type Value = bool;
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<bool, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl Visitor<'_> for IsNumber {
    type Value = bool;
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string key")
    }
    fn visit_str<E>(self, key: &str) -> Result<bool, E> {
        Ok(key == NUMBER)
    }
}
