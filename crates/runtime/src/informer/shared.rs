//! The handle of an informer: handlers, indexes, reads and life cycle.
use std::{fmt, marker::PhantomData, sync::Arc, time::Duration};

use kube::{Client, api::ApiResource, core::discovery::Scope as ResourceScope};

use super::{
    InformerConfig, Namespaces,
    config::InvalidNamespace,
    error::{InformerError, Started, Stopped},
    handler::{EventHandler, dispatch},
    listener::Change,
    registration::HandlerRegistration,
    state::{MetaTransform, State},
    status::{InformerMetrics, InformerStatus},
    stream::EventStream,
    untyped::{Informer, InformerId},
};
use crate::{
    Object,
    cache::{
        AnyObject, IndexError, ObjectKey, ObjectKind, read, typed, typed_all, typed_mut, typed_ref,
    },
    lister::Lister,
};

/// A cache of all objects of a kind, kept up to date by one list and watch, and shared by handlers, listers and controllers.
///
/// Clones are cheap and refer to the same informer. It starts when you call [`start`](Self::start) here or on its factory. It stops on
/// [`shutdown`](Self::shutdown), or when its last handle, lister and event stream are dropped. It cannot be started again.
///
/// An informer owns its handlers. A handler that holds a handle or a lister of the same informer therefore keeps it running until
/// shutdown: give the handler a [detached lister](Lister::detached).
///
/// The guarantees are those of client-go's shared informer:
///
/// - The cache and its indexes show a change before any handler is called.
/// - The changes of one object arrive in order, though intermediate states may be missing.
/// - A handler that is added late first receives all objects as added.
/// - The next list reveals deletions that were missed while the connection was down.
///
/// ```
/// use k8s_openapi::api::core::v1::ConfigMap;
/// use kube_codegen_runtime::informer::{InformerConfig, SharedInformer};
/// use kube_codegen_testing::ApiServer;
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let server = ApiServer::new();
/// let maps = SharedInformer::<ConfigMap>::new(server.client(), InformerConfig::default());
/// maps.start();
/// maps.wait_synced().await?;
/// assert!(maps.lister().all().is_empty());
/// maps.shutdown().await;
/// # Ok(()) }
/// ```
pub struct SharedInformer<K: Object> {
    pub(super) inner: Arc<Informer>,
    of: PhantomData<fn() -> K>,
}

impl<K: Object> SharedInformer<K> {
    /// Creates an informer. It does nothing until you start it.
    pub fn new(client: Client, config: InformerConfig) -> Self
    where
        K::DynamicType: Default,
    {
        Self::with_resync(client, config, None)
    }

    /// Like [`new`](Self::new), with a resync period for handlers that have none of their own.
    pub fn with_resync(client: Client, config: InformerConfig, resync: Option<Duration>) -> Self
    where
        K::DynamicType: Default,
    {
        let dynamic = K::DynamicType::default();
        let kind = ObjectKind::of::<K>(&dynamic);
        Self::create(client, config, (dynamic, kind), resync, None)
    }

    /// Creates an informer for a kind that is known only at run time, as `DynamicObject` or `PartialObjectMeta`.
    ///
    /// ```
    /// use kube::{api::{ApiResource, DynamicObject}, core::{GroupVersionKind, discovery::Scope}};
    /// use kube_codegen_runtime::informer::{InformerConfig, SharedInformer};
    /// use kube_codegen_testing::ApiServer;
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let server = ApiServer::new();
    /// let maps = ApiResource::from_gvk_with_plural(&GroupVersionKind::gvk("", "v1", "ConfigMap"), "configmaps");
    /// let informer: SharedInformer<DynamicObject> =
    ///     SharedInformer::dynamic(server.client(), &maps, &Scope::Namespaced, InformerConfig::default());
    /// informer.start();
    /// informer.wait_synced().await?;
    /// # Ok(()) }
    /// ```
    pub fn dynamic(
        client: Client,
        resource: &ApiResource,
        scope: &ResourceScope,
        config: InformerConfig,
    ) -> Self
    where
        K: kube::Resource<DynamicType = ApiResource>,
    {
        let kind = ObjectKind::of_dynamic::<K>(resource, scope);
        Self::create(client, config, (resource.clone(), kind), None, None)
    }

    pub(super) fn create(
        client: Client,
        config: InformerConfig,
        (dynamic, kind): (K::DynamicType, ObjectKind),
        resync: Option<Duration>,
        meta_transform: Option<MetaTransform>,
    ) -> Self {
        let state = State::new(kind, read::<K>, &config, meta_transform);
        Self::of(Informer::new(
            state,
            client,
            Box::new(move |namespace| K::url_path(&dynamic, namespace)),
            config,
            resync,
        ))
    }

    /// Returns a handle of `inner`, which must be an informer of `K`.
    pub(super) fn of(inner: Arc<Informer>) -> Self {
        Self {
            inner,
            of: PhantomData,
        }
    }

    /// Returns the settings that the informer was created with.
    pub fn config(&self) -> &InformerConfig {
        &self.inner.config
    }

    /// Adds a handler. It receives all cached objects as added, and then every change.
    pub fn add_event_handler(&self, handler: impl EventHandler<K>) -> HandlerRegistration<K> {
        self.register(handler, self.inner.resync)
    }

    /// Like [`add_event_handler`](Self::add_event_handler), and also redelivers every object as an update once per `period` (at least one
    /// second). A resync sends no request. Use it for handlers that compare the cache with something outside Kubernetes.
    pub fn add_event_handler_with_resync(
        &self,
        handler: impl EventHandler<K>,
        period: Duration,
    ) -> HandlerRegistration<K> {
        self.register(handler, Some(period))
    }

    fn register(
        &self,
        mut handler: impl EventHandler<K>,
        resync: Option<Duration>,
    ) -> HandlerRegistration<K> {
        let handle = move |change: Change| dispatch(&mut handler, &change.event());
        HandlerRegistration::new(self.inner.register(Box::new(handle), resync))
    }

    /// Returns the events as an async stream. The stream keeps the informer running, and ends when the informer is shut down.
    pub fn events(&self) -> EventStream<K> {
        let Informer { state, running, .. } = &*self.inner;
        let (listener, inbox) = state.listener(false);
        state.listen(listener);
        EventStream::new(inbox, Arc::clone(state), Arc::clone(running))
    }

    /// Returns a lister for typed reads of the cache.
    pub fn lister(&self) -> Lister<K> {
        Lister::new(
            Arc::clone(&self.inner.state.kind),
            Arc::clone(&self.inner.state.store),
            Arc::clone(&self.inner.running),
        )
    }

    /// Adds an index called `name`. It finds objects by the values that `values_of` returns for them. Objects that are already cached are
    /// indexed at once.
    ///
    /// `values_of` must always return the same values for the same object, and must not use the informer. If it panics, the object is
    /// missing from the index, and the error handler receives [`InformerError::Panic`].
    pub fn add_index(
        &self,
        name: impl Into<String>,
        values_of: impl Fn(&K) -> Vec<String> + Send + Sync + 'static,
    ) -> Result<(), IndexError> {
        let state = &self.inner.state;
        let values_of = move |object: &dyn AnyObject| values_of(typed_ref(object));
        let added = state
            .store
            .write()
            .add_index(name.into(), Box::new(values_of));
        state.report_panics();
        added
    }

    /// Returns the objects that have `value` in the index `name`, in no particular order.
    pub fn by_index(&self, name: &str, value: &str) -> Result<Vec<Arc<K>>, IndexError> {
        let found = self.inner.state.store.read().by_index(name, value)?;
        Ok(typed_all(found))
    }

    /// Returns the values in the index `name` that at least one object has, in no particular order.
    pub fn index_values(&self, name: &str) -> Result<Vec<String>, IndexError> {
        self.inner.state.store.read().index_values(name)
    }

    /// Sets a function that changes every object before it is stored, to save memory. Fails after the start, because the cache may already
    /// hold objects.
    ///
    /// The transform must keep the name, namespace, uid and resource version. It runs after the factory's transform. A later call replaces
    /// the function.
    pub fn set_transform(
        &self,
        transform: impl Fn(&mut K) + Send + Sync + 'static,
    ) -> Result<(), Started> {
        let Informer { state, tasks, .. } = &*self.inner;
        let transform = move |object: &mut dyn AnyObject| {
            transform(typed_mut(object));
        };
        let set = || *state.transform.write() = Some(Arc::new(transform));
        tasks.before_start(set).then_some(()).ok_or(Started)
    }

    /// Calls `handler` with every failure: failed lists and watches, which are retried, and objects that cannot be decoded, which are
    /// skipped. Without a handler, failures are logged as warnings. The handler must return quickly. A later call replaces the handler.
    pub fn set_error_handler(&self, handler: impl Fn(&InformerError) + Send + Sync + 'static) {
        *self.inner.state.on_error.write() = Some(Arc::new(handler));
    }

    /// Returns the namespaces whose objects are currently cached.
    pub fn namespaces(&self) -> Namespaces {
        self.inner.state.namespaces()
    }

    /// Also caches the objects of another namespace. Does nothing if they are already cached. [`wait_synced`](Self::wait_synced) then
    /// waits for them.
    ///
    /// ```
    /// use k8s_openapi::api::core::v1::ConfigMap;
    /// use kube_codegen_runtime::informer::{InformerConfig, SharedInformer};
    /// use kube_codegen_testing::ApiServer;
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let config = InformerConfig { namespaces: "team-a".into(), ..InformerConfig::default() };
    /// let maps = SharedInformer::<ConfigMap>::new(ApiServer::new().client(), config);
    /// maps.start();
    /// maps.add_namespace("team-b")?;
    /// maps.wait_synced().await?;
    /// maps.remove_namespace("team-a");
    /// assert_eq!(maps.namespaces(), "team-b".into());
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// Fails if the name is not a valid namespace name.
    pub fn add_namespace(&self, name: &str) -> Result<(), InvalidNamespace> {
        self.inner.add_namespace(name)
    }

    /// Stops the list and watch of one of several namespaces. Its objects leave the cache, and handlers see them as deleted with an
    /// unknown final state. Returns `false` if the informer has no separate list and watch for this namespace.
    pub fn remove_namespace(&self, name: &str) -> bool {
        self.inner.remove_namespace(name)
    }

    /// Starts the list and watch, and the handlers. Does nothing if the informer has already been started or stopped.
    ///
    /// # Panics
    /// If called outside a Tokio runtime, like `tokio::spawn`.
    pub fn start(&self) {
        self.inner.start();
    }

    /// Stops the watch and the handlers, and waits until all their tasks have ended. The cache remains readable. A handler must not await
    /// this.
    pub async fn shutdown(&self) {
        self.inner.shutdown().await;
    }

    /// Whether the cache holds the first list and the informer has not [failed](Self::failure) since. Handlers may still be processing the
    /// list: see [`HandlerRegistration::has_synced`].
    pub fn has_synced(&self) -> bool {
        self.inner.has_synced()
    }

    /// Waits until the cache holds the first list, including the lists of namespaces that were added later.
    pub async fn wait_synced(&self) -> Result<(), Stopped> {
        self.inner.wait_synced().await
    }

    /// Whether the server serves the kind, as far as the informer knows. Becomes `false` when a list or watch fails because the server
    /// does not serve the kind (404). Nothing is cached then, and the informer lists again within ten seconds.
    ///
    /// ```
    /// # use kube_codegen_runtime::{informer::SharedInformer, client::TypedClient};
    /// # use k8s_openapi::api::core::v1::ConfigMap;
    /// async fn reconcile(monitors: &SharedInformer<ConfigMap>) -> kube::Result<()> {
    ///     if monitors.is_served() {
    ///         // Apply one: a kind of another operator, which may not be installed.
    ///     }
    ///     Ok(())
    /// }
    /// ```
    pub fn is_served(&self) -> bool {
        self.inner.missing().is_none()
    }

    /// Returns why the informer stopped by itself: a defect in its list and watch, or an invalid namespace name. Returns `None` while it
    /// runs, and after a shutdown. Failures that are retried do not stop it; see [`set_error_handler`](Self::set_error_handler).
    pub fn failure(&self) -> Option<String> {
        self.inner.failure()
    }

    /// Whether the informer has stopped.
    pub fn is_stopped(&self) -> bool {
        self.inner.state.stop.is_cancelled()
    }

    /// Waits until the informer stops.
    pub async fn stopped(&self) {
        self.inner.stopped().await;
    }

    /// Returns the resource version up to which the cache is complete; empty before the first list. With several namespaces, it is the
    /// lowest one.
    pub fn last_sync_resource_version(&self) -> String {
        self.inner.state.version()
    }

    /// Returns the current counters.
    pub fn metrics(&self) -> InformerMetrics {
        self.inner.metrics()
    }

    /// Returns the state of the informer, for debugging.
    pub fn status(&self) -> InformerStatus {
        self.inner.status()
    }

    /// Returns a function that returns the [`status`](Self::status), as long as the informer exists.
    #[cfg(feature = "metrics")]
    pub(crate) fn weak_status(&self) -> impl Fn() -> Option<InformerStatus> + Send + Sync + use<K> {
        let inner = Arc::downgrade(&self.inner);
        move || inner.upgrade().map(|inner| inner.status())
    }

    /// Returns the cached object of `key`.
    pub(crate) fn find(&self, key: &ObjectKey) -> Option<Arc<K>> {
        let (namespace, name) = key.parts();
        let store = self.inner.state.store.read();
        store.get(namespace, name).map(typed)
    }

    /// Returns the informer without its type, for code that is compiled once.
    pub(crate) fn untyped(&self) -> Arc<Informer> {
        Arc::clone(&self.inner)
    }

    /// Returns the same for all handles of this informer.
    pub(crate) fn id(&self) -> InformerId {
        self.inner.id()
    }

    /// Returns the names of the kind.
    pub(crate) fn kind(&self) -> &ObjectKind {
        &self.inner.state.kind
    }
}

impl<K: Object> AsRef<Self> for SharedInformer<K> {
    fn as_ref(&self) -> &Self {
        self
    }
}

impl<K: Object> Clone for SharedInformer<K> {
    fn clone(&self) -> Self {
        Self::of(Arc::clone(&self.inner))
    }
}

impl<K: Object> fmt::Debug for SharedInformer<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SharedInformer")
            .field("kind", &self.inner.state.kind.to_string())
            .field("config", &self.inner.config)
            .field("metrics", &self.metrics())
            .finish()
    }
}
