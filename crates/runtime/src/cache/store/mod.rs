//! Objects by namespace, and their indexes. Each change returns what it changed.
mod overlay;

use std::{collections::BTreeMap, mem};

use kube::core::{Selector, SelectorExt};
use thiserror::Error;

use super::{
    codec::{Form, Slot},
    index::{Index, IndexFn},
    keyed_set::KeyedSet,
    object::{ObjectKey, Read, Shared, names},
};
pub(crate) use overlay::SWEEP;
use overlay::{Delivery, Overlay};

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
pub(crate) enum Delta {
    /// The object is new.
    Added(Shared),
    /// A list has a new object, which was not decoded again.
    Listed(Slot),
    /// The second object replaces the first: another state, or another object of the same name (then the uid differs).
    Updated(Shared, Shared),
    /// A relist found the object unchanged.
    Unchanged(Shared),
    /// The object is gone. `true` if its final state is unknown (tombstone).
    Deleted(Shared, bool),
}

/// All objects of an informer. Its first level is the index by namespace.
pub(crate) struct Store {
    namespaces: BTreeMap<Box<str>, KeyedSet>,
    indexes: BTreeMap<String, Index>,
    form: Form,
    len: usize,
    panics: Vec<IndexPanic>,
    overlay: Overlay,
}

/// An index function panicked, so the index does not have the object.
pub(crate) struct IndexPanic {
    pub(crate) index: String,
    pub(crate) key: ObjectKey,
    pub(crate) message: String,
}

impl Store {
    /// Creates an empty store, which holds its objects compressed if `compact`.
    pub(crate) fn new(compact: bool, read: Read) -> Self {
        Self {
            namespaces: BTreeMap::new(),
            indexes: BTreeMap::new(),
            form: Form::new(compact, read),
            len: 0,
            panics: Vec::new(),
            overlay: Overlay::new(),
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Returns the number of namespaces with objects. Cluster-scoped objects count as one.
    pub(crate) fn namespaces(&self) -> usize {
        self.namespaces.len()
    }

    pub(crate) fn get(&self, namespace: &str, name: &str) -> Option<Shared> {
        self.namespaces.get(namespace)?.get(namespace, name)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = Shared> {
        self.namespaces.values().flat_map(KeyedSet::iter)
    }

    pub(crate) fn in_namespace(&self, namespace: &str) -> impl Iterator<Item = Shared> {
        self.namespaces
            .get(namespace)
            .into_iter()
            .flat_map(KeyedSet::iter)
    }

    /// Returns the objects of one namespace or of all, whose labels match if there is a selector.
    pub(crate) fn select(
        &self,
        namespace: Option<&str>,
        selector: Option<&Selector>,
    ) -> Vec<Shared> {
        let no_labels = BTreeMap::new();
        let selects = |object: &Shared| {
            let labels = object.metadata().labels.as_ref();
            selector.is_none_or(|one| one.matches(labels.unwrap_or(&no_labels)))
        };
        match namespace {
            Some(namespace) => self.in_namespace(namespace).filter(selects).collect(),
            None => self.iter().filter(selects).collect(),
        }
    }

    /// Returns what the store holds of the objects of one namespace, or of all of them, as the watch has delivered them.
    pub(crate) fn within(&self, namespace: Option<&str>) -> Vec<Slot> {
        let is_within = |one: &str| namespace.is_none_or(|namespace| namespace == one);
        let sets = self.namespaces.iter().filter(|(name, _)| is_within(name));
        let held = sets.flat_map(|(_, set)| set.held());
        let observed = self.overlay.observed();
        let observed = observed.filter(|object| is_within(names(object.metadata()).0));
        held.filter(|held| !self.overlay.has(held.names()))
            .cloned()
            .chain(observed.map(|object| self.form.held(object)))
            .collect()
    }

    /// Returns how the store holds its objects.
    pub(crate) fn form(&self) -> Form {
        self.form.clone()
    }

    pub(crate) fn has_panics(&self) -> bool {
        !self.panics.is_empty()
    }

    /// Returns the panics of index functions since the last call.
    pub(crate) fn take_panics(&mut self) -> Vec<IndexPanic> {
        mem::take(&mut self.panics)
    }

    /// Adds an index over the stored objects and all later ones.
    pub(crate) fn add_index(&mut self, name: String, values_of: IndexFn) -> Result<(), IndexError> {
        if name == NAMESPACE_INDEX || self.indexes.contains_key(&name) {
            return Err(IndexError::Exists(name));
        }
        let mut index = Index::new(values_of);
        let mut panics = Vec::new();
        for object in self.iter() {
            if let Err(message) = index.insert(&object, &self.form) {
                panics.push(IndexPanic::new(&name, &object, message));
            }
        }
        self.panics.append(&mut panics);
        self.indexes.insert(name, index);
        Ok(())
    }

    /// Returns the objects that have `value` in the index `name`.
    pub(crate) fn by_index(&self, name: &str, value: &str) -> Result<Vec<Shared>, IndexError> {
        if name == NAMESPACE_INDEX {
            return Ok(self.in_namespace(value).collect());
        }
        Ok(self.index(name)?.get(value).collect())
    }

    /// Returns the values of the index `name` that at least one object has, sorted.
    pub(crate) fn index_values(&self, name: &str) -> Result<Vec<String>, IndexError> {
        if name == NAMESPACE_INDEX {
            return Ok(self.namespaces.keys().map(ToString::to_string).collect());
        }
        let mut values: Vec<_> = self.index(name)?.values().cloned().collect();
        values.sort_unstable();
        Ok(values)
    }

    fn index(&self, name: &str) -> Result<&Index, IndexError> {
        self.indexes
            .get(name)
            .ok_or_else(|| IndexError::Unknown(name.to_owned()))
    }

    /// Stores an object from the watch. Returns `None` if the watch has delivered a later state of its name.
    pub(crate) fn apply(&mut self, object: Shared) -> Option<Delta> {
        if self.has_observed_later(&*object) {
            return None;
        }
        let before = match self.deliver(&object) {
            Some(Delivery::Older(before)) => before,
            Some(Delivery::Passed(before)) => {
                self.insert(&object);
                before
            }
            // Only the insertion reads what is stored: to read it before costs a compact cache as much again.
            None => match self.insert(&object) {
                Some(before) if overlay::is_later(&*before, &*object) => {
                    self.insert(&before);
                    return None;
                }
                before => before,
            },
        };
        Some(overlay::change(before, object))
    }

    /// Removes an object whose final state is `last`. Returns `None` if it was not stored, or the watch has delivered a later state of its name.
    pub(crate) fn delete(&mut self, last: Shared) -> Option<Delta> {
        if self.has_observed_later(&*last) {
            return None;
        }
        let delivery = self.deliver_deletion(&*last);
        let is_written = delivery.is_some();
        let (namespace, name) = names(last.metadata());
        let before = self.withdraw(delivery, namespace, name)?;
        if !is_written && overlay::is_later(&*before, &*last) {
            self.insert(&before);
            return None;
        }
        Some(Delta::Deleted(last, false))
    }

    /// Removes an object whose final state is unknown, since a list of `version` does not have it; an empty version is the newest.
    pub(crate) fn delete_by_key(&mut self, key: &ObjectKey, version: &str) -> Option<Delta> {
        let delivery = self.deliver_absence(key, version);
        let (namespace, name) = key.parts();
        let last = self.withdraw(delivery, namespace, name)?;
        Some(Delta::Deleted(last, true))
    }

    /// Stores an object from a relist. An unchanged one keeps its allocation: a relist does not double what readers hold.
    pub(crate) fn relist(&mut self, object: Shared) -> Delta {
        let before = match self.deliver(&object) {
            Some(Delivery::Older(before)) => before,
            Some(Delivery::Passed(before)) => {
                self.insert(&object);
                before
            }
            None => {
                let (namespace, name) = names(object.metadata());
                let delta = overlay::relisted(self.get(namespace, name), object);
                if let Delta::Added(object) | Delta::Updated(_, object) = &delta {
                    self.insert(object);
                }
                return delta;
            }
        };
        overlay::relisted(before, object)
    }

    /// Stores a new object of a relist, as the list holds it. Returns `None` if there is more to do than that.
    pub(crate) fn list(&mut self, held: &Slot) -> Option<Delta> {
        let (namespace, name) = held.names();
        let set = self.namespaces.get_mut(namespace);
        if !self.indexes.is_empty()
            || self.overlay.has_any()
            || set
                .as_ref()
                .is_some_and(|set| set.contains(namespace, name))
        {
            return None;
        }
        if let Some(set) = set {
            set.add(held.clone());
        } else {
            let mut set = KeyedSet::new(self.form.clone());
            set.add(held.clone());
            self.namespaces.insert(namespace.into(), set);
        }
        self.len += 1;
        Some(Delta::Listed(held.clone()))
    }

    /// Removes an object, unless a later write of it is shown. Returns its last state that the watch has delivered.
    fn withdraw(
        &mut self,
        delivery: Option<Delivery>,
        namespace: &str,
        name: &str,
    ) -> Option<Shared> {
        match delivery {
            Some(Delivery::Older(last)) => last,
            Some(Delivery::Passed(last)) => {
                self.remove(namespace, name);
                last
            }
            None => self.remove(namespace, name),
        }
    }

    fn insert(&mut self, object: &Shared) -> Option<Shared> {
        let (namespace, _) = names(object.metadata());
        let old = if let Some(set) = self.namespaces.get_mut(namespace) {
            set.insert(object)
        } else {
            let mut set = KeyedSet::new(self.form.clone());
            set.insert(object);
            self.namespaces.insert(namespace.into(), set);
            None
        };
        for (name, index) in &mut self.indexes {
            if let Some(old) = &old {
                index.remove(old);
            }
            if let Err(message) = index.insert(object, &self.form) {
                self.panics.push(IndexPanic::new(name, object, message));
            }
        }
        self.len += usize::from(old.is_none());
        old
    }

    fn remove(&mut self, namespace: &str, name: &str) -> Option<Shared> {
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

impl IndexPanic {
    fn new(index: &str, object: &Shared, message: String) -> Self {
        Self {
            index: index.to_owned(),
            key: ObjectKey::of_meta(object.metadata()),
            message,
        }
    }
}

#[cfg(test)]
mod tests;
