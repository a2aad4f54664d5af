//! Triggers: changes of one informer's objects enqueue keys of the controlled kind.
use std::sync::Arc;

use futures::future::{BoxFuture, FutureExt};

use crate::{
    cache::{Object, ObjectKey},
    informer::{EventHandlerFuncs, HandlerRegistration, SharedInformer, Stopped},
    queue::WorkQueue,
};

/// Starts an informer, and enqueues keys into the queue until the guard is dropped.
pub(super) type Trigger = Box<dyn Fn(&WorkQueue<ObjectKey>) -> Box<dyn Guard> + Send + Sync>;

/// A connected trigger.
pub(super) trait Guard: Send + Sync {
    /// Waits until the cache is synced and its objects are enqueued.
    fn wait_synced(&self) -> BoxFuture<'_, Result<(), Stopped>>;
}

/// Creates a trigger that enqueues the keys that `mapper` returns for an object; on a resync only if `resyncs`.
pub(super) fn trigger<C: Object>(
    informer: &SharedInformer<C>,
    resyncs: bool,
    mapper: impl Fn(&Arc<C>) -> Vec<ObjectKey> + Send + Sync + 'static,
) -> Trigger {
    let (informer, mapper) = (informer.clone(), Arc::new(mapper));
    Box::new(move |queue| {
        let enqueue = {
            let (mapper, queue) = (Arc::clone(&mapper), queue.clone());
            Arc::new(move |object: &Arc<C>| {
                for key in mapper(object) {
                    queue.add(key);
                }
            })
        };
        let (added, updated, deleted) = (Arc::clone(&enqueue), Arc::clone(&enqueue), enqueue);
        let handler = EventHandlerFuncs::new()
            .on_add(move |object, _| added(object))
            .on_update(move |old, new| {
                let unchanged = old.meta().resource_version == new.meta().resource_version;
                if unchanged && !resyncs {
                    return;
                }
                if !unchanged {
                    updated(old);
                }
                updated(new);
            })
            .on_delete(move |gone| deleted(&gone.object));
        let registration = informer.add_event_handler(handler);
        informer.start();
        Box::new(RemoveOnDrop(registration))
    })
}

struct RemoveOnDrop<C: Object>(HandlerRegistration<C>);

impl<C: Object> Guard for RemoveOnDrop<C> {
    fn wait_synced(&self) -> BoxFuture<'_, Result<(), Stopped>> {
        self.0.wait_synced().boxed()
    }
}

impl<C: Object> Drop for RemoveOnDrop<C> {
    fn drop(&mut self) {
        self.0.cancel();
    }
}
