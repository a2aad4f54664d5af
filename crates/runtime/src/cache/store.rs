//! Objects by namespace, and their indexes. Each change returns what it changed.
use std::{
    collections::{HashMap, HashSet},
    hash::RandomState,
    mem,
    sync::Arc,
};

use kube::Resource;
use thiserror::Error;

use super::{
    index::Index,
    keyed_set::KeyedSet,
    object::{ObjectKey, names, same_version},
};

/// Name of the index by namespace, which every informer has from the start.
pub const NAMESPACE_INDEX: &str = "namespace";

/// An index could not be added or read.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum IndexError {
    /// No index has this name.
    #[error("there is no index \"{0}\"")]
    Unknown(String),
    /// Another index already has this name.
    #[error("there already is an index \"{0}\"")]
    Exists(String),
}

/// One change of the store.
pub(crate) enum Delta<K> {
    /// The object is new.
    Added(Arc<K>),
    /// The second object replaces the first: another state, or another object of the same name (then the uid differs).
    Updated(Arc<K>, Arc<K>),
    /// A relist found the object unchanged.
    Unchanged(Arc<K>),
    /// The object is gone. `true` if its final state is unknown (tombstone).
    Deleted(Arc<K>, bool),
}

/// All objects of an informer. Its first level is the index by namespace.
pub(crate) struct Store<K> {
    namespaces: HashMap<Box<str>, KeyedSet<K>>,
    indexes: HashMap<String, Index<K>>,
    hasher: RandomState,
    len: usize,
}

impl<K: Resource> Store<K> {
    pub(crate) fn new() -> Self {
        Self {
            namespaces: HashMap::new(),
            indexes: HashMap::new(),
            hasher: RandomState::new(),
            len: 0,
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Returns the number of namespaces with objects. Cluster-scoped objects count as one.
    pub(crate) fn namespaces(&self) -> usize {
        self.namespaces.len()
    }

    pub(crate) fn get(&self, namespace: &str, name: &str) -> Option<&Arc<K>> {
        self.namespaces.get(namespace)?.get(namespace, name)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Arc<K>> {
        self.namespaces.values().flat_map(KeyedSet::iter)
    }

    pub(crate) fn in_namespace(&self, namespace: &str) -> impl Iterator<Item = &Arc<K>> {
        self.namespaces
            .get(namespace)
            .into_iter()
            .flat_map(KeyedSet::iter)
    }

    /// Adds an index over the stored objects and all later ones.
    pub(crate) fn add_index(
        &mut self,
        name: String,
        values_of: impl Fn(&K) -> Vec<String> + Send + Sync + 'static,
    ) -> Result<(), IndexError> {
        if name == NAMESPACE_INDEX || self.indexes.contains_key(&name) {
            return Err(IndexError::Exists(name));
        }
        let mut index = Index::new(Box::new(values_of));
        for object in self.iter() {
            index.insert(object, &self.hasher);
        }
        self.indexes.insert(name, index);
        Ok(())
    }

    /// Returns the objects that have `value` in the index `name`.
    pub(crate) fn by_index(&self, name: &str, value: &str) -> Result<Vec<Arc<K>>, IndexError> {
        if name == NAMESPACE_INDEX {
            return Ok(self.in_namespace(value).cloned().collect());
        }
        Ok(self.index(name)?.get(value).cloned().collect())
    }

    /// Returns the values of the index `name` that at least one object has.
    pub(crate) fn index_values(&self, name: &str) -> Result<Vec<String>, IndexError> {
        if name == NAMESPACE_INDEX {
            return Ok(self.namespaces.keys().map(ToString::to_string).collect());
        }
        Ok(self.index(name)?.values().cloned().collect())
    }

    fn index(&self, name: &str) -> Result<&Index<K>, IndexError> {
        self.indexes
            .get(name)
            .ok_or_else(|| IndexError::Unknown(name.to_owned()))
    }

    /// Stores an object from the watch.
    pub(crate) fn apply(&mut self, object: Arc<K>) -> Delta<K> {
        match self.insert(&object) {
            Some(old) => Delta::Updated(old, object),
            None => Delta::Added(object),
        }
    }

    /// Removes an object whose final state is `last`. Returns `None` if it was not stored.
    pub(crate) fn delete(&mut self, last: Arc<K>) -> Option<Delta<K>> {
        let (namespace, name) = names(&*last);
        self.remove(namespace, name)?;
        Some(Delta::Deleted(last, false))
    }

    /// Removes an object whose final state is unknown.
    pub(crate) fn delete_by_key(&mut self, key: &ObjectKey) -> Option<Delta<K>> {
        let last = self.remove(key.namespace_or_empty(), &key.name)?;
        Some(Delta::Deleted(last, true))
    }

    /// Replaces the content by `listed`. Objects in `unreadable` still exist, so they keep their last good state.
    ///
    /// An unchanged object keeps its allocation: a relist does not double what readers hold.
    pub(crate) fn replace(
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
#[path = "tests.rs"]
mod tests;
