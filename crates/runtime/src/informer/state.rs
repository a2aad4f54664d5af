//! The state that the tasks of one informer share: store, listeners and scopes.
use std::{
    sync::{Arc, atomic::AtomicU64},
    time::Duration,
};

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use parking_lot::{Mutex, RwLock};
use tokio::{
    sync::{Notify, watch},
    time::Instant,
};
use tokio_util::sync::CancellationToken;
use tracing::{error, warn};

use super::{
    InformerConfig, Namespaces,
    error::{Decoded, InformerError, Stopped, WatchFailure},
    listener::{self, Inbox, Listener, ListenerState, Listeners, Notice},
    scope::{Scope, Source},
    selects::Selects,
    served::Service,
    status::{HandlerStatus, InformerMetrics},
    waiting::wait_synced,
};
use crate::{
    cache::{AnyObject, Form, ObjectKey, ObjectKind, Read, Shared, Store, unique},
    client::describe,
    panics,
};

/// Changes the metadata of every object before it is stored.
pub(super) type MetaTransform = Arc<dyn Fn(&mut ObjectMeta) + Send + Sync>;
/// Changes an object before it is stored.
pub(super) type Transform = Arc<dyn Fn(&mut dyn AnyObject) + Send + Sync>;
/// Receives failures.
pub(super) type ErrorHandler = Arc<dyn Fn(&InformerError) + Send + Sync>;

pub(super) struct State {
    pub(super) kind: Arc<ObjectKind>,
    pub(super) read: Read,
    form: Form,
    /// For log lines.
    pub(super) cluster: Option<String>,
    pub(super) store: Arc<RwLock<Store>>,
    /// Locked around each change of the store, so that every listener gets every change once and in order.
    pub(super) listeners: Mutex<Listeners>,
    pub(super) scopes: RwLock<Vec<Arc<Scope>>>,
    /// The highest version of a list: what the cache had up to it may not have come from the watch.
    pub(super) listed: AtomicU64,
    /// Which written objects the cache shows before the watch delivers them.
    pub(super) selects: Selects,
    /// Notified after an own write.
    pub(super) written: Notify,
    pub(super) keep_managed_fields: bool,
    /// The transform of the factory; runs before the informer's own.
    pub(super) meta_transform: Option<MetaTransform>,
    pub(super) transform: RwLock<Option<Transform>>,
    pub(super) on_error: RwLock<Option<ErrorHandler>>,
    pub(super) service: Service,
    /// The first list of each scope is in the store, and the informer has not failed.
    synced: watch::Sender<bool>,
    pub(super) stop: CancellationToken,
    /// Why the informer stopped, unless it was stopped on purpose.
    failure: Mutex<Option<String>>,
    pub(super) metrics: Mutex<InformerMetrics>,
    /// When the server last sent something.
    received: Mutex<Option<Instant>>,
}

impl State {
    pub(super) fn new(
        kind: ObjectKind,
        read: Read,
        config: &InformerConfig,
        meta_transform: Option<MetaTransform>,
    ) -> Self {
        let store = Store::new(config.compact, read);
        Self {
            kind: Arc::new(kind),
            read,
            form: store.form(),
            cluster: config.cluster.clone(),
            listeners: Mutex::new(Listeners {
                all: Vec::new(),
                form: store.form(),
                synced: false,
            }),
            store: Arc::new(RwLock::new(store)),
            scopes: RwLock::default(),
            listed: AtomicU64::new(0),
            selects: Selects::new(config),
            written: Notify::new(),
            keep_managed_fields: config.keep_managed_fields,
            meta_transform,
            transform: RwLock::default(),
            on_error: RwLock::default(),
            service: Service::new(),
            synced: watch::Sender::new(false),
            stop: CancellationToken::new(),
            failure: Mutex::default(),
            metrics: Mutex::default(),
            received: Mutex::default(),
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

    /// Returns the namespaces whose objects are cached now.
    pub(super) fn namespaces(&self) -> Namespaces {
        let scopes = self.scopes.read();
        let names: Option<_> = scopes
            .iter()
            .filter(|scope| !scope.stop.is_cancelled() || self.stop.is_cancelled())
            .map(|scope| scope.namespace.clone())
            .collect();
        names.map_or(Namespaces::All, Namespaces::Only)
    }

    /// Records a bookmark: the server has sent all changes up to `version`.
    pub(super) fn bookmark(&self, from: Source<'_>, version: &str) {
        self.progress(&self.listeners.lock(), from, version);
        self.received();
    }

    /// Records that a watch has delivered everything up to `version`, unless another one follows, which delivers more objects.
    fn progress(&self, listeners: &Listeners, from: Source<'_>, version: &str) {
        if from.scope.is_current(from.generation) {
            self.advance(listeners, from.scope, version);
        }
    }

    /// Records that the server sent something.
    pub(super) fn received(&self) {
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

    /// Stops the informer because of `failure`.
    pub(super) fn fail(&self, failure: String) {
        error!(kind = %self.kind, cluster = self.cluster, "the informer ends: {failure}");
        self.failure.lock().get_or_insert(failure);
        self.synced.send_replace(false);
        self.stop.cancel();
        self.sweep();
    }

    pub(super) fn failure(&self) -> Option<String> {
        self.failure.lock().clone()
    }

    /// Stores an object that was added or modified.
    pub(super) fn apply(&self, from: Source<'_>, decoded: Decoded) {
        let _timer = self.time_event();
        let version = version_of(&decoded);
        let Ok(object) = self.accept(decoded) else {
            return self.progress(&self.listeners.lock(), from, &version);
        };
        let listeners = self.listeners.lock();
        let delta = from
            .accepts(object.metadata())
            .then(|| self.store.write().apply(object))
            .flatten();
        self.progress(&listeners, from, &version);
        if let Some(delta) = delta {
            listeners.notify(delta);
        }
        drop(listeners);
        self.report_panics();
    }

    /// Removes an object. Its name suffices if its final state does not decode.
    pub(super) fn delete(&self, from: Source<'_>, decoded: Decoded) {
        let _timer = self.time_event();
        let version = version_of(&decoded);
        let accepted = self.accept(decoded);
        let listeners = self.listeners.lock();
        let delta = match accepted {
            Ok(object) if !from.accepts(object.metadata()) => None,
            Ok(object) => self.store.write().delete(object),
            Err(Some(key)) if from.scope.is_current(from.generation) => {
                self.store.write().delete_by_key(&key, "")
            }
            Err(_) => None,
        };
        self.progress(&listeners, from, &version);
        if let Some(delta) = delta {
            listeners.notify(delta);
        }
    }

    /// Marks the informer as synced once every scope is.
    pub(super) fn update_synced(&self) {
        let mut listeners = self.listeners.lock();
        if listeners.synced || !self.scopes.read().iter().all(|scope| scope.has_synced()) {
            return;
        }
        listeners.synced = true;
        for listener in &listeners.all {
            listener.send(Notice::Synced);
        }
        if self.failure.lock().is_none() {
            self.synced.send_replace(true);
        }
    }

    /// Creates the queue of a listener.
    pub(super) fn listener(&self, resyncs: bool) -> (Listener, Inbox) {
        let form = self.listeners.lock().form.clone();
        listener::queue(form, self.stop.child_token(), resyncs)
    }

    /// Adds a listener. It gets every stored object as added, then every later change.
    pub(super) fn listen(&self, listener: Listener) {
        let mut listeners = self.listeners.lock();
        if listener.state.cancel.is_cancelled() {
            return;
        }
        for held in self.store.read().within(None) {
            listener.send(Notice::Added(held, true));
        }
        if listeners.synced {
            listener.send(Notice::Synced);
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
            warn!(kind = %self.kind, cluster = self.cluster, pending, "skipping a resync: the event handler has not handled the previous one");
            return;
        }
        for held in store.within(None) {
            listener.send(Notice::Redelivered(held));
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
            kind: self.kind.kind.clone(),
            api_version: self.kind.api_version.clone(),
            source,
        });
    }

    pub(super) fn watch_failed(&self, source: WatchFailure) {
        self.report(&InformerError::Watch {
            kind: self.kind.kind.clone(),
            api_version: self.kind.api_version.clone(),
            source,
        });
    }

    /// Returns the object ready for the store. Otherwise reports why it is not, and returns its name if known.
    pub(super) fn accept(&self, decoded: Decoded) -> Result<Shared, Option<ObjectKey>> {
        match decoded {
            Ok(mut object) => match panics::catch(|| self.transform(&mut object)) {
                Ok(()) => Ok(object),
                Err(message) => {
                    let key = ObjectKey::of_meta(object.metadata());
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

    /// Decodes an object that the server has sent.
    pub(super) fn decode(&self, text: &str) -> serde_json::Result<Shared> {
        let (object, skipped) = (self.read)(text, self.keep_managed_fields)?;
        // What a transform changes is not what was sent.
        if self.meta_transform.is_none() && self.transform.read().is_none() {
            self.form
                .receive(text, self.keep_managed_fields, skipped, &object);
        }
        Ok(object)
    }

    fn transform(&self, object: &mut Shared) {
        if let Some(transform) = &self.meta_transform {
            transform(unique(object).metadata_mut());
        }
        let transform = self.transform.read().clone();
        if let Some(transform) = transform {
            transform(unique(object));
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
            warn!(kind = %self.kind, cluster = self.cluster, "{}", describe(error));
            return;
        };
        if let Err(panic) = panics::catch(|| handler(error)) {
            let error = describe(error);
            error!(kind = %self.kind, cluster = self.cluster, "the error handler panicked on \"{error}\": {panic}");
        }
    }
}

/// Returns the resource version of a received object; empty if it cannot be read.
fn version_of(decoded: &Decoded) -> String {
    match decoded {
        Ok(object) => object.metadata().resource_version.clone(),
        Err(error) => error.resource_version.clone(),
    }
    .unwrap_or_default()
}
