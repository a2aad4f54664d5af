//! An object as compressed JSON, and what its head says of it.
use std::sync::Arc;

use super::Shared;

/// The compressed JSON of an object, after a head: number of the dictionary, lengths of namespace and name, length of the JSON, namespace, name.
#[derive(Clone)]
pub(crate) struct Packed {
    pub(super) bytes: Arc<[u8]>,
}

pub(super) const HEAD: usize = 7;
/// Set beside the number of the dictionary, if the JSON is to be decoded without managed fields.
pub(super) const SKIPS: u8 = 0x80;

/// An object in both forms.
pub(super) type Both = (Packed, Shared);

impl Packed {
    /// Returns the length of the JSON.
    pub(super) fn length(&self) -> usize {
        let bytes = self.bytes[3..HEAD].try_into().map(u32::from_le_bytes);
        usize::try_from(bytes.unwrap_or_default()).unwrap_or_default()
    }

    pub(super) fn names(&self) -> (&str, &str) {
        let (namespace, name) = (usize::from(self.bytes[1]), usize::from(self.bytes[2]));
        let text = |from, length| {
            let text = self.bytes.get(from..from + length).unwrap_or_default();
            std::str::from_utf8(text).unwrap_or_default()
        };
        (text(HEAD, namespace), text(HEAD + namespace, name))
    }
}
