//! A factory of informers that share client, namespace, selectors and life cycle.
use std::{
    any::{Any, TypeId},
    collections::HashMap,
    fmt,
    sync::Arc,
    time::Duration,
};

use futures::future::{self, BoxFuture, FutureExt};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kube::Client;
use parking_lot::Mutex;
use thiserror::Error;

use super::{InformerConfig, InformerStatus, InitialList, SharedInformer, status::kind_and_group};
use crate::cache::Object;

/// Changes the metadata of every object before it is stored.
type MetaTransform = Arc<dyn Fn(&mut ObjectMeta) + Send + Sync>;

/// Creates one [`SharedInformer`] per kind, and starts and stops them together. A clone is a handle on the same factory.
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
    informers: Mutex<HashMap<TypeId, Arc<dyn Managed>>>,
}

/// An informer of any kind.
trait Managed: Any + Send + Sync {
    fn kind(&self) -> String;
    fn start(&self);
    fn has_synced(&self) -> bool;
    fn wait_synced(&self) -> BoxFuture<'_, bool>;
    fn stop(&self) -> BoxFuture<'_, ()>;
    fn status(&self) -> InformerStatus;
}

impl<K: Object> Managed for SharedInformer<K> {
    fn kind(&self) -> String {
        kind_and_group(&K::kind(&()), &K::group(&()))
    }

    fn start(&self) {
        SharedInformer::start(self);
    }

    fn has_synced(&self) -> bool {
        SharedInformer::has_synced(self)
    }

    fn wait_synced(&self) -> BoxFuture<'_, bool> {
        SharedInformer::wait_synced(self)
            .map(|result| result.is_ok())
            .boxed()
    }

    fn stop(&self) -> BoxFuture<'_, ()> {
        self.shutdown().boxed()
    }

    fn status(&self) -> InformerStatus {
        SharedInformer::status(self)
    }
}

/// Some informers have no complete list yet: they were stopped, never started, or the timeout elapsed.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("not synced: {}", kinds.join(", "))]
pub struct NotSynced {
    /// Kinds and groups of those informers (`Pod`, `Deployment.apps`), sorted.
    pub kinds: Vec<String>,
}

impl InformerFactory {
    /// Creates a factory of informers over all namespaces, without selectors.
    pub fn new(client: Client) -> Self {
        Self::builder(client).build()
    }

    /// Returns a builder, for more settings than the client.
    pub fn builder(client: Client) -> InformerFactoryBuilder {
        InformerFactoryBuilder {
            client,
            config: InformerConfig::default(),
            transform: None,
            resync: None,
        }
    }

    /// Returns the client that the informers use.
    pub fn client(&self) -> &Client {
        &self.inner.settings.client
    }

    /// Returns the shared informer of `K`, which the next [`start`](Self::start) starts.
    pub fn informer<K: Object>(&self) -> SharedInformer<K> {
        let mut informers = self.inner.informers.lock();
        if let Some(managed) = informers.get(&TypeId::of::<K>()) {
            let any: &dyn Any = &**managed;
            if let Some(informer) = any.downcast_ref::<SharedInformer<K>>() {
                return informer.clone();
            }
        }
        let settings = &self.inner.settings;
        let (client, config) = (settings.client.clone(), settings.config.clone());
        let informer = SharedInformer::<K>::with_resync(client, config, settings.resync);
        if let Some(transform) = settings.transform.clone() {
            informer.set_transform(move |object| transform(object.meta_mut()));
        }
        informers.insert(TypeId::of::<K>(), Arc::new(informer.clone()));
        informer
    }

    /// Returns the state of each informer, sorted by kind.
    pub fn status(&self) -> Vec<InformerStatus> {
        let mut all: Vec<_> = self.managed().iter().map(|one| one.status()).collect();
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

    /// Starts all informers that were requested and do not run yet. Call it again after you request more.
    ///
    /// # Panics
    /// Outside of a Tokio runtime, like `tokio::spawn`.
    pub fn start(&self) {
        self.managed().iter().for_each(|informer| informer.start());
    }

    /// Waits until every requested informer has its first list. Fails only if one of them is stopped.
    pub async fn wait_for_cache_sync(&self) -> Result<(), NotSynced> {
        let informers = self.managed();
        let synced =
            future::join_all(informers.iter().map(|informer| informer.wait_synced())).await;
        not_synced(
            informers
                .iter()
                .zip(synced)
                .filter(|(_, synced)| !synced)
                .map(|(informer, _)| informer.kind())
                .collect(),
        )
    }

    /// Like [`wait_for_cache_sync`](Self::wait_for_cache_sync), but fails after `timeout` with the missing kinds.
    pub async fn wait_for_cache_sync_within(&self, timeout: Duration) -> Result<(), NotSynced> {
        match tokio::time::timeout(timeout, self.wait_for_cache_sync()).await {
            Ok(result) => result,
            Err(_) => not_synced(
                self.managed()
                    .iter()
                    .filter(|informer| !informer.has_synced())
                    .map(|informer| informer.kind())
                    .collect(),
            ),
        }
    }

    /// Stops all informers and waits until their tasks have ended. Their caches stay readable, but they cannot be started again.
    pub async fn shutdown(&self) {
        let informers = self.managed();
        future::join_all(informers.iter().map(|informer| informer.stop())).await;
    }

    fn managed(&self) -> Vec<Arc<dyn Managed>> {
        self.inner.informers.lock().values().cloned().collect()
    }
}

fn not_synced(mut kinds: Vec<String>) -> Result<(), NotSynced> {
    if kinds.is_empty() {
        return Ok(());
    }
    kinds.sort();
    Err(NotSynced { kinds })
}

impl fmt::Debug for InformerFactory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kinds: Vec<_> = self
            .managed()
            .iter()
            .map(|informer| informer.kind())
            .collect();
        f.debug_struct("InformerFactory")
            .field("config", &self.inner.settings.config)
            .field("kinds", &kinds)
            .finish()
    }
}

/// Settings of an [`InformerFactory`].
#[must_use]
pub struct InformerFactoryBuilder {
    client: Client,
    config: InformerConfig,
    transform: Option<MetaTransform>,
    resync: Option<Duration>,
}

impl InformerFactoryBuilder {
    /// Caches the objects of one namespace instead of all. Has no effect on cluster-scoped kinds.
    pub fn namespace(mut self, namespace: impl Into<String>) -> Self {
        self.config.namespace = Some(namespace.into());
        self
    }

    /// Redelivers every object as an update, once per `period` (at least one second), to handlers without a resync period of their own.
    pub fn resync(mut self, period: Duration) -> Self {
        self.resync = (!period.is_zero()).then_some(period);
        self
    }

    /// Changes the metadata of every object before it is stored; see [`strip_managed_fields`](super::strip_managed_fields).
    pub fn transform(
        mut self,
        transform: impl Fn(&mut ObjectMeta) + Send + Sync + 'static,
    ) -> Self {
        self.transform = Some(Arc::new(transform));
        self
    }

    /// Caches only objects whose labels match (`app=web,tier!=cache`).
    pub fn label_selector(mut self, selector: impl Into<String>) -> Self {
        self.config.label_selector = Some(selector.into());
        self
    }

    /// Caches only objects whose fields match (`metadata.name=a`).
    pub fn field_selector(mut self, selector: impl Into<String>) -> Self {
        self.config.field_selector = Some(selector.into());
        self
    }

    /// Sets how lists are requested.
    pub fn initial_list(mut self, list: InitialList) -> Self {
        self.config.initial_list = list;
        self
    }

    /// Creates the factory.
    pub fn build(self) -> InformerFactory {
        InformerFactory {
            inner: Arc::new(Inner {
                settings: self,
                informers: Mutex::default(),
            }),
        }
    }
}

impl fmt::Debug for InformerFactoryBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("InformerFactoryBuilder")
            .field("config", &self.config)
            .field("resync", &self.resync)
            .finish_non_exhaustive()
    }
}
