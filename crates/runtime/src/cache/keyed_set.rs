//! A set of shared objects by namespace and name. It copies neither: an object costs 17 bytes.
use std::{
    hash::{BuildHasher, RandomState},
    sync::Arc,
};

use hashbrown::{HashTable, hash_table};
use kube::Resource;

use super::names;

/// Objects of one kind, at most one per namespace and name.
pub(crate) struct KeyedSet<K> {
    table: HashTable<Slot<K>>,
    hasher: RandomState,
}

/// An object, and the hash of its names: a table that grows must not visit the objects, which takes tens of milliseconds for 100,000 of them.
struct Slot<K> {
    hash: u64,
    object: Arc<K>,
}

impl<K: Resource> Slot<K> {
    fn is(&self, hash: u64, namespace: &str, name: &str) -> bool {
        self.hash == hash && names(&*self.object) == (namespace, name)
    }
}

impl<K: Resource> KeyedSet<K> {
    /// Creates an empty set. Sets that share objects should share `hasher`.
    pub(crate) fn new(hasher: RandomState) -> Self {
        Self {
            table: HashTable::new(),
            hasher,
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.table.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.table.is_empty()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Arc<K>> {
        self.table.iter().map(|slot| &slot.object)
    }

    /// Returns the objects. Each is dropped on its turn.
    pub(crate) fn into_objects(self) -> impl Iterator<Item = Arc<K>> {
        self.table.into_iter().map(|slot| slot.object)
    }

    pub(crate) fn get(&self, namespace: &str, name: &str) -> Option<&Arc<K>> {
        let hash = self.hash(namespace, name);
        let slot = self
            .table
            .find(hash, |slot| slot.is(hash, namespace, name))?;
        Some(&slot.object)
    }

    /// Inserts `object` and returns the one it replaces.
    pub(crate) fn insert(&mut self, object: Arc<K>) -> Option<Arc<K>> {
        let (namespace, name) = names(&*object);
        let hash = self.hash(namespace, name);
        let entry = self.table.entry(
            hash,
            |slot| slot.is(hash, namespace, name),
            |slot| slot.hash,
        );
        match entry {
            hash_table::Entry::Occupied(mut slot) => {
                Some(std::mem::replace(&mut slot.get_mut().object, object))
            }
            hash_table::Entry::Vacant(slot) => {
                slot.insert(Slot { hash, object });
                None
            }
        }
    }

    /// Removes the object of that name. Frees memory once the set has shrunk to a quarter.
    pub(crate) fn remove(&mut self, namespace: &str, name: &str) -> Option<Arc<K>> {
        let hash = self.hash(namespace, name);
        let found = self
            .table
            .find_entry(hash, |slot| slot.is(hash, namespace, name))
            .ok()?;
        let (slot, _) = found.remove();
        if self.table.capacity() > 64 && self.table.len() < self.table.capacity() / 4 {
            self.table.shrink_to(self.table.len() * 2, |slot| slot.hash);
        }
        Some(slot.object)
    }

    fn hash(&self, namespace: &str, name: &str) -> u64 {
        self.hasher.hash_one((namespace, name))
    }
}
