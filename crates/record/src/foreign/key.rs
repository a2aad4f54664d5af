//! The text of one key, kept without allocation unless it is long.
use serde::de::{DeserializeSeed, Deserializer, Visitor};
use std::fmt;

/// Longer than the field names of Kubernetes types, and than most label keys.
const INLINE: usize = 64;

pub(super) struct Key {
    short: [u8; INLINE],
    len: usize,
    long: String,
}

impl Default for Key {
    fn default() -> Self {
        Self {
            short: [0; INLINE],
            len: 0,
            long: String::new(),
        }
    }
}

impl Key {
    pub(super) fn as_str(&self) -> &str {
        match self.short.get(..self.len) {
            Some(short) => std::str::from_utf8(short).unwrap_or_default(),
            None => &self.long,
        }
    }
}

impl<'de> DeserializeSeed<'de> for &mut Key {
    type Value = ();
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl Visitor<'_> for &mut Key {
    type Value = ();
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string key")
    }
    fn visit_str<E>(self, key: &str) -> Result<(), E> {
        self.len = key.len();
        if let Some(short) = self.short.get_mut(..key.len()) {
            short.copy_from_slice(key.as_bytes());
        } else {
            key.clone_into(&mut self.long);
        }
        Ok(())
    }
}
