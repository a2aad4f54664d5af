//! The decoded objects of a compact cache, as far as they fit into a budget.
//!
//! An object that arrives, from a list or a watch, stays for a moment: until the handlers have seen it. One that a reader asks for stays among those in use. Both are queues
//! with a second chance: the first of a full queue goes, unless it was read since it came; then it goes to the end of those in use. So a list of any length
//! passes through the small queue, and does not replace what readers use.
use std::{
    collections::{HashMap, VecDeque},
    sync::Arc,
};

use super::{
    Shared,
    packed::{Both, Packed},
};

/// Bytes of JSON of the objects that have just arrived.
const ARRIVED: usize = 256 << 10;
/// Bytes of JSON of the objects in use. Decoded, an object takes three to four times its JSON.
const IN_USE: usize = 4 << 20;

/// Decoded objects by the hash of their names.
#[derive(Default)]
pub(super) struct Hot {
    objects: HashMap<u32, Entry>,
    arrived: Queue,
    in_use: Queue,
}

struct Entry {
    packed: Packed,
    object: Shared,
    is_in_use: bool,
    /// Whether a reader has asked for it since it came, or since its last turn.
    was_read: bool,
}

#[derive(Default)]
struct Queue {
    order: VecDeque<u32>,
    /// The bytes of all objects in it.
    bytes: usize,
}

impl Hot {
    /// Returns the object with this hash, if it is the wanted one.
    pub(super) fn get(
        &mut self,
        hash: u32,
        by_reader: bool,
        is_wanted: impl Fn(&Packed, &Shared) -> bool,
    ) -> Option<Both> {
        let entry = self.objects.get_mut(&hash)?;
        if !is_wanted(&entry.packed, &entry.object) {
            return None;
        }
        entry.was_read |= by_reader;
        Some((entry.packed.clone(), Arc::clone(&entry.object)))
    }

    /// Adds an object. Returns those that it displaces, for the caller to drop when it holds no lock: they may be large.
    pub(super) fn put(
        &mut self,
        hash: u32,
        packed: &Packed,
        object: &Shared,
        by_reader: bool,
    ) -> Vec<Shared> {
        let mut displaced = Vec::new();
        let (packed, object) = (packed.clone(), Arc::clone(object));
        let bytes = packed.length();
        if let Some(entry) = self.objects.get_mut(&hash) {
            let queue = if entry.is_in_use {
                &mut self.in_use
            } else {
                &mut self.arrived
            };
            queue.bytes = queue.bytes + bytes - entry.packed.length();
            entry.packed = packed;
            entry.was_read |= by_reader;
            displaced.push(std::mem::replace(&mut entry.object, object));
        } else {
            let queue = if by_reader {
                &mut self.in_use
            } else {
                &mut self.arrived
            };
            queue.order.push_back(hash);
            queue.bytes += bytes;
            let entry = Entry {
                packed,
                object,
                is_in_use: by_reader,
                was_read: false,
            };
            self.objects.insert(hash, entry);
        }
        self.shrink(&mut displaced);
        displaced
    }

    fn shrink(&mut self, displaced: &mut Vec<Shared>) {
        let Self {
            objects,
            arrived,
            in_use,
        } = self;
        for (is_in_use, limit) in [(false, ARRIVED), (true, IN_USE)] {
            loop {
                let queue = if is_in_use {
                    &mut *in_use
                } else {
                    &mut *arrived
                };
                // One of any size has its place: it may be about to be stored in several sets.
                if queue.bytes <= limit || queue.order.len() < 2 {
                    break;
                }
                let Some(hash) = queue.order.pop_front() else {
                    break;
                };
                let Some(entry) = objects.get_mut(&hash) else {
                    continue;
                };
                let bytes = entry.packed.length();
                queue.bytes -= bytes;
                if entry.was_read {
                    (entry.was_read, entry.is_in_use) = (false, true);
                    in_use.order.push_back(hash);
                    in_use.bytes += bytes;
                } else if let Some(entry) = objects.remove(&hash) {
                    displaced.push(entry.object);
                }
            }
        }
    }

    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        assert_eq!(
            self.objects.len(),
            self.arrived.order.len() + self.in_use.order.len()
        );
        self.objects.len()
    }
}
