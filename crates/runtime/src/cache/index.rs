//! A named index: the objects of each value that a function returns.
use std::collections::HashMap;

use super::{AnyObject, Shared, codec::Form, keyed_set::KeyedSet, names};
use crate::panics;

/// Returns the values under which an object is found. It must always return the same values for the same object.
pub(super) type IndexFn = Box<dyn Fn(&dyn AnyObject) -> Vec<String> + Send + Sync>;

/// The objects of each value of one index function.
pub(super) struct Index {
    values_of: IndexFn,
    buckets: HashMap<String, KeyedSet>,
}

impl Index {
    pub(super) fn new(values_of: IndexFn) -> Self {
        Self {
            values_of,
            buckets: HashMap::new(),
        }
    }

    /// Adds `object`. If the function panics, the object is left out of this index, and the message of the panic is returned.
    pub(super) fn insert(&mut self, object: &Shared, form: &Form) -> Result<(), String> {
        for value in panics::catch(|| (self.values_of)(&**object))? {
            self.buckets
                .entry(value)
                .or_insert_with(|| KeyedSet::new(form.clone()))
                .insert(object);
        }
        Ok(())
    }

    pub(super) fn remove(&mut self, object: &Shared) {
        let (namespace, name) = names(object.metadata());
        // A function that panics now may have returned values before.
        let values = panics::catch(|| (self.values_of)(&**object))
            .unwrap_or_else(|_| self.buckets.keys().cloned().collect());
        for value in values {
            if let Some(bucket) = self.buckets.get_mut(&value) {
                bucket.remove(namespace, name);
                if bucket.is_empty() {
                    self.buckets.remove(&value);
                }
            }
        }
    }

    /// Returns the objects that have `value`.
    pub(super) fn get(&self, value: &str) -> impl Iterator<Item = Shared> {
        self.buckets.get(value).into_iter().flat_map(KeyedSet::iter)
    }

    /// Returns the values that at least one object has.
    pub(super) fn values(&self) -> impl Iterator<Item = &String> {
        self.buckets.keys()
    }
}
