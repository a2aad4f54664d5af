//! Writes of this process that the watch has not delivered yet: the store shows them at once, and remembers what the watch has delivered.
//!
//! Handlers get the watch's changes alone. So each pending key has two states: the shown one, which is in the store, and the observed one. The last
//! written state is kept for handlers, if the object is gone before the watch delivers anything of it.
use std::{collections::BTreeMap, mem, sync::Arc};

use tokio::time::{Duration, Instant};

use super::{Delta, Store};
use crate::cache::object::{AnyObject, ObjectKey, Shared, same_state};

/// Longest time for which a write is shown that the watch does not deliver.
const EXPIRY: Duration = Duration::from_secs(300);
/// The same for the deletion of an object that the watch has not delivered: it may have delivered the deletion already.
const UNSEEN_EXPIRY: Duration = Duration::from_secs(30);
/// Time between two searches for expired writes.
pub(crate) const SWEEP: Duration = Duration::from_secs(10);

/// The pending writes of a store.
pub(super) struct Overlay {
    by_key: BTreeMap<ObjectKey, Pending>,
    /// The keys of writes by namespace of their list and watch, and by version.
    by_version: BTreeMap<(Option<String>, u64), ObjectKey>,
    /// Written objects that are gone, and of which the watch has delivered nothing.
    vanished: Vec<Shared>,
    swept: Instant,
}

struct Pending {
    /// What the watch has delivered.
    observed: Option<Shared>,
    /// The last written state.
    written: Option<Shared>,
    until: Until,
    /// The highest version that this process knows of the name.
    newest: u64,
    scope: Option<String>,
    since: Instant,
}

/// What ends a pending write.
enum Until {
    /// The watch has delivered everything up to this resource version.
    Version(u64),
    /// The watch has delivered the deletion of the object with this uid. The server does not say in which version it was deleted.
    Deleted(String),
}

impl Pending {
    /// Whether the watch's state `object` is the written one, or a later one.
    fn is_passed_by(&self, object: &dyn AnyObject) -> bool {
        match &self.until {
            Until::Version(version) => number(object).is_none_or(|number| number >= *version),
            // The watch may still deliver earlier states, of an object that had the name before.
            Until::Deleted(uid) => {
                object.metadata().uid.as_ref() != Some(uid)
                    && number(object).is_none_or(|number| number > self.newest)
            }
        }
    }

    /// The version that the watch has to reach.
    fn version(&self) -> u64 {
        match self.until {
            Until::Version(version) => version,
            Until::Deleted(_) => self.newest,
        }
    }
}

impl Overlay {
    pub(super) fn new() -> Self {
        Self {
            by_key: BTreeMap::new(),
            by_version: BTreeMap::new(),
            vanished: Vec::new(),
            swept: Instant::now(),
        }
    }

    /// Whether a write is pending.
    pub(super) fn has_any(&self) -> bool {
        !self.by_key.is_empty()
    }

    /// Whether a write of the object with this namespace and name is pending.
    pub(super) fn has(&self, (namespace, name): (&str, &str)) -> bool {
        let key = || ObjectKey::namespaced(namespace, name);
        !self.by_key.is_empty() && self.by_key.contains_key(&key())
    }

    /// Returns what the watch has delivered of the objects with a pending write.
    pub(super) fn observed(&self) -> impl Iterator<Item = &Shared> {
        let pending = self.by_key.values();
        pending.filter_map(|one| one.observed.as_ref())
    }

    fn remove(&mut self, key: &ObjectKey) -> Option<Pending> {
        let pending = self.by_key.remove(key)?;
        if let Until::Version(version) = pending.until {
            self.by_version.remove(&(pending.scope.clone(), version));
        }
        Some(pending)
    }

    /// Ends a write and returns what the watch delivered before `successor`, the object that it has delivered now. A written object that
    /// readers have seen, and handlers never will, is noted.
    fn end(&mut self, pending: Pending, successor: Option<&dyn AnyObject>) -> Option<Shared> {
        let uid = |object: &dyn AnyObject| object.metadata().uid.clone();
        if pending.observed.is_none()
            && let Some(written) = pending.written
            && successor.is_none_or(|successor| uid(successor) != uid(&*written))
        {
            self.vanished.push(written);
        }
        pending.observed
    }
}

/// What the watch delivers of an object with a pending write.
pub(super) enum Delivery {
    /// It has passed the write: the store takes the watch's state. Handlers have seen this state before.
    Passed(Option<Shared>),
    /// It is older than the write: the store keeps showing the write. Handlers have seen this state before.
    Older(Option<Shared>),
}

impl Store {
    /// Shows `object`, as this process wrote it, or hides it if the informer no longer selects it. `seen` is the version up to which its list
    /// and watch, that of namespace `scope`, has delivered everything.
    ///
    /// Ignores what the watch has delivered already, and versions that are not numbers, which cannot be compared.
    pub(crate) fn write(&mut self, scope: Option<&str>, seen: &str, object: Shared, shown: bool) {
        let Some(version) = number(&*object) else {
            return;
        };
        let key = ObjectKey::of_meta(object.metadata());
        let is_known = if let Some(pending) = self.overlay.by_key.get(&key) {
            let is_deleted = matches!(&pending.until, Until::Deleted(uid) if object.metadata().uid.as_ref() == Some(uid));
            pending.newest >= version || is_deleted
        } else {
            let stored = self.find(&key);
            stored.is_some_and(|stored| number(&*stored).is_none_or(|n| n >= version))
        };
        if is_known || parse(seen).is_none_or(|seen| seen >= version) {
            return;
        }
        let stored = shown.then_some(object);
        self.hold(key, scope, Until::Version(version), stored);
    }

    /// Hides an object that is gone: this process has deleted it, or the server has said so.
    pub(crate) fn write_deleted(&mut self, scope: Option<&str>, key: ObjectKey, uid: &str) {
        let is_another = self
            .find(&key)
            .is_some_and(|stored| stored.metadata().uid.as_deref() != Some(uid));
        if !is_another {
            self.hold(key, scope, Until::Deleted(uid.to_owned()), None);
        }
    }

    /// Ends the writes of a list and watch that has delivered everything up to `version`.
    pub(crate) fn settle(&mut self, scope: Option<&str>, version: &str) {
        if self.overlay.by_key.is_empty() {
            return;
        }
        if let Some(version) = parse(version) {
            let scope = scope.map(str::to_owned);
            while let Some((_, key)) = self
                .overlay
                .by_version
                .range((scope.clone(), 0)..=(scope.clone(), version))
                .next()
            {
                let key = key.clone();
                self.revert(&key);
            }
        }
        self.sweep();
    }

    /// Ends all writes of a list and watch that starts again, or ends.
    pub(crate) fn forget_writes(&mut self, scope: Option<&str>) {
        let pending = self.overlay.by_key.iter();
        let keys: Vec<_> = pending
            .filter(|(_, pending)| pending.scope.as_deref() == scope)
            .map(|(key, _)| key.clone())
            .collect();
        for key in &keys {
            self.revert(key);
        }
    }

    pub(crate) fn pending_writes(&self) -> usize {
        self.overlay.by_key.len()
    }

    pub(crate) fn has_vanished(&self) -> bool {
        !self.overlay.vanished.is_empty()
    }

    /// Returns the written objects that are gone, and of which the watch has delivered nothing, since the last call.
    pub(crate) fn take_vanished(&mut self) -> Vec<Shared> {
        mem::take(&mut self.overlay.vanished)
    }

    /// Returns the age of the oldest pending write.
    pub(crate) fn oldest_pending_write(&self) -> Option<Duration> {
        let pending = self.overlay.by_key.values();
        pending.map(|pending| pending.since.elapsed()).max()
    }

    /// Returns the state that the watch delivered before `object`, if a write of it is pending.
    pub(super) fn deliver(&mut self, object: &Shared) -> Option<Delivery> {
        let (key, pending) = self.pending(&**object)?;
        if pending.is_passed_by(&**object) {
            let pending = self.overlay.remove(&key)?;
            let observed = self.overlay.end(pending, Some(&**object));
            return Some(Delivery::Passed(observed));
        }
        let before = pending.observed.replace(Arc::clone(object));
        Some(Delivery::Older(before))
    }

    /// Like [`deliver`](Self::deliver), for the deletion of `last`.
    pub(super) fn deliver_deletion(&mut self, last: &dyn AnyObject) -> Option<Delivery> {
        let (key, pending) = self.pending(last)?;
        let is_own = match &pending.until {
            Until::Deleted(uid) => last.metadata().uid.as_ref() == Some(uid),
            Until::Version(_) => pending.is_passed_by(last),
        };
        if is_own {
            let pending = self.overlay.remove(&key)?;
            return Some(Delivery::Passed(self.overlay.end(pending, None)));
        }
        Some(Delivery::Older(pending.observed.take()))
    }

    /// Like [`deliver_deletion`](Self::deliver_deletion), for an object that a list of `version` does not have; an empty version is the newest.
    pub(super) fn deliver_absence(&mut self, key: &ObjectKey, version: &str) -> Option<Delivery> {
        let pending = self.overlay.by_key.get_mut(key)?;
        if parse(version).is_some_and(|listed| pending.version() > listed) {
            return Some(Delivery::Older(pending.observed.take()));
        }
        let pending = self.overlay.remove(key)?;
        Some(Delivery::Passed(self.overlay.end(pending, None)))
    }

    /// Whether the watch has delivered a later state of the name of `object`, for which a write is pending.
    pub(super) fn has_observed_later(&mut self, object: &dyn AnyObject) -> bool {
        let pending = self.pending(object);
        let observed = pending.and_then(|(_, pending)| pending.observed.as_deref());
        observed.is_some_and(|observed| is_later(observed, object))
    }

    /// Returns the pending write of an object from the watch.
    fn pending(&mut self, object: &dyn AnyObject) -> Option<(ObjectKey, &mut Pending)> {
        if self.overlay.by_key.is_empty() {
            return None;
        }
        let key = ObjectKey::of_meta(object.metadata());
        let pending = self.overlay.by_key.get_mut(&key)?;
        Some((key, pending))
    }

    fn find(&self, key: &ObjectKey) -> Option<Shared> {
        let (namespace, name) = key.parts();
        self.get(namespace, name)
    }

    /// Shows `stored` until the watch has passed it.
    fn hold(&mut self, key: ObjectKey, scope: Option<&str>, until: Until, stored: Option<Shared>) {
        let (observed, earlier, newest) = if let Some(pending) = self.overlay.remove(&key) {
            (pending.observed, pending.written, pending.newest)
        } else {
            let observed = self.find(&key);
            let newest = observed.as_deref().and_then(number);
            (observed, None, newest.unwrap_or_default())
        };
        let newest = match until {
            Until::Version(version) => newest.max(version),
            Until::Deleted(_) => newest,
        };
        let written = stored.clone().or(earlier);
        self.show(&key, stored);
        let scope = scope.map(str::to_owned);
        if let Until::Version(version) = until {
            let at = (scope.clone(), version);
            self.overlay.by_version.insert(at, key.clone());
        }
        let pending = Pending {
            observed,
            written,
            until,
            newest,
            scope,
            since: Instant::now(),
        };
        self.overlay.by_key.insert(key, pending);
        self.sweep();
    }

    /// Shows what the watch has delivered.
    fn revert(&mut self, key: &ObjectKey) {
        if let Some(pending) = self.overlay.remove(key) {
            let observed = self.overlay.end(pending, None);
            self.show(key, observed);
        }
    }

    fn show(&mut self, key: &ObjectKey, object: Option<Shared>) {
        let (namespace, name) = key.parts();
        match object {
            Some(object) => drop(self.insert(&object)),
            None => drop(self.remove(namespace, name)),
        }
    }

    /// Ends the writes that have been pending for too long.
    pub(crate) fn sweep(&mut self) {
        let now = Instant::now();
        if now < self.overlay.swept + SWEEP {
            return;
        }
        self.overlay.swept = now;
        let expired = |pending: &Pending| {
            let limit = match (&pending.until, &pending.observed) {
                (Until::Deleted(_), None) => UNSEEN_EXPIRY,
                _ => EXPIRY,
            };
            now >= pending.since + limit
        };
        let pending = self.overlay.by_key.iter();
        let keys: Vec<_> = pending
            .filter(|(_, pending)| expired(pending))
            .map(|(key, _)| key.clone())
            .collect();
        for key in &keys {
            self.revert(key);
        }
    }
}

/// Returns the change from `before` to `object`, as handlers see it.
pub(super) fn change(before: Option<Shared>, object: Shared) -> Delta {
    match before {
        Some(before) => Delta::Updated(before, object),
        None => Delta::Added(object),
    }
}

/// Like [`change`], for an object from a relist. An unchanged one keeps its allocation.
pub(super) fn relisted(before: Option<Shared>, object: Shared) -> Delta {
    match before {
        Some(before) if Arc::ptr_eq(&before, &object) || same_state(&*before, &*object) => {
            Delta::Unchanged(before)
        }
        before => change(before, object),
    }
}

/// Returns the resource version of an object as a number. Since Kubernetes 1.35, versions of one kind can be compared as such (KEP-5504).
fn number(object: &dyn AnyObject) -> Option<u64> {
    parse(object.metadata().resource_version.as_deref()?)
}

/// Whether `stored` is a later state than `object`, or a later object of its name. Versions that are not numbers cannot be compared.
pub(super) fn is_later(stored: &dyn AnyObject, object: &dyn AnyObject) -> bool {
    matches!((number(stored), number(object)), (Some(stored), Some(version)) if stored > version)
}

/// An empty version is that of a cache before its first list.
fn parse(version: &str) -> Option<u64> {
    if version.is_empty() {
        return Some(0);
    }
    version.parse().ok()
}
