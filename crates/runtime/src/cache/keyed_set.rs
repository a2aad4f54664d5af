//! A set of objects by namespace and name. It copies neither: an object costs 25 bytes.
use hashbrown::{HashTable, hash_table::Entry};

use super::{
    Shared,
    codec::{Form, Held},
    names,
};

/// Objects of one kind, at most one per namespace and name.
pub(crate) struct KeyedSet {
    table: HashTable<Held>,
    form: Form,
}

/// Returns the hash by which the table finds an object. It uses the highest bits and the lowest.
fn spread(hash: u32) -> u64 {
    u64::from(hash) << 32 | u64::from(hash)
}

fn is(held: &Held, hash: u32, namespace: &str, name: &str) -> bool {
    held.hash() == hash && held.names() == (namespace, name)
}

impl KeyedSet {
    /// Creates an empty set. Sets that share objects should share `form`.
    pub(crate) fn new(form: Form) -> Self {
        Self {
            table: HashTable::new(),
            form,
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.table.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.table.is_empty()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = Shared> {
        self.table.iter().map(|held| self.form.read(held))
    }

    /// Returns what the set holds, without decoding it.
    pub(crate) fn held(&self) -> impl Iterator<Item = &Held> {
        self.table.iter()
    }

    /// Returns what the set holds. Each is dropped on its turn.
    pub(crate) fn into_held(self) -> impl Iterator<Item = Held> {
        self.table.into_iter()
    }

    pub(crate) fn contains(&self, namespace: &str, name: &str) -> bool {
        self.find(namespace, name).is_some()
    }

    pub(crate) fn get(&self, namespace: &str, name: &str) -> Option<Shared> {
        Some(self.form.read(self.find(namespace, name)?))
    }

    fn find(&self, namespace: &str, name: &str) -> Option<&Held> {
        let hash = self.form.hash(namespace, name);
        self.table
            .find(spread(hash), |held| is(held, hash, namespace, name))
    }

    /// Inserts `object` and returns the one it replaces.
    pub(crate) fn insert(&mut self, object: &Shared) -> Option<Shared> {
        let (namespace, name) = names(object.metadata());
        let hash = self.form.hash(namespace, name);
        let entry = self.table.entry(
            spread(hash),
            |held| is(held, hash, namespace, name),
            |held| spread(held.hash()),
        );
        match entry {
            Entry::Occupied(mut slot) => {
                // Before the new state takes the place of the old one among the decoded objects.
                let old = self.form.read(slot.get());
                *slot.get_mut() = self.form.hold(hash, object);
                Some(old)
            }
            Entry::Vacant(slot) => {
                slot.insert(self.form.hold(hash, object));
                None
            }
        }
    }

    /// Removes the object of that name. Frees memory once the set has shrunk to a quarter.
    pub(crate) fn remove(&mut self, namespace: &str, name: &str) -> Option<Shared> {
        let hash = self.form.hash(namespace, name);
        let found = self
            .table
            .find_entry(spread(hash), |held| is(held, hash, namespace, name))
            .ok()?;
        let (slot, _) = found.remove();
        if self.table.capacity() > 64 && self.table.len() < self.table.capacity() / 4 {
            self.table
                .shrink_to(self.table.len() * 2, |held| spread(held.hash()));
        }
        Some(self.form.read(&slot))
    }
}
