//! A set of objects by namespace and name. It copies neither: a slot of its table has 25 bytes.
use hashbrown::HashTable;

use super::{
    Shared,
    codec::{Form, Slot},
    names,
};

/// Objects of one kind, at most one per namespace and name.
pub(crate) struct KeyedSet {
    /// One for the first objects, and [`PARTS`] for the others of a large set: a table that grows moves all that it has, which for a million objects would
    /// delay other tasks.
    tables: Vec<HashTable<Slot>>,
    form: Form,
}

/// Number of further tables of a large set.
const PARTS: usize = 16;
/// Number of objects in the first table, whose slots are used by seven eighths then: to move as many takes a few milliseconds. It is small in unit tests, so that they have
/// large sets.
const LARGE: usize = 7 << if cfg!(test) { 6 } else { 14 };

/// Returns the hash by which the table finds an object. It uses the highest bits and the lowest.
fn spread(hash: u32) -> u64 {
    u64::from(hash) << 32 | u64::from(hash)
}

/// Returns the further table for an object. The hash has to differ in other bits than those that a table uses.
fn part(hash: u32) -> usize {
    1 + (hash >> 21) as usize % PARTS
}

fn is(held: &Slot, hash: u32, namespace: &str, name: &str) -> bool {
    held.hash() == hash && held.names() == (namespace, name)
}

impl KeyedSet {
    /// Creates an empty set. Sets that share objects should share `form`.
    pub(crate) fn new(form: Form) -> Self {
        Self {
            tables: vec![HashTable::new()],
            form,
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.tables.iter().map(HashTable::len).sum()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.tables.iter().all(HashTable::is_empty)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = Shared> {
        self.held().map(|held| self.form.read(held))
    }

    /// Returns what the set holds, without decoding it.
    pub(crate) fn held(&self) -> impl Iterator<Item = &Slot> {
        self.tables.iter().flatten()
    }

    /// Returns what the set holds. Each is dropped on its turn.
    pub(crate) fn into_held(self) -> impl Iterator<Item = Slot> {
        self.tables.into_iter().flatten()
    }

    pub(crate) fn contains(&self, namespace: &str, name: &str) -> bool {
        self.find(namespace, name).is_some()
    }

    pub(crate) fn get(&self, namespace: &str, name: &str) -> Option<Shared> {
        Some(self.form.read(self.find(namespace, name)?))
    }

    fn find(&self, namespace: &str, name: &str) -> Option<&Slot> {
        let hash = self.form.hash(namespace, name);
        self.tables_of(hash).find_map(|table| {
            self.tables[table].find(spread(hash), |held| is(held, hash, namespace, name))
        })
    }

    /// Returns the tables that may have an object with this hash.
    fn tables_of(&self, hash: u32) -> impl Iterator<Item = usize> + use<> {
        let part = (self.tables.len() > 1).then(|| part(hash));
        std::iter::once(0).chain(part)
    }

    /// Inserts `object` and returns the one it replaces.
    pub(crate) fn insert(&mut self, object: &Shared) -> Option<Shared> {
        let (namespace, name) = names(object.metadata());
        let hash = self.form.hash(namespace, name);
        for table in self.tables_of(hash) {
            let held =
                self.tables[table].find_mut(spread(hash), |held| is(held, hash, namespace, name));
            if let Some(held) = held {
                // Before the new state takes the place of the old one among the decoded objects.
                let old = self.form.see(held);
                *held = self.form.hold(hash, object);
                return Some(old);
            }
        }
        let held = self.form.hold(hash, object);
        self.add(held);
        None
    }

    /// Adds an object, whose namespace and name the set must not have.
    pub(crate) fn add(&mut self, held: Slot) {
        let hash = held.hash();
        let table = if self.tables[0].len() < LARGE {
            0
        } else {
            self.tables.resize_with(1 + PARTS, HashTable::new);
            part(hash)
        };
        self.tables[table].insert_unique(spread(hash), held, |held| spread(held.hash()));
    }

    /// Removes the object of that name. Frees memory once the set has shrunk to a quarter.
    pub(crate) fn remove(&mut self, namespace: &str, name: &str) -> Option<Shared> {
        let hash = self.form.hash(namespace, name);
        for table in self.tables_of(hash) {
            let table = &mut self.tables[table];
            let found = table.find_entry(spread(hash), |held| is(held, hash, namespace, name));
            let Ok(found) = found else {
                continue;
            };
            let (slot, _) = found.remove();
            if table.capacity() > 64 && table.len() < table.capacity() / 4 {
                table.shrink_to(table.len() * 2, |held| spread(held.hash()));
            }
            return Some(self.form.see(&slot));
        }
        None
    }
}
