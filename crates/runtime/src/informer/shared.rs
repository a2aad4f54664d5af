//! The handle of an informer: handlers, indexes, reads and life cycle. All of its clones are one informer with one cache and one watch.
use super::{
    InformerConfig, Object,
    core::{Core, State},
    error::{InformerError, Stopped},
    handler::EventHandler,
    index::Index,
    listener::{self, EventStream},
    registration::{HandlerRegistration, resync_every},
    source::Source,
    tasks::Tasks,
};
use crate::lister::Lister;
use kube::Client;
use parking_lot::RwLockReadGuard;
use std::{
    fmt,
    sync::{Arc, atomic::Ordering},
    time::Duration,
};
use thiserror::Error;
use tokio_util::sync::DropGuard;

/// Name of the index by namespace, which every informer has from the start.
pub const NAMESPACE_INDEX: &str = "namespace";

/// Shortest period of a resync.
const MIN_RESYNC: Duration = Duration::from_secs(1);

/// One cache of all objects of a kind, kept up to date by one list and watch, and shared by handlers, listers and controllers.
///
/// A clone is a cheap handle on the same informer. It starts with [`start`](Self::start) (or its factory's), and stops with
/// [`shutdown`](Self::shutdown) or when the last handle, lister and stream of it is dropped. It cannot be started again.
///
/// What it promises is what client-go's shared informer does: the cache and its indexes show a change before any handler hears of it; the changes of one
/// object come in order, of states in between some may be missing; a handler added late first hears of all objects as added; deletions missed while the
/// connection was down are found out by the next list.
pub struct SharedInformer<K> {
    inner: Arc<Inner<K>>,
}

struct Inner<K> {
    core: Arc<Core<K>>,
    client: Client,
    config: InformerConfig,
    /// Resync period of handlers that do not ask for one.
    resync: Option<Duration>,
    tasks: Tasks,
    /// Stops the tasks when the last handle is dropped; they hold the core alone.
    _stop: DropGuard,
}

/// Numbers of one informer, as of now.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct InformerMetrics {
    /// Objects in the cache.
    pub objects: usize,
    /// Complete lists, the first included.
    pub lists: u64,
    /// Changes that the watch told.
    pub events: u64,
    /// Failures of any sort, decode failures included.
    pub failures: u64,
    /// Objects that did not decode, counted each time they came.
    pub decode_failures: u64,
}

/// An index could not be added or asked.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum IndexError {
    /// There is no index of that name.
    #[error("there is no index \"{0}\"")]
    Unknown(String),
    /// There already is an index of that name.
    #[error("there already is an index \"{0}\"")]
    Exists(String),
}

impl<K: Object> SharedInformer<K> {
    /// An informer that holds no object, and does nothing until it is started.
    pub fn new(client: Client, config: InformerConfig) -> Self {
        Self::with_resync(client, config, None)
    }

    /// Like [`new`](Self::new), with a resync period for handlers that do not ask for another.
    pub fn with_resync(client: Client, config: InformerConfig, resync: Option<Duration>) -> Self {
        let core = Arc::new(Core::new());
        let stop = core.stop.clone().drop_guard();
        Self {
            inner: Arc::new(Inner {
                core,
                client,
                config,
                resync,
                tasks: Tasks::default(),
                _stop: stop,
            }),
        }
    }

    /// What the informer asks the server for.
    pub fn config(&self) -> &InformerConfig {
        &self.inner.config
    }

    /// Adds a handler that hears of every change from now on, and first of all that is in the cache.
    pub fn add_event_handler(&self, handler: impl EventHandler<K>) -> HandlerRegistration<K> {
        self.register(handler, self.inner.resync)
    }

    /// Like [`add_event_handler`](Self::add_event_handler); besides, every object comes up again, as an update of itself, once per `period` (at least
    /// one second). No request is made for it: it serves handlers which compare the cache with something outside of Kubernetes.
    pub fn add_event_handler_with_resync(
        &self,
        handler: impl EventHandler<K>,
        period: Duration,
    ) -> HandlerRegistration<K> {
        self.register(handler, Some(period))
    }

    fn register(
        &self,
        handler: impl EventHandler<K>,
        resync: Option<Duration>,
    ) -> HandlerRegistration<K> {
        let Inner { core, tasks, .. } = &*self.inner;
        let (listener, inbox) = listener::queue(core.stop.child_token(), resync.is_some());
        let state = Arc::clone(&listener.state);
        core.listen(listener);
        tasks.spawn(inbox.drive(handler));
        if let Some(period) = resync {
            tasks.spawn(resync_every(
                period.max(MIN_RESYNC),
                Arc::clone(core),
                Arc::clone(&state),
            ));
        }
        HandlerRegistration::new(Arc::clone(core), state)
    }

    /// The same notifications as an async stream, with a growing queue of its own. It ends with the informer.
    pub fn events(&self) -> EventStream<K> {
        let (listener, inbox) = listener::queue(self.inner.core.stop.child_token(), false);
        self.inner.core.listen(listener);
        EventStream::new(inbox)
    }

    /// Typed reads of the cache.
    pub fn lister(&self) -> Lister<K> {
        Lister::new(self.clone())
    }

    /// Adds an index under `name`: objects can then be found by each value that `values_of` gives for them. Possible at any time; what is stored
    /// already is indexed at once. `values_of` must always give the same values for the same object, and must not use the informer.
    pub fn add_index(
        &self,
        name: impl Into<String>,
        values_of: impl Fn(&K) -> Vec<String> + Send + Sync + 'static,
    ) -> Result<(), IndexError> {
        let name = name.into();
        let added = name != NAMESPACE_INDEX
            && self
                .inner
                .core
                .state
                .write()
                .store
                .add_index(name.clone(), Index::new(Box::new(values_of)));
        if added {
            Ok(())
        } else {
            Err(IndexError::Exists(name))
        }
    }

    /// The objects behind `value` in the index `name`, in no particular order.
    pub fn by_index(&self, name: &str, value: &str) -> Result<Vec<Arc<K>>, IndexError> {
        let state = self.read();
        if name == NAMESPACE_INDEX {
            return Ok(state.store.in_namespace(value).cloned().collect());
        }
        let index = state
            .store
            .index(name)
            .ok_or_else(|| IndexError::Unknown(name.to_owned()))?;
        Ok(index.get(value).cloned().collect())
    }

    /// All values of the index `name` behind which there is an object, in no particular order.
    pub fn index_values(&self, name: &str) -> Result<Vec<String>, IndexError> {
        let state = self.read();
        if name == NAMESPACE_INDEX {
            return Ok(state.store.namespaces().map(str::to_owned).collect());
        }
        let index = state
            .store
            .index(name)
            .ok_or_else(|| IndexError::Unknown(name.to_owned()))?;
        Ok(index.values().cloned().collect())
    }

    /// Changes every object before it is stored, to save memory: see [`strip_managed_fields`](super::strip_managed_fields). Name, namespace, uid and
    /// resource version must stay. Takes effect for what arrives from now on, so set it before the start; the last one set counts.
    pub fn set_transform(&self, transform: impl Fn(&mut K) + Send + Sync + 'static) {
        *self.inner.core.transform.write() = Some(Arc::new(transform));
    }

    /// Hears of every failure: failed lists and watches, which are tried again, and objects that do not decode, which are left out. Without one they
    /// are logged as warnings. Must return soon; the last one set counts.
    pub fn set_error_handler(&self, handler: impl Fn(&InformerError) + Send + Sync + 'static) {
        *self.inner.core.on_error.write() = Some(Arc::new(handler));
    }

    /// Starts to list and watch, and the handlers; again, or after [`shutdown`](Self::shutdown), it does nothing.
    ///
    /// # Panics
    /// Outside of a Tokio runtime, like `tokio::spawn`.
    pub fn start(&self) {
        let Inner {
            core,
            client,
            config,
            tasks,
            ..
        } = &*self.inner;
        if core.stop.is_cancelled() || !tasks.start() {
            return;
        }
        let source = Source::new(client.clone(), config, Arc::clone(core));
        let core = Arc::clone(core);
        tasks.spawn(async move {
            // Also if the source panics (a transform or index function may), nobody shall wait for an informer that is gone.
            let guard = AtEnd(core);
            guard.0.stop.run_until_cancelled(source.run()).await;
        });
    }

    /// Stops the watch and the handlers and waits until all their tasks have ended. The cache can still be read. Must not be awaited by a handler.
    pub async fn shutdown(&self) {
        self.inner.core.stop.cancel();
        self.inner.core.sweep();
        self.inner.tasks.join().await;
    }

    /// Whether the first list is in the cache. A handler may still be busy with it: see [`HandlerRegistration::has_synced`].
    pub fn has_synced(&self) -> bool {
        self.inner.core.has_synced()
    }

    /// Waits until the first list is in the cache.
    pub async fn wait_synced(&self) -> Result<(), Stopped> {
        self.inner.core.wait_synced().await
    }

    /// Whether the informer has come to its end.
    pub fn is_stopped(&self) -> bool {
        self.inner.core.stop.is_cancelled()
    }

    /// Waits for the informer's end.
    pub async fn stopped(&self) {
        self.inner.core.stop.cancelled().await;
    }

    /// The resource version up to which the cache is complete; empty before the first list.
    pub fn last_sync_resource_version(&self) -> String {
        self.inner.core.version()
    }

    /// Numbers for monitoring.
    pub fn metrics(&self) -> InformerMetrics {
        let counters = &self.inner.core.counters;
        InformerMetrics {
            objects: self.read().store.len(),
            lists: counters.lists.load(Ordering::Relaxed),
            events: counters.events.load(Ordering::Relaxed),
            failures: counters.failures.load(Ordering::Relaxed),
            decode_failures: counters.decode_failures.load(Ordering::Relaxed),
        }
    }

    /// The object of that namespace (empty for cluster-scoped kinds) and name.
    pub(crate) fn find(&self, namespace: &str, name: &str) -> Option<Arc<K>> {
        self.read().store.get(namespace, name).cloned()
    }

    /// The objects of one namespace, or of all, that `wanted` accepts.
    pub(crate) fn select(
        &self,
        namespace: Option<&str>,
        mut wanted: impl FnMut(&K) -> bool,
    ) -> Vec<Arc<K>> {
        let state = self.read();
        let wanted = |object: &&Arc<K>| wanted(object);
        match namespace {
            Some(namespace) => state
                .store
                .in_namespace(namespace)
                .filter(wanted)
                .cloned()
                .collect(),
            None => state.store.iter().filter(wanted).cloned().collect(),
        }
    }

    fn read(&self) -> RwLockReadGuard<'_, State<K>> {
        self.inner.core.state.read()
    }
}

impl<K> Clone for SharedInformer<K> {
    fn clone(&self) -> Self {
        Self {
            inner: Arc::clone(&self.inner),
        }
    }
}

impl<K: Object> fmt::Debug for SharedInformer<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SharedInformer")
            .field("kind", &K::kind(&()))
            .field("config", &self.inner.config)
            .field("metrics", &self.metrics())
            .finish()
    }
}

/// Marks an informer as stopped when its source ends, however it ends.
struct AtEnd<K: Object>(Arc<Core<K>>);

impl<K: Object> Drop for AtEnd<K> {
    fn drop(&mut self) {
        self.0.stop.cancel();
        self.0.sweep();
    }
}
