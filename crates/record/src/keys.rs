//! Reads the keys of objects: as a field of a record, or as a new entry of a map.
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Visitor};

use crate::{
    report::Report,
    value::{Map, Slot},
};

/// The one key of the object that `serde_json` passes for a number with its feature `arbitrary_precision`; the value has the digits.
pub(super) const NUMBER: &str = "$serde_json::private::Number";

/// The meaning of a key in a record.
pub(super) enum Name {
    /// The declared field with this index.
    Field(usize),
    /// An undeclared field; its name if undeclared fields are kept.
    Unknown(Option<String>),
    /// A number as [`NUMBER`] describes.
    Number,
}

/// Finds the field that a key names.
pub(super) struct NameOf {
    pub(super) names: &'static [&'static str],
    /// The index after the last field read: the likely one, since names are sorted and keys usually are, too.
    pub(super) next: usize,
    /// Whether undeclared fields are kept.
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

/// The number of names compared before the binary search: comparing names of different lengths is nearly free.
const AHEAD: usize = 16;

/// Finds the index of a field.
pub(super) fn find(names: &[&str], next: usize, key: &str) -> Option<usize> {
    let ahead = names.iter().skip(next).take(AHEAD);
    for (skipped, name) in ahead.enumerate() {
        if *name == key {
            return Some(next + skipped);
        }
    }
    names.binary_search(&key).ok()
}

/// Inserts a map entry, and passes the key to the report for paths; `None` for a number as [`NUMBER`] describes.
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

/// Whether a key is [`NUMBER`].
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
