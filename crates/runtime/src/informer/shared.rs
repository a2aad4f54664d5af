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
/// A clone is a cheap handle on the same informer. It starts with [`start`](Self::start) (or its factory's), and stops with
/// [`shutdown`](Self::shutdown) or when its last handle, lister and event stream are dropped. It cannot be started again.
///
/// A handler belongs to its informer. So a handler that holds a handle or a lister of the same informer keeps it running until the shutdown: give
/// it a [detached lister](Lister::detached).
///
/// It gives the guarantees of client-go's shared informer: the cache and its indexes show a change before any handler is called; the changes
/// of one object arrive in order, though intermediate states may be missing; a handler added late first gets all objects as added; the next
/// list reveals deletions that were missed while the connection was down.
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
    /// Creates an informer, which does nothing until it is started.
    pub fn new(client: Client, config: InformerConfig) -> Self
    where
        K::DynamicType: Default,
    {
        Self::with_resync(client, config, None)
    }

    /// Like [`new`](Self::new), with a resync period for handlers without one of their own.
    pub fn with_resync(client: Client, config: InformerConfig, resync: Option<Duration>) -> Self
    where
        K::DynamicType: Default,
    {
        let dynamic = K::DynamicType::default();
        let kind = ObjectKind::of::<K>(&dynamic);
        Self::create(client, config, (dynamic, kind), resync, None)
    }

    /// Creates an informer of a kind that is known at run time only, for `DynamicObject` or `PartialObjectMeta`.
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

    /// Returns the settings with which the informer was created.
    pub fn config(&self) -> &InformerConfig {
        &self.inner.config
    }

    /// Adds a handler. It gets all cached objects as added, then every change.
    pub fn add_event_handler(&self, handler: impl EventHandler<K>) -> HandlerRegistration<K> {
        self.register(handler, self.inner.resync)
    }

    /// Like [`add_event_handler`](Self::add_event_handler), and redelivers every object as an update once per `period` (at least one second).
    /// A resync sends no request: it serves handlers that compare the cache with something outside of Kubernetes.
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

    /// Returns the same notifications as an async stream. It keeps the informer running, and ends when the informer is shut down.
    pub fn events(&self) -> EventStream<K> {
        let Informer { state, running, .. } = &*self.inner;
        let (listener, inbox) = state.listener(false);
        state.listen(listener);
        EventStream::new(inbox, Arc::clone(state), Arc::clone(running))
    }

    /// Returns typed reads of the cache.
    pub fn lister(&self) -> Lister<K> {
        Lister::new(
            Arc::clone(&self.inner.state.kind),
            Arc::clone(&self.inner.state.store),
            Arc::clone(&self.inner.running),
        )
    }

    /// Adds an index under `name`, which finds objects by each value that `values_of` returns for them. The cached objects are indexed at once.
    ///
    /// `values_of` must always return the same values for the same object, and must not use the informer. If it panics, this index does not find
    /// the object, and the error handler gets [`InformerError::Panic`].
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

    /// Returns the values of the index `name` that at least one object has, in no particular order.
    pub fn index_values(&self, name: &str) -> Result<Vec<String>, IndexError> {
        self.inner.state.store.read().index_values(name)
    }

    /// Changes every object before it is stored, to save memory. Fails after the start, since the cache may have objects already.
    ///
    /// The transform must keep name, namespace, uid and resource version. It runs after the transform of the factory. The last one set counts.
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

    /// Calls `handler` with every failure: lists and watches, which are retried, and objects that do not decode, which are skipped. Without a
    /// handler, failures are logged as warnings. The handler must return soon. The last one set counts.
    pub fn set_error_handler(&self, handler: impl Fn(&InformerError) + Send + Sync + 'static) {
        *self.inner.state.on_error.write() = Some(Arc::new(handler));
    }

    /// Returns the namespaces whose objects are cached now.
    pub fn namespaces(&self) -> Namespaces {
        self.inner.state.namespaces()
    }

    /// Caches the objects of another namespace, too. Does nothing if they are cached already. [`wait_synced`](Self::wait_synced) then waits for them.
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
    /// Fails if no namespace can have this name.
    pub fn add_namespace(&self, name: &str) -> Result<(), InvalidNamespace> {
        self.inner.add_namespace(name)
    }

    /// Stops the list and watch of one of several namespaces. Its objects leave the cache; handlers get them as deleted, with their final state
    /// unknown. Returns `false` if the informer has no list and watch of this namespace alone.
    pub fn remove_namespace(&self, name: &str) -> bool {
        self.inner.remove_namespace(name)
    }

    /// Starts the list and watch, and the handlers. Does nothing if the informer was started or stopped before.
    ///
    /// # Panics
    /// Outside of a Tokio runtime, like `tokio::spawn`.
    pub fn start(&self) {
        self.inner.start();
    }

    /// Stops the watch and the handlers, and waits until all their tasks have ended. The cache stays readable. A handler must not await this.
    pub async fn shutdown(&self) {
        self.inner.shutdown().await;
    }

    /// Whether the first list is in the cache, and the informer has not [failed](Self::failure) since. Handlers may still be working on the list:
    /// see [`HandlerRegistration::has_synced`].
    pub fn has_synced(&self) -> bool {
        self.inner.has_synced()
    }

    /// Waits until the first list is in the cache, also of namespaces that were added later.
    pub async fn wait_synced(&self) -> Result<(), Stopped> {
        self.inner.wait_synced().await
    }

    /// Whether the server serves the kind, as far as the informer knows: `false` since the first list or watch to which the server answered that it does
    /// not (404). Then nothing is cached, and the informer lists again at most ten seconds later.
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

    /// Returns why the informer ended by itself: a defect in its list and watch, or the name of a namespace that cannot exist. `None` while it
    /// runs, and after a shutdown. Failures that are retried do not end it; see [`set_error_handler`](Self::set_error_handler).
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

    /// Returns the resource version up to which the cache is complete; empty before the first list. Of several namespaces, it is the lowest.
    pub fn last_sync_resource_version(&self) -> String {
        self.inner.state.version()
    }

    /// Returns the current counters.
    pub fn metrics(&self) -> InformerMetrics {
        self.inner.metrics()
    }

    /// Returns the state, for people who debug.
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
