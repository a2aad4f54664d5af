//! The shared heart of one informer: store and listeners behind one lock, so that every handler sees every change once and in order.
//! Decoded objects and versions come in from the source; notifications go out to the listeners' queues. Does no I/O and never waits for a handler.
use super::{
    Object, ObjectKey,
    error::{DecodeError, InformerError, Stopped, WatchFailure},
    handler::{Deleted, InformerEvent},
    listener::{Listener, ListenerState},
    object::{names, same_version},
    store::{Delta, Store},
};
use parking_lot::{Mutex, RwLock};
use std::{
    collections::HashSet,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;
use tracing::warn;

/// Changes an object before it is stored.
pub(super) type Transform<K> = Arc<dyn Fn(&mut K) + Send + Sync>;
/// Hears of failures.
pub(super) type ErrorHandler = Arc<dyn Fn(&InformerError) + Send + Sync>;

/// What handlers and readers share.
pub(super) struct State<K> {
    pub(super) store: Store<K>,
    listeners: Vec<Listener<K>>,
    synced: bool,
}

/// One informer, as its tasks see it.
pub(super) struct Core<K> {
    pub(super) state: RwLock<State<K>>,
    /// The resource version up to which the store is complete; empty before the first list.
    version: Mutex<String>,
    pub(super) transform: RwLock<Option<Transform<K>>>,
    pub(super) on_error: RwLock<Option<ErrorHandler>>,
    synced: watch::Sender<bool>,
    pub(super) stop: CancellationToken,
    pub(super) counters: Counters,
}

/// How often something has happened since the informer was made.
#[derive(Default)]
pub(super) struct Counters {
    pub(super) lists: AtomicU64,
    pub(super) events: AtomicU64,
    pub(super) failures: AtomicU64,
    pub(super) decode_failures: AtomicU64,
}

/// A list in the making.
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
    /// Takes an object out again that was deleted while the list was under way.
    pub(super) fn remove(&mut self, gone: Result<ObjectKey, Box<DecodeError>>) {
        if let Some(key) = gone.map_or_else(|error| error.key, Some) {
            self.unreadable.remove(&key);
            self.objects
                .retain(|object| ObjectKey::of(&**object) != key);
        }
    }
}

impl<K: Object> Core<K> {
    pub(super) fn new() -> Self {
        Self {
            state: RwLock::new(State {
                store: Store::new(),
                listeners: Vec::new(),
                synced: false,
            }),
            version: Mutex::default(),
            transform: RwLock::default(),
            on_error: RwLock::default(),
            synced: watch::Sender::new(false),
            stop: CancellationToken::new(),
            counters: Counters::default(),
        }
    }

    pub(super) fn version(&self) -> String {
        self.version.lock().clone()
    }

    /// Remembers how far the watch has come. An empty version, which no server sends, changes nothing.
    pub(super) fn set_version(&self, version: &str) {
        if !version.is_empty() {
            version.clone_into(&mut self.version.lock());
        }
    }

    pub(super) fn has_synced(&self) -> bool {
        *self.synced.borrow()
    }

    pub(super) async fn wait_synced(&self) -> Result<(), Stopped> {
        let mut synced = self.synced.subscribe();
        tokio::select! {
            biased;
            result = synced.wait_for(|synced| *synced) => result.map(drop).map_err(|_| Stopped),
            () = self.stop.cancelled() => Err(Stopped),
        }
    }

    /// An object was added or modified.
    pub(super) fn apply(&self, decoded: Result<K, Box<DecodeError>>) {
        self.counters.events.fetch_add(1, Ordering::Relaxed);
        let Some(object) = self.accept(decoded) else {
            return;
        };
        let mut state = self.state.write();
        let delta = state.store.apply(object);
        state.notify(delta);
    }

    /// An object was deleted. Even if its final state cannot be read, its name tells what is gone.
    pub(super) fn delete(&self, decoded: Result<K, Box<DecodeError>>) {
        self.counters.events.fetch_add(1, Ordering::Relaxed);
        let unread = decoded.as_ref().err().and_then(|error| error.key.clone());
        let object = self.accept(decoded);
        let mut state = self.state.write();
        let delta = match (object, unread) {
            (Some(object), _) => state.store.delete(object),
            (None, Some(key)) => state.store.delete_unseen(&key),
            (None, None) => None,
        };
        if let Some(delta) = delta {
            state.notify(delta);
        }
    }

    /// Adds one object to a list in the making. What the store already holds in the same state is not held twice.
    pub(super) fn list_one(&self, listed: &mut Listed<K>, decoded: Result<K, Box<DecodeError>>) {
        match decoded {
            Ok(object) => {
                let (namespace, name) = names(&object);
                let held = self
                    .state
                    .read()
                    .store
                    .get(namespace, name)
                    .filter(|held| same_version(&***held, &object))
                    .cloned();
                listed
                    .objects
                    .push(held.unwrap_or_else(|| self.finish(object)));
            }
            Err(error) => {
                listed.unreadable.extend(error.key.clone());
                self.decode_failed(*error);
            }
        }
    }

    /// Makes a complete list the content of the store.
    pub(super) fn replace(&self, listed: Listed<K>, version: &str) {
        self.counters.lists.fetch_add(1, Ordering::Relaxed);
        let mut state = self.state.write();
        let first = !state.synced;
        for delta in state.store.replace(listed.objects, &listed.unreadable) {
            state.notify(delta);
        }
        if first {
            state.synced = true;
            state.listeners.iter().for_each(Listener::send_synced);
        }
        drop(state);
        self.set_version(version);
        self.synced.send_replace(true);
    }

    /// Takes a listener in. It hears of all that is stored as added, then of every later change: the lock leaves no gap between the two.
    pub(super) fn listen(&self, listener: Listener<K>) {
        let mut state = self.state.write();
        if listener.state.cancel.is_cancelled() {
            return;
        }
        for object in state.store.iter() {
            listener.send(InformerEvent::Added {
                object: Arc::clone(object),
                is_in_initial_list: true,
            });
        }
        if state.synced {
            listener.send_synced();
        }
        state.listeners.push(listener);
    }

    /// Brings every object up again for one listener, unless it has not yet got through what it already has.
    pub(super) fn resync(&self, listener: &Arc<ListenerState>) {
        // Changes need the write lock, so they come wholly before or wholly after.
        let state = self.state.read();
        let Some(listener) = state
            .listeners
            .iter()
            .find(|one| Arc::ptr_eq(&one.state, listener))
        else {
            return;
        };
        if listener.state.pending() > state.store.len() {
            warn!(kind = %K::kind(&()), pending = listener.state.pending(), "an event handler cannot keep up with its resyncs; leaving one out");
            return;
        }
        for object in state.store.iter() {
            listener.send(InformerEvent::Updated {
                old: Arc::clone(object),
                new: Arc::clone(object),
            });
        }
    }

    /// Lets go of listeners that are no longer wanted; of all of them once the informer has stopped.
    pub(super) fn sweep(&self) {
        self.state
            .write()
            .listeners
            .retain(|listener| !listener.state.cancel.is_cancelled());
    }

    pub(super) fn list_failed(&self, source: WatchFailure) {
        self.report(&InformerError::List {
            kind: K::kind(&()).into_owned(),
            source,
        });
    }

    pub(super) fn watch_failed(&self, source: WatchFailure) {
        self.report(&InformerError::Watch {
            kind: K::kind(&()).into_owned(),
            source,
        });
    }

    /// Reports what does not decode, remembers the version, and makes the rest ready for the store.
    fn accept(&self, decoded: Result<K, Box<DecodeError>>) -> Option<Arc<K>> {
        match decoded {
            Ok(object) => {
                self.set_version(
                    object
                        .meta()
                        .resource_version
                        .as_deref()
                        .unwrap_or_default(),
                );
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
        self.counters
            .decode_failures
            .fetch_add(1, Ordering::Relaxed);
        self.report(&error.into());
    }

    fn report(&self, error: &InformerError) {
        self.counters.failures.fetch_add(1, Ordering::Relaxed);
        let handler = self.on_error.read().clone();
        if let Some(handler) = handler {
            handler(error);
        } else {
            warn!(kind = %K::kind(&()), "{error}");
        }
    }
}

impl<K: Object> State<K> {
    /// Hands one change to every listener that wants it.
    fn notify(&mut self, delta: Delta<K>) {
        let initial = !self.synced;
        let event = match delta {
            Delta::Added(object) => InformerEvent::Added {
                object,
                is_in_initial_list: initial,
            },
            Delta::Updated(old, new) => InformerEvent::Updated { old, new },
            Delta::Unchanged(object) => {
                let event = InformerEvent::Updated {
                    old: Arc::clone(&object),
                    new: object,
                };
                self.listeners
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
        if let Some((last, others)) = self.listeners.split_last() {
            for listener in others {
                listener.send(event.clone());
            }
            last.send(event);
        }
    }
}
