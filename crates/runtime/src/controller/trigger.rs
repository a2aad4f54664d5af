//! What brings an object up: informers of any kind come in, keys of the controlled kind go into its queue. Handlers go away with their guard.
use super::owner::controlling;
use crate::{
    informer::{
        EventHandlerFuncs, HandlerRegistration, Object, ObjectKey, SharedInformer, Stopped,
    },
    queue::WorkQueue,
};
use futures::future::{BoxFuture, FutureExt};
use std::sync::Arc;

/// An informer and the way from its objects to keys.
pub(super) trait Trigger: Send + Sync {
    /// Starts the informer, if nobody has, and feeds `queue` until the guard is dropped.
    fn connect(&self, queue: &WorkQueue<ObjectKey>) -> Box<dyn Guard>;
}

/// A connected trigger.
pub(super) trait Guard: Send + Sync {
    /// Waits until the cache is filled and its objects are queued.
    fn wait_synced(&self) -> BoxFuture<'_, Result<(), Stopped>>;
}

type Mapper<C> = Arc<dyn Fn(&Arc<C>) -> Vec<ObjectKey> + Send + Sync>;

/// Objects of one informer, each mapped to the keys that it brings up.
pub(super) struct Mapped<C> {
    informer: SharedInformer<C>,
    mapper: Mapper<C>,
    /// Updates that change nothing count.
    resyncs: bool,
}

/// Every object names itself, on resyncs too.
pub(super) fn primary<K: Object>(informer: &SharedInformer<K>) -> Mapped<K> {
    Mapped {
        informer: informer.clone(),
        mapper: Arc::new(|object: &Arc<K>| vec![ObjectKey::of(&**object)]),
        resyncs: true,
    }
}

/// Every child names its controller.
pub(super) fn owned<K: Object, C: Object>(children: &SharedInformer<C>) -> Mapped<C> {
    Mapped {
        informer: children.clone(),
        mapper: Arc::new(|child: &Arc<C>| controlling::<K, C>(child).into_iter().collect()),
        resyncs: false,
    }
}

/// The mapper tells.
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
