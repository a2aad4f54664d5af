//! The state that the tasks of one informer share: store, listeners and scopes.
use std::{collections::HashSet, hash::RandomState, sync::Arc};

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use parking_lot::{Mutex, RwLock};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;
use tracing::{error, warn};

use super::{
    error::{DecodeError, InformerError, Stopped, WatchFailure},
    handler::{Deleted, InformerEvent},
    listener::{Listener, ListenerState},
    scope::Scope,
};
use crate::{
    cache::{Delta, KeyedSet, Object, ObjectKey, ObjectKind, Store, names, same_state},
    panics,
};

/// Changes the metadata of every object before it is stored.
pub(super) type MetaTransform = Arc<dyn Fn(&mut ObjectMeta) + Send + Sync>;
/// Changes an object before it is stored.
pub(super) type Transform<K> = Arc<dyn Fn(&mut K) + Send + Sync>;
/// Receives failures.
pub(super) type ErrorHandler = Arc<dyn Fn(&InformerError) + Send + Sync>;

/// Number of objects of a list that are applied at once, before other tasks and readers get a turn.
const SLICE: usize = 256;

pub(super) struct State<K> {
    pub(super) kind: Arc<ObjectKind>,
    pub(super) store: Arc<RwLock<Store<K>>>,
    /// Locked around each change of the store, so that every listener gets every change once and in order.
    listeners: Mutex<Listeners<K>>,
    pub(super) scopes: RwLock<Vec<Arc<Scope>>>,
    /// The transform of the factory; runs before the informer's own.
    pub(super) meta_transform: Option<MetaTransform>,
    pub(super) transform: RwLock<Option<Transform<K>>>,
    pub(super) on_error: RwLock<Option<ErrorHandler>>,
    /// The first list of each scope is in the store, and the informer has not failed.
    synced: watch::Sender<bool>,
    pub(super) stop: CancellationToken,
    /// Why the informer stopped, unless it was stopped on purpose.
    failure: Mutex<Option<String>>,
    pub(super) metrics: Mutex<InformerMetrics>,
}

struct Listeners<K> {
    all: Vec<Listener<K>>,
    /// The first list of each scope is in the store.
    synced: bool,
}

/// Counters of one informer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct InformerMetrics {
    /// Objects in the cache.
    pub objects: usize,
    /// Handlers and event streams.
    pub handlers: usize,
    /// Complete lists, including the first.
    pub lists: u64,
    /// Changes received from the watch.
    pub events: u64,
    /// Failures of any sort, including decode failures.
    pub failures: u64,
    /// Objects that did not decode, counted each time they were received.
    pub decode_failures: u64,
}

/// An incomplete list.
pub(super) struct Listed<K> {
    objects: KeyedSet<K>,
    unreadable: HashSet<ObjectKey>,
}

impl<K: Object> Listed<K> {
    pub(super) fn new() -> Self {
        Self {
            objects: KeyedSet::new(RandomState::new()),
            unreadable: HashSet::new(),
        }
    }

    /// Removes an object that was deleted while the list was in progress.
    pub(super) fn remove(&mut self, deleted: Result<ObjectKey, Box<DecodeError>>) {
        if let Some(key) = deleted.map_or_else(|error| error.key, Some) {
            let (namespace, name) = key.parts();
            self.objects.remove(namespace, name);
            self.unreadable.remove(&key);
        }
    }

    fn has(&self, object: &K) -> bool {
        let (namespace, name) = names(object);
        self.objects.get(namespace, name).is_some()
            || self.unreadable.contains(&ObjectKey::of(object))
    }
}

impl<K: Object> State<K> {
    pub(super) fn new(kind: ObjectKind, meta_transform: Option<MetaTransform>) -> Self {
        Self {
            kind: Arc::new(kind),
            store: Arc::new(RwLock::new(Store::new())),
            listeners: Mutex::new(Listeners {
                all: Vec::new(),
                synced: false,
            }),
            scopes: RwLock::default(),
            meta_transform,
            transform: RwLock::default(),
            on_error: RwLock::default(),
            synced: watch::Sender::new(false),
            stop: CancellationToken::new(),
            failure: Mutex::default(),
            metrics: Mutex::default(),
        }
    }

    /// Returns the resource version up to which the store is complete: the lowest one of all scopes.
    pub(super) fn version(&self) -> String {
        let scopes = self.scopes.read();
        let versions = scopes.iter().map(|scope| scope.version());
        versions
            .min_by_key(|version| version.parse::<u64>().unwrap_or_default())
            .unwrap_or_default()
    }

    pub(super) fn has_synced(&self) -> bool {
        *self.synced.borrow()
    }

    pub(super) async fn wait_synced(&self) -> Result<(), Stopped> {
        wait_synced(&self.synced, &self.stop).await
    }

    /// Stops the informer because of `failure`.
    pub(super) fn fail(&self, failure: String) {
        error!(kind = %self.kind, "the informer ends: {failure}");
        self.failure.lock().get_or_insert(failure);
        self.synced.send_replace(false);
        self.stop.cancel();
        self.sweep();
    }

    pub(super) fn failure(&self) -> Option<String> {
        self.failure.lock().clone()
    }

    /// Stores an object that was added or modified.
    pub(super) fn apply(&self, scope: &Scope, decoded: Result<K, Box<DecodeError>>) {
        self.metrics.lock().events += 1;
        let version = version_of(&decoded);
        let Ok(object) = self.accept(decoded) else {
            return scope.set_version(&version);
        };
        let listeners = self.listeners.lock();
        let delta = self.store.write().apply(object);
        scope.set_version(&version);
        listeners.notify(delta);
        drop(listeners);
        self.report_panics();
    }

    /// Removes an object. Its name suffices if its final state does not decode.
    pub(super) fn delete(&self, scope: &Scope, decoded: Result<K, Box<DecodeError>>) {
        self.metrics.lock().events += 1;
        let version = version_of(&decoded);
        let accepted = self.accept(decoded);
        let listeners = self.listeners.lock();
        let delta = match accepted {
            Ok(object) => self.store.write().delete(object),
            Err(Some(key)) => self.store.write().delete_by_key(&key),
            Err(None) => None,
        };
        scope.set_version(&version);
        if let Some(delta) = delta {
            listeners.notify(delta);
        }
    }

    /// Adds one object to a list in progress. An object that the store holds in the same state is not allocated again.
    pub(super) fn list_one(&self, listed: &mut Listed<K>, decoded: Result<K, Box<DecodeError>>) {
        match self.accept(decoded) {
            Ok(object) => {
                let (namespace, name) = names(&*object);
                let stored = self.store.read().get(namespace, name).cloned();
                let stored = stored.filter(|stored| same_state(&**stored, &*object));
                listed.objects.insert(stored.unwrap_or(object));
            }
            Err(key) => listed.unreadable.extend(key),
        }
    }

    /// Replaces the content of a scope by a complete list, in slices.
    pub(super) async fn replace(&self, scope: &Scope, listed: Listed<K>, version: &str) {
        self.metrics.lock().lists += 1;
        let before = self.store.read().within(scope.namespace.as_deref());
        let mut objects = listed.objects.iter();
        while self.change(objects.by_ref().take(SLICE), |store, object| {
            Some(store.relist(Arc::clone(object)))
        }) {
            tokio::task::yield_now().await;
        }
        let mut before = before.iter();
        while self.change(before.by_ref().take(SLICE), |store, object| {
            let gone = !listed.has(object);
            gone.then(|| store.delete_by_key(&ObjectKey::of(&**object)))?
        }) {
            tokio::task::yield_now().await;
        }
        scope.set_version(version);
        scope.set_synced();
        self.update_synced();
        self.report_panics();
    }

    /// Removes the objects of a scope that has ended.
    pub(super) async fn forget(&self, scope: &Scope) {
        let before = self.store.read().within(scope.namespace.as_deref());
        let mut before = before.iter();
        while self.change(before.by_ref().take(SLICE), |store, object| {
            store.delete_by_key(&ObjectKey::of(&**object))
        }) {
            tokio::task::yield_now().await;
        }
    }

    /// Changes the store once for each of `objects`, then notifies the listeners. Returns `false` if there were none.
    fn change<'o>(
        &self,
        objects: impl Iterator<Item = &'o Arc<K>>,
        mut change: impl FnMut(&mut Store<K>, &Arc<K>) -> Option<Delta<K>>,
    ) -> bool {
        let listeners = self.listeners.lock();
        let mut store = self.store.write();
        let mut any = false;
        let deltas: Vec<_> = objects
            .inspect(|_| any = true)
            .filter_map(|object| change(&mut store, object))
            .collect();
        drop(store);
        for delta in deltas {
            listeners.notify(delta);
        }
        any
    }

    /// Marks the informer as synced once every scope is.
    pub(super) fn update_synced(&self) {
        let mut listeners = self.listeners.lock();
        if listeners.synced || !self.scopes.read().iter().all(|scope| scope.has_synced()) {
            return;
        }
        listeners.synced = true;
        listeners.all.iter().for_each(Listener::send_synced);
        if self.failure.lock().is_none() {
            self.synced.send_replace(true);
        }
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
            warn!(kind = %self.kind, pending, "skipping a resync: the event handler has not handled the previous one");
            return;
        }
        for object in store.iter() {
            listener.send(InformerEvent::Updated {
                old: Arc::clone(object),
                new: Arc::clone(object),
            });
        }
    }

    /// Returns the number of listeners.
    pub(super) fn handlers(&self) -> usize {
        self.listeners.lock().all.len()
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
            kind: self.kind.kind.clone(),
            source,
        });
    }

    pub(super) fn watch_failed(&self, source: WatchFailure) {
        self.report(&InformerError::Watch {
            kind: self.kind.kind.clone(),
            source,
        });
    }

    /// Returns the object ready for the store. Otherwise reports why it is not, and returns its name if known.
    fn accept(&self, decoded: Result<K, Box<DecodeError>>) -> Result<Arc<K>, Option<ObjectKey>> {
        match decoded {
            Ok(mut object) => match panics::catch(|| self.transform(&mut object)) {
                Ok(()) => Ok(Arc::new(object)),
                Err(message) => {
                    let key = ObjectKey::of(&object);
                    self.panicked(key.clone(), "transform".to_owned(), message);
                    Err(Some(key))
                }
            },
            Err(error) => {
                let key = error.key.clone();
                self.metrics.lock().decode_failures += 1;
                self.report(&(*error).into());
                Err(key)
            }
        }
    }

    fn transform(&self, object: &mut K) {
        if let Some(transform) = &self.meta_transform {
            transform(object.meta_mut());
        }
        let transform = self.transform.read().clone();
        if let Some(transform) = transform {
            transform(object);
        }
    }

    /// Reports the panics of index functions since the last call.
    pub(super) fn report_panics(&self) {
        if self.store.read().has_panics() {
            let panics = self.store.write().take_panics();
            for panic in panics {
                let function = format!("index {:?}", panic.index);
                self.panicked(panic.key, function, panic.message);
            }
        }
    }

    fn panicked(&self, key: ObjectKey, function: String, message: String) {
        self.report(&InformerError::Panic {
            kind: self.kind.kind.clone(),
            key,
            function,
            message,
        });
    }

    fn report(&self, error: &InformerError) {
        self.metrics.lock().failures += 1;
        let handler = self.on_error.read().clone();
        let Some(handler) = handler else {
            warn!(kind = %self.kind, "{error}");
            return;
        };
        if let Err(panic) = panics::catch(|| handler(error)) {
            error!(kind = %self.kind, "the error handler panicked on \"{error}\": {panic}");
        }
    }
}

/// Returns the resource version of a received object; empty if it cannot be read.
fn version_of<K: Object>(decoded: &Result<K, Box<DecodeError>>) -> String {
    match decoded {
        Ok(object) => object.meta().resource_version.clone(),
        Err(error) => error.resource_version.clone(),
    }
    .unwrap_or_default()
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
