//! A set of objects by namespace and name. It copies neither: an object costs 25 bytes.
use hashbrown::{HashTable, hash_table::Entry};

use super::{
    Shared,
    codec::{Form, Held},
    names,
};

/// Objects of one kind, at most one per namespace and name.
pub(crate) struct KeyedSet {
    table: HashTable<Slot>,
    form: Form,
}

/// An object, and the hash of its names: a table that grows must not visit the objects, which takes tens of milliseconds for 100,000 of them.
struct Slot {
    hash: u64,
    held: Held,
}

impl Slot {
    fn is(&self, hash: u64, namespace: &str, name: &str) -> bool {
        self.hash == hash && self.held.names() == (namespace, name)
    }
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
        let open = |slot: &Slot| self.form.open(slot.hash, &slot.held);
        self.table.iter().map(open)
    }

    /// Returns what the set holds, without decoding it.
    pub(crate) fn held(&self) -> impl Iterator<Item = &Held> {
        self.table.iter().map(|slot| &slot.held)
    }

    /// Returns what the set holds. Each is dropped on its turn.
    pub(crate) fn into_held(self) -> impl Iterator<Item = Held> {
        self.table.into_iter().map(|slot| slot.held)
    }

    pub(crate) fn contains(&self, namespace: &str, name: &str) -> bool {
        self.find(namespace, name).is_some()
    }

    pub(crate) fn get(&self, namespace: &str, name: &str) -> Option<Shared> {
        let slot = self.find(namespace, name)?;
        Some(self.form.open(slot.hash, &slot.held))
    }

    fn find(&self, namespace: &str, name: &str) -> Option<&Slot> {
        let hash = self.form.hash(namespace, name);
        self.table.find(hash, |slot| slot.is(hash, namespace, name))
    }

    /// Inserts `object` and returns the one it replaces.
    pub(crate) fn insert(&mut self, object: &Shared) -> Option<Shared> {
        let (namespace, name) = names(object.metadata());
        let hash = self.form.hash(namespace, name);
        let entry = self.table.entry(
            hash,
            |slot| slot.is(hash, namespace, name),
            |slot| slot.hash,
        );
        match entry {
            Entry::Occupied(mut slot) => {
                // Before the new state takes the place of the old one among the decoded objects.
                let old = self.form.open(hash, &slot.get().held);
                slot.get_mut().held = self.form.hold(hash, object);
                Some(old)
            }
            Entry::Vacant(slot) => {
                let held = self.form.hold(hash, object);
                slot.insert(Slot { hash, held });
                None
            }
        }
    }

    /// Removes the object of that name. Frees memory once the set has shrunk to a quarter.
    pub(crate) fn remove(&mut self, namespace: &str, name: &str) -> Option<Shared> {
        let hash = self.form.hash(namespace, name);
        let found = self
            .table
            .find_entry(hash, |slot| slot.is(hash, namespace, name))
            .ok()?;
        let (slot, _) = found.remove();
        if self.table.capacity() > 64 && self.table.len() < self.table.capacity() / 4 {
            self.table.shrink_to(self.table.len() * 2, |slot| slot.hash);
        }
        Some(self.form.open(hash, &slot.held))
    }
}
