//! Lists: collects the objects of one, then replaces the content of the cache in slices, so that readers and other tasks get their turn.
use std::{
    collections::{BTreeSet, HashSet},
    sync::atomic::Ordering,
};

use super::{
    error::{DecodeError, Decoded},
    part::Part,
    scope::{Scope, is_earlier},
    state::State,
    tasks::give_way,
};
use crate::cache::{Delta, Form, KeyedSet, ObjectKey, Shared, Store, names, same_state};

/// Number of objects that are decoded or applied at once: a few tenths of a millisecond, also in a compact cache. All tasks of an informer that are ready take a turn
/// before the runtime looks at its timers.
pub(super) const SLICE: usize = 16;

/// An incomplete list.
pub(super) struct Listed {
    objects: KeyedSet,
    unreadable: HashSet<ObjectKey>,
    /// The ranges of objects that it has; `None` for all objects.
    ranges: Option<BTreeSet<u16>>,
}

impl Listed {
    fn new(form: Form, ranges: Option<BTreeSet<u16>>) -> Self {
        Self {
            ranges,
            objects: KeyedSet::new(form),
            unreadable: HashSet::new(),
        }
    }

    /// Returns the number of objects by name, including those that do not decode.
    pub(super) fn len(&self) -> usize {
        self.objects.len() + self.unreadable.len()
    }

    /// Removes an object that was deleted while the list was in progress.
    pub(super) fn remove(&mut self, deleted: Result<ObjectKey, Box<DecodeError>>) {
        if let Some(key) = deleted.map_or_else(|error| error.key, Some) {
            let (namespace, name) = key.parts();
            self.objects.remove(namespace, name);
            self.unreadable.remove(&key);
        }
    }

    fn has(&self, namespace: &str, name: &str) -> bool {
        self.objects.contains(namespace, name)
            || !self.unreadable.is_empty()
                && self
                    .unreadable
                    .contains(&ObjectKey::namespaced(namespace, name))
    }
}

impl State {
    /// Begins a list of the objects of these ranges, or of all.
    pub(super) fn start_list(&self, ranges: Option<BTreeSet<u16>>) -> Listed {
        Listed::new(self.store.read().form(), ranges)
    }

    /// Adds one object to a list in progress. An object that the store holds in the same state is not allocated again.
    pub(super) fn list_one(&self, listed: &mut Listed, decoded: Decoded) {
        match self.accept(decoded) {
            Ok(object) => {
                let (namespace, name) = names(object.metadata());
                let stored = self.store.read().get(namespace, name);
                let stored = stored.filter(|stored| same_state(&**stored, &*object));
                listed.objects.insert(&stored.unwrap_or(object));
            }
            Err(key) => listed.unreadable.extend(key),
        }
    }

    /// Replaces the content of a scope by a complete list, in slices.
    pub(super) async fn replace(&self, scope: &Scope, listed: Listed, version: &str) {
        {
            let mut metrics = self.metrics.lock();
            metrics.lists += 1;
            metrics.items_per_list.observe_items(listed.objects.len());
        }
        self.received();
        if is_earlier(version, &scope.version()) {
            // After a restore of etcd, own writes of later versions may be lost.
            self.end_writes(&self.listeners.lock(), |store| {
                store.forget_writes(scope.namespace.as_deref());
            });
        }
        let number = version.parse().unwrap_or(u64::MAX);
        self.listed.fetch_max(number, Ordering::AcqRel);
        let part = scope.part.get();
        let before = match part {
            // The cache had none of its objects.
            Some(part) if part.joins => Vec::new(),
            _ => self.store.read().within(scope.namespace.as_deref()),
        };
        let was_listed = |object: Option<Shared>| match (part, &listed.ranges) {
            (Some(part), Some(ranges)) => {
                object.is_some_and(|object| ranges.contains(&part.range_of(object.metadata())))
            }
            _ => true,
        };
        let form = self.store.read().form();
        let mut objects = listed.objects.held();
        while self.change(objects.by_ref().take(SLICE), |store, held| {
            if part.is_none()
                && let Some(delta) = store.list(held)
            {
                return Some(delta);
            }
            let object = form.see(held);
            scope.has(object.metadata()).then(|| store.relist(object))
        }) {
            give_way().await;
        }
        let mut all = before.iter();
        while self.change(all.by_ref().take(SLICE), |store, held| {
            let (namespace, name) = held.names();
            let gone = !listed.has(namespace, name) && was_listed(store.get(namespace, name));
            gone.then(|| store.delete_by_key(&ObjectKey::namespaced(namespace, name), version))?
        }) {
            give_way().await;
        }
        drop(objects);
        self.complete(scope, listed.ranges.as_ref(), version);
        scope.set_synced();
        self.update_synced();
        self.served();
        self.report_panics();
        // Also to drop 100,000 shared objects takes a while.
        let mut rest = listed.objects.into_held().chain(before);
        while rest.by_ref().take(SLICE).count() > 0 {
            give_way().await;
        }
    }

    /// Records that the cache has a list of these ranges, or of all objects.
    fn complete(&self, scope: &Scope, ranges: Option<&BTreeSet<u16>>, version: &str) {
        let listeners = self.listeners.lock();
        let version = match (scope.part.get(), ranges) {
            (Some(part), Some(ranges)) => part.listed(ranges, version, &scope.version()),
            _ => version.to_owned(),
        };
        scope.set_version(&version);
        // The own writes are those of the watch that it joins.
        if scope.part.get().is_none_or(|part| !part.joins) {
            self.advance(&listeners, scope, &version);
        }
    }

    /// Removes the objects of a scope that has ended.
    pub(super) async fn forget(&self, scope: &Scope) {
        let before = self.store.read().within(scope.namespace.as_deref());
        let mut before = before.iter();
        while self.change(before.by_ref().take(SLICE), |store, held| {
            let (namespace, name) = held.names();
            store.delete_by_key(&ObjectKey::namespaced(namespace, name), "")
        }) {
            give_way().await;
        }
        self.end_writes(&self.listeners.lock(), |store| {
            store.forget_writes(scope.namespace.as_deref());
        });
    }

    /// Removes the objects of ranges that this process does not need any more.
    pub(super) async fn forget_ranges(&self, ranges: &BTreeSet<u16>, part: &Part) {
        let before = {
            let _listeners = self.listeners.lock();
            self.store.read().within(None)
        };
        let form = self.store.read().form();
        let mut before = before.into_iter();
        while self.change(before.by_ref().take(SLICE), |store, held| {
            if !ranges.contains(&part.range_of(form.read(&held).metadata())) {
                return None;
            }
            let (namespace, name) = held.names();
            store.delete_by_key(&ObjectKey::namespaced(namespace, name), "")
        }) {
            give_way().await;
        }
    }

    /// Changes the store once for each of `objects`, then notifies the listeners. Returns `false` if there were none.
    fn change<T>(
        &self,
        objects: impl Iterator<Item = T>,
        mut change: impl FnMut(&mut Store, T) -> Option<Delta>,
    ) -> bool {
        let listeners = self.listeners.lock();
        let mut store = self.store.write();
        let mut any = false;
        let notices: Vec<_> = objects
            .inspect(|_| any = true)
            .filter_map(|object| change(&mut store, object))
            .map(|delta| listeners.notice(delta))
            .collect();
        let vanished = store.take_vanished();
        drop(store);
        listeners.notify_vanished(vanished);
        for notice in &notices {
            listeners.send(notice);
        }
        any
    }
}
