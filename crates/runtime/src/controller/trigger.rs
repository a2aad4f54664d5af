//! Triggers: changes of one informer's objects enqueue keys of the controlled kind.
use std::{sync::Arc, time::Duration};

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use tokio::time::sleep;
use tracing::error;

use super::{RunError, causes::Causes};
use crate::{
    Object,
    cache::ObjectKey,
    client::writer::Writer,
    informer::{Deleted, EventHandler, Informer, InformerEvent, Registration, SharedInformer},
    panics,
    queue::{LOW_PRIORITY, WorkQueue},
};

/// Starts an informer, and enqueues keys into the queue until the guard is dropped.
/// Ignores the changes that the writer makes, if there is one.
pub(super) type Trigger = Box<
    dyn Fn(&WorkQueue<ObjectKey>, &Arc<Causes>, Option<&Arc<Writer>>) -> Connected + Send + Sync,
>;

/// Whether an event enqueues anything.
pub(super) type Predicate<C> = Arc<dyn Fn(&InformerEvent<C>) -> bool + Send + Sync>;

/// Returns the keys to enqueue for an object.
type Mapper<C> = Arc<dyn Fn(&Arc<C>) -> Vec<ObjectKey> + Send + Sync>;

/// Creates a trigger that enqueues the keys that `mapper` returns for an object. If the object `is_primary`, a resync enqueues it too, and a new
/// spec ends its back-off.
pub(super) fn trigger<C: Object>(
    informer: &SharedInformer<C>,
    is_primary: bool,
    predicate: Option<Predicate<C>>,
    mapper: impl Fn(&Arc<C>) -> Vec<ObjectKey> + Send + Sync + 'static,
) -> Trigger {
    boxed(informer.clone(), is_primary, predicate, Arc::new(mapper))
}

/// Creates a trigger by code that does not depend on the type of the mapper.
fn boxed<C: Object>(
    informer: SharedInformer<C>,
    is_primary: bool,
    predicate: Option<Predicate<C>>,
    mapper: Mapper<C>,
) -> Trigger {
    Box::new(move |queue, causes, writer| {
        let registration = informer.add_event_handler(Enqueue {
            mapper: Arc::clone(&mapper),
            predicate: predicate.clone(),
            is_primary,
            queue: queue.clone(),
            causes: Arc::clone(causes),
            kind: informer.kind().to_string(),
            ignores: writer.map(|writer| (informer.untyped(), Arc::clone(writer))),
        });
        informer.start();
        Connected {
            informer: informer.untyped(),
            is_primary,
            registration: registration.untyped(),
        }
    })
}

/// The handler of a trigger.
struct Enqueue<C: Object> {
    mapper: Mapper<C>,
    predicate: Option<Predicate<C>>,
    is_primary: bool,
    queue: WorkQueue<ObjectKey>,
    causes: Arc<Causes>,
    kind: String,
    /// The writer whose changes of the informer's objects are ignored.
    ignores: Option<(Arc<Informer>, Arc<Writer>)>,
}

impl<C: Object> Enqueue<C> {
    /// Whether the predicate accepts the event. If it panics, the event is accepted: a reconcile too many does no harm.
    fn accepts(&self, event: impl FnOnce() -> InformerEvent<C>) -> bool {
        self.predicate.as_ref().is_none_or(|predicate| {
            panics::catch(|| predicate(&event())).unwrap_or_else(|panic| {
                error!(panic, "a predicate panicked");
                true
            })
        })
    }

    /// Returns the keys for some states of an object. A panic of the mapper must not swallow the other state of the same change.
    fn keys<'o>(&self, states: impl IntoIterator<Item = &'o Arc<C>>) -> Vec<ObjectKey>
    where
        C: 'o,
    {
        let mut all = Vec::new();
        for object in states {
            match panics::catch(|| (self.mapper)(object)) {
                Ok(keys) => all.extend(keys),
                Err(panic) => {
                    let object = ObjectKey::of(&**object);
                    error!(%object, panic, "a mapper panicked; the object enqueues nothing");
                }
            }
        }
        all
    }

    /// Returns a function that enqueues `keys`.
    fn add(
        &self,
        meta: &ObjectMeta,
        keys: Vec<ObjectKey>,
        priority: i32,
        ends_back_off: bool,
    ) -> impl FnOnce() + Send + use<C> {
        let (queue, forgets) = (self.queue.clone(), ends_back_off && self.is_primary);
        let (causes, kind, object) = (
            Arc::clone(&self.causes),
            self.kind.clone(),
            ObjectKey::of_meta(meta),
        );
        move || {
            for key in keys {
                if forgets {
                    queue.forget(&key);
                }
                causes.add(&key, &kind, &object);
                queue.add_with_priority(key, priority);
            }
        }
    }

    /// Enqueues the keys for `object`.
    fn enqueue(&self, object: &Arc<C>, priority: i32, ends_back_off: bool) {
        self.add(object.meta(), self.keys([object]), priority, ends_back_off)();
    }

    /// Enqueues `keys` for a change to `object`, unless it is ignored.
    fn enqueue_change(&self, object: &C, keys: Vec<ObjectKey>, priority: i32, ends_back_off: bool) {
        let add = self.add(object.meta(), keys, priority, ends_back_off);
        match &self.ignores {
            Some((informer, writer)) => informer.unless_own(writer, object.meta(), Box::new(add)),
            None => add(),
        }
    }
}

impl<C: Object> EventHandler<C> for Enqueue<C> {
    fn on_add(&mut self, object: &Arc<C>, is_in_initial_list: bool) {
        if self.accepts(|| InformerEvent::Added {
            object: Arc::clone(object),
            is_in_initial_list,
        }) {
            let priority = if is_in_initial_list { LOW_PRIORITY } else { 0 };
            self.enqueue_change(object, self.keys([object]), priority, !is_in_initial_list);
        }
    }

    fn on_update(&mut self, old: &Arc<C>, new: &Arc<C>) {
        let unchanged = Arc::ptr_eq(old, new);
        if unchanged && !self.is_primary {
            return;
        }
        if self.accepts(|| InformerEvent::Updated {
            old: Arc::clone(old),
            new: Arc::clone(new),
        }) {
            if unchanged {
                return self.enqueue(new, LOW_PRIORITY, false);
            }
            // Every object changes its resource version with a write, and only some their generation with a new spec.
            let (before, after) = (old.meta(), new.meta());
            let is_new = before.generation != after.generation || before.uid != after.uid;
            self.enqueue_change(new, self.keys([old, new]), 0, is_new);
        }
    }

    fn on_delete(&mut self, deleted: &Deleted<C>) {
        if self.accepts(|| InformerEvent::Deleted(deleted.clone())) {
            self.enqueue(&deleted.object, 0, true);
        }
    }
}

/// A connected trigger: a running informer, whose handler is removed on drop.
pub(super) struct Connected {
    informer: Arc<Informer>,
    /// Whether the controller reconciles the objects of this informer.
    is_primary: bool,
    registration: Registration,
}

impl Connected {
    fn failure(&self) -> Option<RunError> {
        let message = self.informer.failure()?;
        Some(RunError::InformerFailed {
            kind: self.kind(),
            message,
        })
    }

    /// Returns kind and group of the informer.
    pub(super) fn kind(&self) -> String {
        self.informer.kind()
    }

    /// Whether the server serves the kind, and its cache is not synced.
    pub(super) fn is_late(&self) -> bool {
        !self.registration.has_synced() && self.informer.missing().is_none()
    }

    /// Waits until the cache is synced and its objects are enqueued, or until `limit` if the server serves the kind. If it does not, the controller has
    /// nothing to do until its own kind is served; another kind has no objects.
    pub(super) async fn wait_settled(&self, limit: Duration) -> Result<(), Unsettled> {
        loop {
            tokio::select! {
                biased;
                synced = self.registration.wait_synced() => return synced.map_err(|_| {
                    let stopped = || RunError::Stopped { kind: self.kind() };
                    Unsettled::Ended(self.failure().unwrap_or_else(stopped))
                }),
                () = self.informer.absent(), if !self.is_primary => return Ok(()),
                () = sleep(limit) => if self.informer.missing().is_none() {
                    return Err(Unsettled::Late);
                }
            }
            // The limit is that of a list, and the kind has none yet.
            tokio::select! {
                biased;
                () = self.informer.served() => {}
                () = self.informer.absent(), if !self.is_primary => {}
                () = self.informer.stopped() => {}
            }
        }
    }

    /// Returns a future that calls `arrived` each time the kind is served after it was not, and its objects are in the cache; not for the kind that
    /// the controller reconciles, whose objects are enqueued by themselves.
    pub(super) fn arrivals(
        &self,
        arrived: Arc<dyn Fn() + Send + Sync>,
    ) -> impl Future<Output = ()> + Send + use<> {
        let informer = (!self.is_primary).then(|| Arc::clone(&self.informer));
        async move {
            while let Some(informer) = &informer {
                informer.back().await;
                arrived();
            }
        }
    }

    /// Waits until the informer is shut down, or fails.
    pub(super) async fn ended(&self) -> Result<(), RunError> {
        self.informer.stopped().await;
        self.failure().map_or(Ok(()), Err)
    }
}

/// Why a controller cannot start.
pub(super) enum Unsettled {
    /// Something is not synced in time.
    Late,
    Ended(RunError),
}

impl Drop for Connected {
    fn drop(&mut self) {
        self.registration.cancel();
    }
}
