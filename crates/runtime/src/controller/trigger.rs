//! Triggers: changes of one informer's objects enqueue keys of the controlled kind.
use std::sync::Arc;

use futures::future::{BoxFuture, FutureExt};

use super::owner::controller_key;
use crate::{
    cache::{Object, ObjectKey},
    informer::{EventHandlerFuncs, HandlerRegistration, SharedInformer, Stopped},
    queue::WorkQueue,
};

/// A trigger whose kind is erased.
pub(super) trait Trigger: Send + Sync {
    /// Starts the informer, and enqueues keys into `queue` until the guard is dropped.
    fn connect(&self, queue: &WorkQueue<ObjectKey>) -> Box<dyn Guard>;
}

/// A connected trigger.
pub(super) trait Guard: Send + Sync {
    /// Waits until the cache is synced and its objects are enqueued.
    fn wait_synced(&self) -> BoxFuture<'_, Result<(), Stopped>>;
}

type Mapper<C> = Arc<dyn Fn(&Arc<C>) -> Vec<ObjectKey> + Send + Sync>;

/// Objects of one informer, each mapped to the keys to enqueue.
pub(super) struct Mapped<C> {
    informer: SharedInformer<C>,
    mapper: Mapper<C>,
    /// Whether a resync enqueues, too.
    resyncs: bool,
}

/// Maps every object to its own key, on resyncs too.
pub(super) fn primary<K: Object>(informer: &SharedInformer<K>) -> Mapped<K> {
    Mapped {
        informer: informer.clone(),
        mapper: Arc::new(|object: &Arc<K>| vec![ObjectKey::of(&**object)]),
        resyncs: true,
    }
}

/// Maps every child to the key of its controller.
pub(super) fn owned<K: Object, C: Object>(children: &SharedInformer<C>) -> Mapped<C> {
    Mapped {
        informer: children.clone(),
        mapper: Arc::new(|child: &Arc<C>| controller_key::<K, C>(child).into_iter().collect()),
        resyncs: false,
    }
}

/// Maps every object by `mapper`.
pub(super) fn mapped<C: Object>(
    informer: &SharedInformer<C>,
    mapper: impl Fn(&Arc<C>) -> Vec<ObjectKey> + Send + Sync + 'static,
) -> Mapped<C> {
    Mapped {
        informer: informer.clone(),
        mapper: Arc::new(mapper),
        resyncs: false,
    }
}

impl<C: Object> Trigger for Mapped<C> {
    fn connect(&self, queue: &WorkQueue<ObjectKey>) -> Box<dyn Guard> {
        let enqueue = {
            let (mapper, queue) = (Arc::clone(&self.mapper), queue.clone());
            Arc::new(move |object: &Arc<C>| {
                for key in mapper(object) {
                    queue.add(key);
                }
            })
        };
        let (added, updated, deleted) = (Arc::clone(&enqueue), Arc::clone(&enqueue), enqueue);
        let resyncs = self.resyncs;
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
        let registration = self.informer.add_event_handler(handler);
        self.informer.start();
        Box::new(Connected {
            registration: Some(registration),
        })
    }
}

struct Connected<C: Object> {
    registration: Option<HandlerRegistration<C>>,
}

impl<C: Object> Guard for Connected<C> {
    fn wait_synced(&self) -> BoxFuture<'_, Result<(), Stopped>> {
        match &self.registration {
            Some(registration) => registration.wait_synced().boxed(),
            None => futures::future::ready(Err(Stopped)).boxed(),
        }
    }
}

impl<C: Object> Drop for Connected<C> {
    fn drop(&mut self) {
        if let Some(registration) = self.registration.take() {
            registration.remove();
        }
    }
}
