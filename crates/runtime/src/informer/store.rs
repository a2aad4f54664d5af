//! Objects by namespace and their indexes: deltas come out of every change. Knows nothing of servers, handlers or locks.
use super::{
    index::Index,
    keyed_set::KeyedSet,
    object::{ObjectKey, names, same_version},
};
use kube::Resource;
use std::{
    collections::{HashMap, HashSet},
    hash::RandomState,
    mem,
    sync::Arc,
};

/// One change of the store, in the order in which handlers must hear of it.
pub(super) enum Delta<K> {
    /// The object was not there before.
    Added(Arc<K>),
    /// The object took the place of another state of it, or of another object of that name (then the uid differs).
    Updated(Arc<K>, Arc<K>),
    /// A relist found the object as it was.
    Unchanged(Arc<K>),
    /// The object is gone; `true` if only a relist told so, so that its last state may never have been seen.
    Deleted(Arc<K>, bool),
}

/// All objects of an informer. The namespace index is its first level.
pub(super) struct Store<K> {
    namespaces: HashMap<Box<str>, KeyedSet<K>>,
    indexes: HashMap<String, Index<K>>,
    hasher: RandomState,
    len: usize,
}

impl<K: Resource> Store<K> {
    pub(super) fn new() -> Self {
        Self {
            namespaces: HashMap::new(),
            indexes: HashMap::new(),
            hasher: RandomState::new(),
            len: 0,
        }
    }

    pub(super) fn len(&self) -> usize {
        self.len
    }

    pub(super) fn get(&self, namespace: &str, name: &str) -> Option<&Arc<K>> {
        self.namespaces.get(namespace)?.get(namespace, name)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Arc<K>> {
        self.namespaces.values().flat_map(KeyedSet::iter)
    }

    pub(super) fn in_namespace(&self, namespace: &str) -> impl Iterator<Item = &Arc<K>> {
        self.namespaces
            .get(namespace)
            .into_iter()
            .flat_map(KeyedSet::iter)
    }

    /// All namespaces in which there is an object.
    pub(super) fn namespaces(&self) -> impl Iterator<Item = &str> {
        self.namespaces.keys().map(|namespace| &**namespace)
    }

    pub(super) fn index(&self, name: &str) -> Option<&Index<K>> {
        self.indexes.get(name)
    }

    /// Adds an index over what is stored now and later; `false` if the name is taken.
    pub(super) fn add_index(&mut self, name: String, mut index: Index<K>) -> bool {
        if self.indexes.contains_key(&name) {
            return false;
        }
        for object in self.iter() {
            index.insert(object, &self.hasher);
        }
        self.indexes.insert(name, index);
        true
    }

    /// Stores a state that the watch told.
    pub(super) fn apply(&mut self, object: Arc<K>) -> Delta<K> {
        match self.insert(&object) {
            Some(old) => Delta::Updated(old, object),
            None => Delta::Added(object),
        }
    }

    /// Removes an object of which the watch told its final state; `None` if it was not there.
    pub(super) fn delete(&mut self, last: Arc<K>) -> Option<Delta<K>> {
        let (namespace, name) = names(&*last);
        self.remove(namespace, name)?;
        Some(Delta::Deleted(last, false))
    }

    /// Removes an object of which no more than the name is known.
    pub(super) fn delete_unseen(&mut self, key: &ObjectKey) -> Option<Delta<K>> {
        let last = self.remove(key.namespace_or_empty(), &key.name)?;
        Some(Delta::Deleted(last, true))
    }

    /// Makes `listed` the whole content, but for objects named in `unreadable`: they exist, so their last good state stays.
    ///
    /// An object that is unchanged keeps its allocation, so that a relist does not double what readers hold.
    pub(super) fn replace(
        &mut self,
        listed: Vec<Arc<K>>,
        unreadable: &HashSet<ObjectKey>,
    ) -> Vec<Delta<K>> {
        let mut before = mem::take(&mut self.namespaces);
        self.indexes.values_mut().for_each(Index::clear);
        self.len = 0;
        let mut deltas = Vec::with_capacity(listed.len());
        for object in listed {
            let (namespace, name) = names(&*object);
            let old = before
                .get_mut(namespace)
                .and_then(|set| set.remove(namespace, name));
            deltas.push(match old {
                Some(old) if same_version(&*old, &*object) => {
                    self.insert(&old);
                    Delta::Unchanged(old)
                }
                Some(old) => {
                    self.insert(&object);
                    Delta::Updated(old, object)
                }
                None => self.apply(object),
            });
        }
        for gone in before.into_values().flatten() {
            if unreadable.contains(&ObjectKey::of(&*gone)) {
                self.insert(&gone);
            } else {
                deltas.push(Delta::Deleted(gone, true));
            }
        }
        deltas
    }

    fn insert(&mut self, object: &Arc<K>) -> Option<Arc<K>> {
        let (namespace, _) = names(&**object);
        let old = if let Some(set) = self.namespaces.get_mut(namespace) {
            set.insert(Arc::clone(object))
        } else {
            let mut set = KeyedSet::new(self.hasher.clone());
            set.insert(Arc::clone(object));
            self.namespaces.insert(namespace.into(), set);
            None
        };
        for index in self.indexes.values_mut() {
            if let Some(old) = &old {
                index.remove(old);
            }
            index.insert(object, &self.hasher);
        }
        self.len += usize::from(old.is_none());
        old
    }

    fn remove(&mut self, namespace: &str, name: &str) -> Option<Arc<K>> {
        let set = self.namespaces.get_mut(namespace)?;
        let old = set.remove(namespace, name)?;
        if set.is_empty() {
            self.namespaces.remove(namespace);
        }
        for index in self.indexes.values_mut() {
            index.remove(&old);
        }
        self.len -= 1;
        Some(old)
    }
}

#[cfg(test)]
#[path = "store_tests.rs"]
mod tests;
