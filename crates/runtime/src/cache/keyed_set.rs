//! A set of shared objects by namespace and name. It copies neither: an object costs nine bytes.
use std::{
    hash::{BuildHasher, RandomState},
    sync::Arc,
};

use hashbrown::{HashTable, hash_table::Entry};
use kube::Resource;

use super::names;

/// Objects of one kind, at most one per namespace and name.
#[derive(Clone)]
pub(crate) struct KeyedSet<K> {
    table: HashTable<Arc<K>>,
    hasher: RandomState,
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
        self.table.iter()
    }

    pub(crate) fn get(&self, namespace: &str, name: &str) -> Option<&Arc<K>> {
        let hash = self.hasher.hash_one((namespace, name));
        self.table
            .find(hash, |held| names(&**held) == (namespace, name))
    }

    /// Inserts `object` and returns the one it replaces.
    pub(crate) fn insert(&mut self, object: Arc<K>) -> Option<Arc<K>> {
        let hasher = &self.hasher;
        let key = names(&*object);
        let entry = self.table.entry(
            hasher.hash_one(key),
            |held| names(&**held) == key,
            |held| hasher.hash_one(names(&**held)),
        );
        match entry {
            Entry::Occupied(mut slot) => Some(std::mem::replace(slot.get_mut(), object)),
            Entry::Vacant(slot) => {
                slot.insert(object);
                None
            }
        }
    }

    /// Removes the object of that name. Frees memory once the set has shrunk to a quarter.
    pub(crate) fn remove(&mut self, namespace: &str, name: &str) -> Option<Arc<K>> {
        let hash = self.hasher.hash_one((namespace, name));
        let found = self
            .table
            .find_entry(hash, |held| names(&**held) == (namespace, name))
            .ok()?;
        let (object, _) = found.remove();
        if self.table.capacity() > 64 && self.table.len() < self.table.capacity() / 4 {
            let hasher = &self.hasher;
            self.table
                .shrink_to(self.table.len() * 2, |held| hasher.hash_one(names(&**held)));
        }
        Some(object)
    }
}
