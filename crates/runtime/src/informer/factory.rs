//! A factory of informers that share client, namespace, selectors and life cycle.
use std::{
    any::TypeId,
    fmt,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use futures::future;
use kube::{Client, api::ApiResource, core::discovery::Scope as ResourceScope};
use parking_lot::Mutex;
use tracing::debug;

use super::{
    InformerFactoryBuilder, InformerStatus, InvalidNamespace, Namespaces, SharedInformer,
    config::check_namespace,
    own_writes::OwnWrites,
    part::Division,
    synced::{NotSynced, not_synced, wait_settled_within, wait_synced, wait_synced_within},
    untyped::{Informer, InformerId},
};
use crate::Object;
use crate::cache::ObjectKind;

/// Creates one [`SharedInformer`] per kind, and starts and stops them together. Clones refer to the same factory.
///
/// ```no_run
/// use k8s_openapi::api::{apps::v1::Deployment, core::v1::Pod};
/// use kube_codegen_runtime::informer::InformerFactory;
/// # async fn example(client: kube::Client) -> Result<(), Box<dyn std::error::Error>> {
/// let factory = InformerFactory::new(client);
/// let (pods, deployments) = (factory.informer::<Pod>(), factory.informer::<Deployment>());
/// factory.start();
/// factory.wait_for_cache_sync().await?;
/// println!("{} pods of {} deployments", pods.lister().all().len(), deployments.lister().all().len());
/// factory.shutdown().await;
/// # Ok(()) }
/// ```
#[derive(Clone)]
pub struct InformerFactory {
    inner: Arc<Inner>,
}

struct Inner {
    settings: InformerFactoryBuilder,
    informers: Mutex<Informers>,
    /// Whether the informers were started at least once.
    is_started: AtomicBool,
    own_writes: OwnWrites,
}

struct Informers {
    /// Namespaces of informers that are created from now on.
    namespaces: Namespaces,
    /// With type and path of the collection: a dynamic type has several kinds. In the order of their creation, so that a program starts in
    /// the same order each time.
    all: Vec<((TypeId, String), Arc<Informer>)>,
}

impl InformerFactoryBuilder {
    /// Creates the factory.
    pub fn build(self) -> InformerFactory {
        InformerFactory::new_with(self)
    }
}

impl InformerFactory {
    /// Creates a factory whose informers cover all namespaces, without selectors.
    pub fn new(client: Client) -> Self {
        Self::builder(client).build()
    }

    /// Returns a builder for more settings.
    pub fn builder(client: Client) -> InformerFactoryBuilder {
        InformerFactoryBuilder::new(client)
    }

    fn new_with(settings: InformerFactoryBuilder) -> Self {
        Self {
            inner: Arc::new(Inner {
                informers: Mutex::new(Informers {
                    namespaces: settings.config.namespaces.clone(),
                    all: Vec::new(),
                }),
                settings,
                is_started: AtomicBool::new(false),
                own_writes: OwnWrites::default(),
            }),
        }
    }

    /// Returns an empty factory with the same settings, for another cluster.
    pub(crate) fn for_cluster(&self, client: Client, name: &str) -> Self {
        let settings = InformerFactoryBuilder {
            client,
            ..self.inner.settings.clone()
        };
        settings.cluster(name).build()
    }

    /// Returns the name of the member cluster.
    #[cfg(feature = "metrics")]
    pub(crate) fn cluster(&self) -> Option<&str> {
        self.inner.settings.config.cluster.as_deref()
    }

    /// Returns the client that the informers use.
    pub fn client(&self) -> &Client {
        &self.inner.settings.client
    }

    /// Returns a client whose writes the listers and indexes of this factory show at once: a read after a write never returns an older
    /// state. The client of a [`Manager`](crate::manager::Manager) already works this way. It works with `kube::Api` and with
    /// [`TypedClient`](crate::client::TypedClient).
    ///
    /// ```
    /// use k8s_openapi::api::core::v1::ConfigMap;
    /// use kube::api::DeleteParams;
    /// use kube_codegen_runtime::{client::TypedClient, informer::InformerFactory};
    /// use kube_codegen_testing::{ApiServer, On};
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let server = ApiServer::new();
    /// let factory = InformerFactory::new(server.client());
    /// let lister = factory.informer::<ConfigMap>().lister().namespaced("default");
    /// factory.start();
    /// factory.wait_for_cache_sync().await?;
    /// server.stall_watches(&On::any());
    ///
    /// let maps = TypedClient::<ConfigMap>::namespaced(factory.track_writes(&server.client()), "default");
    /// let mut map = ConfigMap::default();
    /// map.metadata.name = Some("a".into());
    /// maps.create(&map).await?;
    /// maps.modify("a", |map| map.immutable = Some(true)).await?;
    /// assert_eq!(lister.get("a")?.immutable, Some(true));
    /// maps.delete("a", &DeleteParams::default()).await?;
    /// assert!(lister.get("a").is_err());
    /// # Ok(()) }
    /// ```
    ///
    /// The response of each successful create, replace, patch, apply and delete is shown until the watch or a list delivers this state or
    /// a later one, or for at most five minutes. Nothing waits, and handlers only receive the changes that the watch delivers.
    ///
    /// Not tracked are dry runs, deletions of collections, the `scale` subresource, writes in another version than the informer's,
    /// informers with a field selector, and servers whose resource versions are not numbers. The client does not keep any informer
    /// running.
    ///
    /// # Panics
    /// If called outside a Tokio runtime, like `kube::Client::new`.
    #[must_use]
    pub fn track_writes(&self, client: &Client) -> Client {
        self.inner.own_writes.track(client)
    }

    /// Returns the shared informer of `K`, which the next [`start`](Self::start) starts.
    ///
    /// `informer::<PartialObjectMeta<K>>()` requests and caches only the metadata of the objects.
    pub fn informer<K: Object>(&self) -> SharedInformer<K>
    where
        K::DynamicType: Default,
    {
        let dynamic = K::DynamicType::default();
        let kind = ObjectKind::of::<K>(&dynamic);
        self.get_or_create(dynamic, kind)
    }

    /// Returns the shared informer of a kind that is known only at run time: of `DynamicObject`, or of `PartialObjectMeta` for metadata
    /// alone.
    ///
    /// ```
    /// use kube::{api::{ApiResource, DynamicObject}, core::{GroupVersionKind, discovery::Scope}};
    /// # use kube_codegen_runtime::informer::InformerFactory;
    /// # use kube_codegen_testing::ApiServer;
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let factory = InformerFactory::new(ApiServer::new().client());
    /// let maps = ApiResource::from_gvk_with_plural(&GroupVersionKind::gvk("", "v1", "ConfigMap"), "configmaps");
    /// let informer = factory.dynamic_informer::<DynamicObject>(&maps, &Scope::Namespaced);
    /// factory.start();
    /// factory.wait_for_cache_sync().await?;
    /// assert!(informer.lister().all().is_empty());
    /// # Ok(()) }
    /// ```
    pub fn dynamic_informer<K: Object<DynamicType = ApiResource>>(
        &self,
        resource: &ApiResource,
        scope: &ResourceScope,
    ) -> SharedInformer<K> {
        self.get_or_create(
            resource.clone(),
            ObjectKind::of_dynamic::<K>(resource, scope),
        )
    }

    fn get_or_create<K: Object>(
        &self,
        dynamic: K::DynamicType,
        kind: ObjectKind,
    ) -> SharedInformer<K> {
        let mut informers = self.inner.informers.lock();
        let id = (TypeId::of::<K>(), K::url_path(&dynamic, None));
        if let Some((_, informer)) = informers.all.iter().find(|(known, _)| *known == id) {
            return SharedInformer::of(Arc::clone(informer));
        }
        let settings = &self.inner.settings;
        let mut config = settings.config.clone();
        config.namespaces = informers.namespaces.clone();
        config.compact = settings.compact.contains(&TypeId::of::<K>());
        if let Some(configure) = settings.by_kind.get(&TypeId::of::<K>()) {
            configure(&mut config);
        }
        let informer = SharedInformer::<K>::create(
            settings.client.clone(),
            config,
            (dynamic, kind),
            settings.resync,
            settings.transform.clone(),
        );
        self.inner.own_writes.add(&informer.inner.state);
        informers.all.push((id, Arc::clone(&informer.inner)));
        informer
    }

    /// Also caches the objects of another namespace, in all informers that are limited to some namespaces.
    ///
    /// # Errors
    /// Fails if the name is not a valid namespace name.
    pub fn add_namespace(&self, name: &str) -> Result<(), InvalidNamespace> {
        check_namespace(name)?;
        let mut informers = self.inner.informers.lock();
        if let Namespaces::Only(names) = &mut informers.namespaces {
            names.insert(name.to_owned());
        }
        let mut all = informers.all.iter();
        all.try_for_each(|(_, informer)| informer.add_namespace(name))
    }

    /// Drops the objects of a namespace; see [`SharedInformer::remove_namespace`]. Returns `false` if no informer is limited to it.
    pub fn remove_namespace(&self, name: &str) -> bool {
        let mut informers = self.inner.informers.lock();
        let mut removed = match &mut informers.namespaces {
            Namespaces::All => false,
            Namespaces::Only(names) => names.remove(name),
        };
        for (_, informer) in &informers.all {
            removed |= informer.remove_namespace(name);
        }
        removed
    }

    /// Returns the state of each informer, sorted by kind.
    pub fn status(&self) -> Vec<InformerStatus> {
        let mut all: Vec<_> = self.informers().iter().map(|one| one.status()).collect();
        all.sort_by_cached_key(|one| (one.kind.clone(), one.group.clone(), one.version.clone()));
        all
    }

    /// Returns a function that returns the [`status`](Self::status), as long as the factory exists.
    #[cfg(feature = "metrics")]
    pub(crate) fn weak_status(&self) -> impl Fn() -> Vec<InformerStatus> + Send + Sync + use<> {
        let inner = Arc::downgrade(&self.inner);
        move || {
            let inner = inner.upgrade();
            inner.map_or_else(Vec::new, |inner| Self { inner }.status())
        }
    }

    /// Starts all requested informers that are not running yet. Call it again after you request more.
    ///
    /// # Panics
    /// If called outside a Tokio runtime, like `tokio::spawn`.
    pub fn start(&self) {
        self.informers()
            .iter()
            .for_each(|informer| informer.start());
        self.inner.is_started.store(true, Ordering::Release);
    }

    /// Waits until every requested informer has received its first list.
    ///
    /// # Errors
    /// Fails if an informer is stopped, or was requested after [`start`](Self::start) and has not been started since.
    pub async fn wait_for_cache_sync(&self) -> Result<(), NotSynced> {
        let informers = self.informers();
        self.check_started(&informers)?;
        wait_synced(&informers).await
    }

    /// Like [`wait_for_cache_sync`](Self::wait_for_cache_sync), but fails after `timeout` and names the kinds that did not sync.
    pub async fn wait_for_cache_sync_within(&self, timeout: Duration) -> Result<(), NotSynced> {
        let informers = self.informers();
        self.check_started(&informers)?;
        wait_synced_within(&informers, timeout).await
    }

    /// Fails if nothing will start some of the informers. Before the first start, all of them wait for it.
    fn check_started(&self, informers: &[Arc<Informer>]) -> Result<(), NotSynced> {
        if !self.inner.is_started.load(Ordering::Acquire) {
            return Ok(());
        }
        let waiting = informers.iter().filter(|informer| !informer.is_started());
        not_synced(waiting.map(|informer| informer.kind()).collect())
    }

    /// Starts the informers that `select` accepts, and waits until they have their first lists, or the server does not serve their kinds.
    pub(crate) async fn fill(
        &self,
        timeout: Duration,
        select: impl Fn(InformerId) -> bool,
    ) -> Result<(), NotSynced> {
        let mut informers = self.informers();
        informers.retain(|informer| select(informer.id()));
        for informer in &informers {
            informer.start();
        }
        wait_settled_within(&informers, timeout).await
    }

    /// Lets the informers that `select` accepts cache only the ranges of objects that this process needs.
    pub(crate) fn divide(&self, division: &Arc<dyn Division>, select: impl Fn(InformerId) -> bool) {
        for informer in self.informers() {
            if select(informer.id()) && !informer.divide(division) {
                debug!(kind = informer.kind(), "all objects are cached");
            }
        }
    }

    /// Stops all informers and waits until their tasks have ended. Their caches remain readable, but they cannot be started again.
    pub async fn shutdown(&self) {
        let informers = self.informers();
        future::join_all(informers.iter().map(|informer| informer.shutdown())).await;
    }

    /// Waits until one of the informers requested so far ends by itself. Returns its kind and the cause.
    pub(crate) async fn failed(&self) -> (String, String) {
        let informers = self.informers();
        if informers.is_empty() {
            return future::pending().await;
        }
        let failures = informers.iter().map(|informer| Box::pin(informer.failed()));
        let (message, index, _) = future::select_all(failures).await;
        (informers[index].kind(), message)
    }

    fn informers(&self) -> Vec<Arc<Informer>> {
        let informers = self.inner.informers.lock();
        let all = informers.all.iter();
        all.map(|(_, informer)| Arc::clone(informer)).collect()
    }
}

impl fmt::Debug for InformerFactory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kinds: Vec<_> = self
            .informers()
            .iter()
            .map(|informer| informer.kind())
            .collect();
        f.debug_struct("InformerFactory")
            .field("config", &self.inner.settings.config)
            .field("kinds", &kinds)
            .finish()
    }
}
