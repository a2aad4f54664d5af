//! `Value` for `Box`, `Option`, `Vec` and `BTreeMap` of values, and for raw JSON.
use std::collections::{BTreeMap, btree_map::Entry};

use crate::value::{List, Map, Optional, Slot, Value, View};

/// The limit of bytes reserved for a list whose length the document announces.
const ANNOUNCED: usize = 64 * 1024;

impl<T: Value> Value for Box<T> {
    #[inline]
    fn blank() -> Self {
        Box::new(T::blank())
    }
    #[inline]
    fn view(&self) -> View<'_> {
        (**self).view()
    }
    #[inline]
    fn slot(&mut self) -> Slot<'_> {
        (**self).slot()
    }
    #[inline]
    fn null() -> Option<Self> {
        T::null().map(Box::new)
    }
}

impl<T: Value> Value for Option<T> {
    #[inline]
    fn blank() -> Self {
        None
    }
    #[inline]
    fn view(&self) -> View<'_> {
        match self {
            Some(value) => value.view(),
            None => View::Absent,
        }
    }
    #[inline]
    fn slot(&mut self) -> Slot<'_> {
        T::slot_of(self)
    }
}

impl<T: Value> Optional for Option<T> {
    fn set_null(&mut self) {
        *self = T::null();
    }
    fn set_blank(&mut self) -> Slot<'_> {
        self.insert(T::blank()).slot()
    }
}

impl<T: Value> Value for Vec<T> {
    #[inline]
    fn blank() -> Self {
        Vec::new()
    }
    #[inline]
    fn view(&self) -> View<'_> {
        View::List(self)
    }
    #[inline]
    fn slot(&mut self) -> Slot<'_> {
        Slot::List(self)
    }
}

impl<T: Value> List for Vec<T> {
    fn len(&self) -> usize {
        self.len()
    }
    fn get(&self, index: usize) -> View<'_> {
        self.as_slice()
            .get(index)
            .map_or(View::Absent, |item| match item.view() {
                View::Absent => View::Null,
                view => view,
            })
    }
    fn clear(&mut self, announced: usize) {
        *self = Vec::with_capacity(announced.min(ANNOUNCED / size_of::<T>().max(1)));
    }
    fn push(&mut self) -> Slot<'_> {
        // Lists in objects are short: the usual minimum of four items would waste most of the heap.
        if self.len() == self.capacity() {
            self.reserve_exact(self.len().max(1));
        }
        self.push(T::blank());
        self.last_mut().map_or(Slot::Skip, Value::slot)
    }
}

impl<T: Value> Value for BTreeMap<String, T> {
    #[inline]
    fn blank() -> Self {
        BTreeMap::new()
    }
    #[inline]
    fn view(&self) -> View<'_> {
        View::Map(self)
    }
    #[inline]
    fn slot(&mut self) -> Slot<'_> {
        Slot::Map(self)
    }
}

impl<T: Value> Map for BTreeMap<String, T> {
    fn len(&self) -> usize {
        self.len()
    }
    fn get(&self, key: &str) -> View<'_> {
        self.get(key).map_or(View::Absent, Value::view)
    }
    fn each<'a>(&'a self, out: &mut dyn FnMut(&'a str, View<'a>) -> bool) {
        for (key, value) in self {
            if !out(key, value.view()) {
                return;
            }
        }
    }
    fn clear(&mut self) {
        *self = BTreeMap::new();
    }
    fn insert(&mut self, key: &str) -> Slot<'_> {
        match self.entry(key.to_owned()) {
            Entry::Vacant(entry) => entry.insert(T::blank()).slot(),
            Entry::Occupied(entry) => {
                let value = entry.into_mut();
                *value = T::blank();
                value.slot()
            }
        }
    }
}

impl Value for serde_json::Value {
    #[inline]
    fn blank() -> Self {
        Self::Null
    }
    #[inline]
    fn view(&self) -> View<'_> {
        View::Json(self)
    }
    #[inline]
    fn slot(&mut self) -> Slot<'_> {
        Slot::Json(self)
    }
    #[inline]
    fn null() -> Option<Self> {
        Some(Self::Null)
    }
}
