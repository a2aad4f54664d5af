//! The state that the tasks of one informer share: store, listeners and version.
use std::{collections::HashSet, sync::Arc, time::Duration};

use parking_lot::{Mutex, RwLock};
use tokio::{sync::watch, time::Instant};
use tokio_util::sync::CancellationToken;
use tracing::warn;

use super::{
    error::{DecodeError, InformerError, Stopped, WatchFailure},
    handler::{Deleted, InformerEvent},
    listener::{Listener, ListenerState},
    status::{HandlerStatus, InformerMetrics},
};
use crate::cache::{Delta, Object, ObjectKey, Store, names, same_version};

/// Changes an object before it is stored.
pub(super) type Transform<K> = Arc<dyn Fn(&mut K) + Send + Sync>;
/// Receives failures.
pub(super) type ErrorHandler = Arc<dyn Fn(&InformerError) + Send + Sync>;

pub(super) struct State<K> {
    pub(super) store: Arc<RwLock<Store<K>>>,
    /// Locked around each change of the store, so that every listener gets every change once and in order.
    listeners: Mutex<Listeners<K>>,
    /// The resource version up to which the store is complete; empty before the first list.
    version: Mutex<String>,
    pub(super) transform: RwLock<Option<Transform<K>>>,
    pub(super) on_error: RwLock<Option<ErrorHandler>>,
    synced: watch::Sender<bool>,
    pub(super) stop: CancellationToken,
    pub(super) metrics: Mutex<InformerMetrics>,
    /// When the server last sent something.
    received: Mutex<Option<Instant>>,
}

struct Listeners<K> {
    all: Vec<Listener<K>>,
    /// The first list is in the store.
    synced: bool,
}

/// An incomplete list.
pub(super) struct Listed<K> {
    objects: Vec<Arc<K>>,
    unreadable: HashSet<ObjectKey>,
}

impl<K> Default for Listed<K> {
    fn default() -> Self {
        Self {
            objects: Vec::new(),
            unreadable: HashSet::new(),
        }
    }
}

impl<K: Object> Listed<K> {
    /// Removes an object that was deleted while the list was in progress.
    pub(super) fn remove(&mut self, deleted: Result<ObjectKey, Box<DecodeError>>) {
        if let Some(key) = deleted.map_or_else(|error| error.key, Some) {
            self.unreadable.remove(&key);
            self.objects
                .retain(|object| ObjectKey::of(&**object) != key);
        }
    }
}

impl<K: Object> State<K> {
    pub(super) fn new() -> Self {
        Self {
            store: Arc::new(RwLock::new(Store::new())),
            listeners: Mutex::new(Listeners {
                all: Vec::new(),
                synced: false,
            }),
            version: Mutex::default(),
            transform: RwLock::default(),
            on_error: RwLock::default(),
            synced: watch::Sender::new(false),
            stop: CancellationToken::new(),
            metrics: Mutex::default(),
            received: Mutex::default(),
        }
    }

    pub(super) fn version(&self) -> String {
        self.version.lock().clone()
    }

    /// Records the progress of the watch. Ignores an empty version, which no server sends.
    pub(super) fn set_version(&self, version: &str) {
        if !version.is_empty() {
            version.clone_into(&mut self.version.lock());
        }
    }

    /// Records a bookmark: the server has sent all changes up to `version`.
    pub(super) fn bookmark(&self, version: &str) {
        self.set_version(version);
        *self.received.lock() = Some(Instant::now());
    }

    /// Returns the time since the server last sent something.
    pub(super) fn idle(&self) -> Option<Duration> {
        self.received.lock().map(|at| at.elapsed())
    }

    /// Returns the state of each handler.
    pub(super) fn handlers(&self) -> Vec<HandlerStatus> {
        let listeners = self.listeners.lock();
        listeners
            .all
            .iter()
            .map(|listener| HandlerStatus {
                synced: listener.state.has_synced(),
                pending: listener.state.pending(),
            })
            .collect()
    }

    /// Counts an event, and measures its processing until the returned value is dropped.
    fn time_event(&self) -> impl Drop + '_ {
        struct Timer<'a>(
            &'a Mutex<InformerMetrics>,
            &'a Mutex<Option<Instant>>,
            Instant,
        );
        impl Drop for Timer<'_> {
            fn drop(&mut self) {
                let mut metrics = self.0.lock();
                metrics.events += 1;
                metrics
                    .processing_latency
                    .observe_duration(self.2.elapsed());
                *self.1.lock() = Some(self.2);
            }
        }
        Timer(&self.metrics, &self.received, Instant::now())
    }

    pub(super) fn has_synced(&self) -> bool {
        *self.synced.borrow()
    }

    pub(super) async fn wait_synced(&self) -> Result<(), Stopped> {
        wait_synced(&self.synced, &self.stop).await
    }

    /// Stores an object that was added or modified.
    pub(super) fn apply(&self, decoded: Result<K, Box<DecodeError>>) {
        let _timer = self.time_event();
        let Some(object) = self.accept(decoded) else {
            return;
        };
        let listeners = self.listeners.lock();
        let delta = self.store.write().apply(object);
        listeners.notify(delta);
    }

    /// Removes an object. Its name suffices if its final state does not decode.
    pub(super) fn delete(&self, decoded: Result<K, Box<DecodeError>>) {
        let _timer = self.time_event();
        let key = decoded.as_ref().err().and_then(|error| error.key.clone());
        let object = self.accept(decoded);
        let listeners = self.listeners.lock();
        let delta = match (object, key) {
            (Some(object), _) => self.store.write().delete(object),
            (None, Some(key)) => self.store.write().delete_by_key(&key),
            (None, None) => None,
        };
        if let Some(delta) = delta {
            listeners.notify(delta);
        }
    }

    /// Adds one object to a list in progress. An object that the store holds in the same state is not allocated again.
    pub(super) fn list_one(&self, listed: &mut Listed<K>, decoded: Result<K, Box<DecodeError>>) {
        match decoded {
            Ok(object) => {
                let (namespace, name) = names(&object);
                let stored = self
                    .store
                    .read()
                    .get(namespace, name)
                    .filter(|stored| same_version(&***stored, &object))
                    .cloned();
                listed
                    .objects
                    .push(stored.unwrap_or_else(|| self.finish(object)));
            }
            Err(error) => {
                listed.unreadable.extend(error.key.clone());
                self.decode_failed(*error);
            }
        }
    }

    /// Replaces the content of the store by a complete list.
    pub(super) fn replace(&self, listed: Listed<K>, version: &str) {
        {
            let mut metrics = self.metrics.lock();
            metrics.lists += 1;
            metrics.items_per_list.observe_items(listed.objects.len());
        }
        *self.received.lock() = Some(Instant::now());
        let mut listeners = self.listeners.lock();
        let deltas = self
            .store
            .write()
            .replace(listed.objects, &listed.unreadable);
        for delta in deltas {
            listeners.notify(delta);
        }
        if !listeners.synced {
            listeners.synced = true;
            listeners.all.iter().for_each(Listener::send_synced);
        }
        drop(listeners);
        self.set_version(version);
        self.synced.send_replace(true);
    }

    /// Adds a listener. It gets every stored object as added, then every later change.
    pub(super) fn listen(&self, listener: Listener<K>) {
        let mut listeners = self.listeners.lock();
        if listener.state.cancel.is_cancelled() {
            return;
        }
        for object in self.store.read().iter() {
            listener.send(InformerEvent::Added {
                object: Arc::clone(object),
                is_in_initial_list: true,
            });
        }
        if listeners.synced {
            listener.send_synced();
        }
        listeners.all.push(listener);
    }

    /// Redelivers every object to one listener, unless its queue already holds more events than there are objects.
    pub(super) fn resync(&self, listener: &Arc<ListenerState>) {
        let listeners = self.listeners.lock();
        let Some(listener) = listeners
            .all
            .iter()
            .find(|one| Arc::ptr_eq(&one.state, listener))
        else {
            return;
        };
        let store = self.store.read();
        let pending = listener.state.pending();
        if pending > store.len() {
            warn!(kind = %K::kind(&()), pending, "skipping a resync: the event handler has not handled the previous one");
            return;
        }
        for object in store.iter() {
            listener.send(InformerEvent::Updated {
                old: Arc::clone(object),
                new: Arc::clone(object),
            });
        }
    }

    /// Drops cancelled listeners; all of them once the informer has stopped.
    pub(super) fn sweep(&self) {
        self.listeners
            .lock()
            .all
            .retain(|listener| !listener.state.cancel.is_cancelled());
    }

    pub(super) fn list_failed(&self, source: WatchFailure) {
        self.report(&InformerError::List {
            kind: K::kind(&()).into_owned(),
            api_version: K::api_version(&()).into_owned(),
            source,
        });
    }

    pub(super) fn watch_failed(&self, source: WatchFailure) {
        self.report(&InformerError::Watch {
            kind: K::kind(&()).into_owned(),
            api_version: K::api_version(&()).into_owned(),
            source,
        });
    }

    /// Records the version, and returns the object ready for the store or reports that it does not decode.
    fn accept(&self, decoded: Result<K, Box<DecodeError>>) -> Option<Arc<K>> {
        match decoded {
            Ok(object) => {
                let version = object.meta().resource_version.as_deref();
                self.set_version(version.unwrap_or_default());
                Some(self.finish(object))
            }
            Err(error) => {
                self.set_version(error.resource_version.as_deref().unwrap_or_default());
                self.decode_failed(*error);
                None
            }
        }
    }

    fn finish(&self, mut object: K) -> Arc<K> {
        let transform = self.transform.read().clone();
        if let Some(transform) = transform {
            transform(&mut object);
        }
        Arc::new(object)
    }

    fn decode_failed(&self, error: DecodeError) {
        self.metrics.lock().decode_failures += 1;
        self.report(&error.into());
    }

    fn report(&self, error: &InformerError) {
        self.metrics.lock().failures += 1;
        let handler = self.on_error.read().clone();
        if let Some(handler) = handler {
            handler(error);
        } else {
            warn!(kind = %K::kind(&()), "{error}");
        }
    }
}

impl<K: Object> Listeners<K> {
    /// Sends one change to every listener that wants it.
    fn notify(&self, delta: Delta<K>) {
        let event = match delta {
            Delta::Added(object) => InformerEvent::Added {
                object,
                is_in_initial_list: !self.synced,
            },
            Delta::Updated(old, new) => InformerEvent::Updated { old, new },
            Delta::Unchanged(object) => {
                let event = InformerEvent::Updated {
                    old: Arc::clone(&object),
                    new: object,
                };
                self.all
                    .iter()
                    .filter(|listener| listener.resyncs)
                    .for_each(|listener| listener.send(event.clone()));
                return;
            }
            Delta::Deleted(object, final_state_unknown) => InformerEvent::Deleted(Deleted {
                object,
                final_state_unknown,
            }),
        };
        for listener in &self.all {
            listener.send(event.clone());
        }
    }
}

/// Waits until `synced` is true, or `stop` is cancelled.
pub(super) async fn wait_synced(
    synced: &watch::Sender<bool>,
    stop: &CancellationToken,
) -> Result<(), Stopped> {
    let mut synced = synced.subscribe();
    tokio::select! {
        biased;
        result = synced.wait_for(|synced| *synced) => result.map(drop).map_err(|_| Stopped),
        () = stop.cancelled() => Err(Stopped),
    }
}
