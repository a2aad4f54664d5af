//! The compact form of cached objects: JSON, compressed with earlier objects of the kind as dictionary, and decoded when it is read.
//!
//! Usually it is the text that the server sent, which has just been decoded, so that nothing has to be written or checked. What a transform has changed is written, and read
//! once to see whether it can be.
use std::{
    borrow::Cow,
    hash::{Hash, Hasher},
    ops::Range,
    sync::{
        Arc, OnceLock,
        atomic::{AtomicUsize, Ordering},
    },
};

use lz4_flex::block::{compress_with_dict, decompress_with_dict};
use parking_lot::Mutex;
use siphasher::sip::SipHasher13;

use super::{
    AnyObject, Read, Shared,
    hot::Hot,
    names,
    packed::{Both, HEAD, Packed, SKIPS},
};

/// Each dictionary has one more object than the one before: the first, and these. The first objects of a list are often of one namespace.
const SAMPLES: [usize; 4] = [0, 64, 512, 4096];
/// Number of bytes that a dictionary takes from an object: packing takes time in proportion to the dictionary.
const SAMPLE: usize = 4096;

/// How the sets of one store hold their objects.
#[derive(Clone)]
pub(crate) struct Form {
    /// With keys from `fastrand`, so that a simulation decides the order of objects in a set.
    hasher: SipHasher13,
    codec: Option<Arc<Codec>>,
}

/// An object in a set, with the hash of its names: a table that grows must not visit the objects, which takes tens of milliseconds for 100,000 of
/// them. Half of a hash fills a gap.
#[derive(Clone)]
pub(crate) enum Slot {
    Whole(u32, Shared),
    Packed(u32, Packed),
}

const _: () = assert!(size_of::<Slot>() == 24, "what a set takes for an object");

struct Codec {
    read: Read,
    dictionaries: [OnceLock<Vec<u8>>; SAMPLES.len()],
    packed: AtomicUsize,
    hot: Mutex<Hot>,
    /// The object that was received last, until it is stored.
    received: Mutex<Option<Both>>,
}

impl Form {
    pub(crate) fn new(compact: bool, read: Read) -> Self {
        Self {
            hasher: SipHasher13::new_with_keys(fastrand::u64(..), fastrand::u64(..)),
            codec: compact.then(|| Arc::new(Codec::new(read))),
        }
    }

    #[expect(clippy::cast_possible_truncation, reason = "half of it suffices")]
    pub(super) fn hash(&self, namespace: &str, name: &str) -> u32 {
        let mut hasher = self.hasher;
        (namespace, name).hash(&mut hasher);
        hasher.finish() as u32
    }

    /// Takes note of an object that was just decoded from `text`, with its managed fields or without those at `skipped`: to pack the text is less work than
    /// to write the object first. The object must be stored as it is.
    pub(crate) fn receive(
        &self,
        text: &str,
        managed_fields: bool,
        skipped: Range<usize>,
        object: &Shared,
    ) {
        let Some(codec) = &self.codec else {
            return;
        };
        let text = match (text.get(..skipped.start), text.get(skipped.end..)) {
            (Some(before), Some(after)) if !skipped.is_empty() => {
                Cow::Owned([before, "null", after].concat())
            }
            _ => Cow::Borrowed(text),
        };
        let packed = codec.pack_json(text.as_bytes(), managed_fields, &**object);
        *codec.received.lock() = packed.map(|packed| (packed, Arc::clone(object)));
    }

    /// Returns what a set holds of `object`, whose names have this hash. The same object is packed once.
    pub(super) fn hold(&self, hash: u32, object: &Shared) -> Slot {
        let Some(codec) = &self.codec else {
            return Slot::Whole(hash, Arc::clone(object));
        };
        if let Some(packed) = codec.packed(hash, object) {
            return Slot::Packed(hash, packed);
        }
        let received = codec.received.lock().take();
        let packed = match received {
            Some((packed, received)) if Arc::ptr_eq(&received, object) => Some(packed),
            _ => codec.pack(&**object),
        };
        let Some(packed) = packed else {
            return Slot::Whole(hash, Arc::clone(object));
        };
        codec.remember(hash, &packed, object, false);
        Slot::Packed(hash, packed)
    }

    /// Returns how the cache holds an object that it has just stored, or the object itself.
    pub(crate) fn held(&self, object: &Shared) -> Slot {
        let (namespace, name) = names(object.metadata());
        let hash = self.hash(namespace, name);
        let codec = self.codec.as_ref();
        codec
            .and_then(|codec| codec.packed(hash, object))
            .map_or_else(
                || Slot::Whole(hash, Arc::clone(object)),
                |packed| Slot::Packed(hash, packed),
            )
    }

    /// Returns the object that is held, for a reader: it is decoded once as long as it is read often enough.
    pub(crate) fn read(&self, held: &Slot) -> Shared {
        self.decode(held, true)
    }

    /// Returns the object that is held, for a handler, which sees all of them once.
    pub(crate) fn see(&self, held: &Slot) -> Shared {
        self.decode(held, false)
    }

    fn decode(&self, held: &Slot, by_reader: bool) -> Shared {
        match (held, &self.codec) {
            (Slot::Whole(_, object), _) => Arc::clone(object),
            (Slot::Packed(hash, packed), Some(codec)) => {
                let is_same = |one: &Packed, _: &_| Arc::ptr_eq(&one.bytes, &packed.bytes);
                if let Some((_, object)) = codec.hot.lock().get(*hash, by_reader, is_same) {
                    return object;
                }
                let object = codec.unpack(packed);
                codec.remember(*hash, packed, &object, by_reader);
                object
            }
            (Slot::Packed(..), None) => unreachable!("only a codec packs objects"),
        }
    }
}

impl Slot {
    pub(super) fn hash(&self) -> u32 {
        match self {
            Self::Whole(hash, _) | Self::Packed(hash, _) => *hash,
        }
    }

    /// Returns namespace and name as the store compares them: empty rather than absent.
    pub(crate) fn names(&self) -> (&str, &str) {
        match self {
            Self::Whole(_, object) => names(object.metadata()),
            Self::Packed(_, packed) => packed.names(),
        }
    }
}

impl Codec {
    fn new(read: Read) -> Self {
        Self {
            read,
            dictionaries: Default::default(),
            packed: AtomicUsize::new(0),
            hot: Mutex::default(),
            received: Mutex::default(),
        }
    }

    /// Returns the compact form; `None` if the object cannot be read back from it.
    fn pack(&self, object: &dyn AnyObject) -> Option<Packed> {
        let json = object.to_json().ok()?;
        self.read(&json, true)?;
        self.pack_json(&json, true, object)
    }

    /// Returns the compact form of `object`, which was decoded from `json`, with its managed fields or without.
    fn pack_json(
        &self,
        json: &[u8],
        managed_fields: bool,
        object: &dyn AnyObject,
    ) -> Option<Packed> {
        let (namespace, name) = names(object.metadata());
        let dictionary = self.dictionary(json);
        let mut bytes = vec![
            u8::try_from(dictionary).ok()? | if managed_fields { 0 } else { SKIPS },
            u8::try_from(namespace.len()).ok()?,
            u8::try_from(name.len()).ok()?,
        ];
        bytes.extend(u32::try_from(json.len()).ok()?.to_le_bytes());
        bytes.extend_from_slice(namespace.as_bytes());
        bytes.extend_from_slice(name.as_bytes());
        bytes.extend(compress_with_dict(
            json,
            self.dictionaries[dictionary].get()?,
        ));
        Some(Packed {
            bytes: bytes.into(),
        })
    }

    #[expect(clippy::expect_used, reason = "`pack` has decoded the same JSON")]
    fn unpack(&self, packed: &Packed) -> Shared {
        let unpack = || {
            let (namespace, name) = packed.names();
            let body = packed.bytes.get(HEAD + namespace.len() + name.len()..)?;
            let (first, managed_fields) = (packed.bytes[0] & !SKIPS, packed.bytes[0] & SKIPS == 0);
            let dictionary = self.dictionaries.get(usize::from(first))?;
            let json = decompress_with_dict(body, packed.length(), dictionary.get()?);
            self.read(&json.ok()?, managed_fields)
        };
        unpack().expect("a packed object can be unpacked")
    }

    fn read(&self, json: &[u8], managed_fields: bool) -> Option<Shared> {
        let (object, _) = (self.read)(std::str::from_utf8(json).ok()?, managed_fields).ok()?;
        Some(object)
    }

    /// Returns the number of the dictionary for the next object. Some objects become part of a new one.
    fn dictionary(&self, json: &[u8]) -> usize {
        let number = self.packed.fetch_add(1, Ordering::Relaxed);
        let sample = SAMPLES.iter().position(|sample| *sample == number);
        if let Some(new) = sample {
            let before = new
                .checked_sub(1)
                .and_then(|old| self.dictionaries[old].get());
            let mut dictionary = before.cloned().unwrap_or_default();
            dictionary.extend_from_slice(&json[..json.len().min(SAMPLE)]);
            let _ = self.dictionaries[new].set(dictionary);
        }
        let newest = self
            .dictionaries
            .iter()
            .rposition(|one| one.get().is_some());
        newest.unwrap_or_default()
    }

    /// Returns the compact form of an object that was just stored, or is in use.
    fn packed(&self, hash: u32, object: &Shared) -> Option<Packed> {
        let is_same = |_: &_, one: &Shared| Arc::ptr_eq(one, object);
        let found = self.hot.lock().get(hash, false, is_same);
        found.map(|(packed, _)| packed)
    }

    fn remember(&self, hash: u32, packed: &Packed, object: &Shared, by_reader: bool) {
        let displaced = self.hot.lock().put(hash, packed, object, by_reader);
        // Not under the lock: the last reference may drop a large object.
        drop(displaced);
    }
}

#[cfg(test)]
#[path = "codec_tests.rs"]
mod tests;
