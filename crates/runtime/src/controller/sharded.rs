//! The share of a controller that is divided among replicas: which events, keys and objects are its own.
use std::{collections::HashMap, sync::Arc};

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use parking_lot::Mutex;

use super::trigger::Predicate;
use crate::{
    Object,
    cache::ObjectKey,
    informer::{InformerEvent, SharedInformer},
    queue::{LOW_PRIORITY, WorkQueue},
    shards::{Entered, ShardSet},
};

#[derive(Clone)]
pub(super) struct Share {
    shards: Arc<ShardSet>,
    /// The ranges of deleted objects whose keys are queued; the keys alone do not say.
    deleted: Arc<Mutex<HashMap<ObjectKey, u16>>>,
}

impl Share {
    pub(super) fn new(shards: Arc<ShardSet>) -> Self {
        Self {
            shards,
            deleted: Arc::default(),
        }
    }

    /// Returns a predicate that accepts the events of open ranges that `inner` accepts.
    pub(super) fn predicate<K: Object>(&self, inner: Option<Predicate<K>>) -> Predicate<K> {
        let share = self.clone();
        Arc::new(move |event| {
            let accepts = || inner.as_ref().is_none_or(|inner| inner(event));
            match event {
                InformerEvent::Deleted(deleted) => {
                    let range = share.shards.range_of(deleted.object.meta());
                    if !share.shards.owns(range) || !accepts() {
                        return false;
                    }
                    share
                        .deleted
                        .lock()
                        .insert(ObjectKey::of(&*deleted.object), range);
                    true
                }
                InformerEvent::Added { object, .. } => share.owns(&**object) && accepts(),
                InformerEvent::Updated { new, .. } => share.owns(&**new) && accepts(),
            }
        })
    }

    fn owns<K: Object>(&self, object: &K) -> bool {
        self.shards.owns(self.shards.range_of(object.meta()))
    }

    /// Begins a reconcile, unless the object is another replica's.
    pub(super) fn enter(&self, key: &ObjectKey, meta: Option<&ObjectMeta>) -> Option<Entered> {
        let deleted = self.deleted.lock().remove(key);
        let range = match meta {
            Some(meta) => self.shards.range_of(meta),
            None => deleted.or_else(|| self.shards.range_in(key.namespace.as_deref()))?,
        };
        self.shards.enter(range)
    }

    /// Enqueues all objects of each range that opens.
    pub(super) async fn enqueue<K: Object>(
        self,
        primary: SharedInformer<K>,
        queue: WorkQueue<ObjectKey>,
    ) {
        let mut changes = self.shards.changes();
        let mut seen = 0;
        loop {
            let now = *changes.borrow_and_update();
            let opened = self.shards.opened_after(seen);
            seen = now;
            if !opened.is_empty() {
                for object in primary.lister().all() {
                    if opened.contains(&self.shards.range_of(object.meta())) {
                        queue.add_with_priority(ObjectKey::of(&*object), LOW_PRIORITY);
                    }
                }
            }
            if changes.changed().await.is_err() {
                return;
            }
        }
    }
}
