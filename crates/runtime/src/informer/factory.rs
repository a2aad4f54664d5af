//! A factory of informers that share client, namespace, selectors and life cycle; one informer per kind.
use super::{InformerConfig, InitialList, Object, SharedInformer};
use futures::future::{self, BoxFuture, FutureExt};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kube::Client;
use parking_lot::Mutex;
use std::{
    any::{Any, TypeId},
    collections::HashMap,
    fmt,
    sync::Arc,
    time::Duration,
};
use thiserror::Error;

/// Changes the metadata of every object before it is stored.
type MetaTransform = Arc<dyn Fn(&mut ObjectMeta) + Send + Sync>;

/// Hands out one [`SharedInformer`] per kind and starts and stops them together. A clone is a handle on the same factory.
#[derive(Clone)]
pub struct InformerFactory {
    inner: Arc<Inner>,
}

struct Inner {
    client: Client,
    config: InformerConfig,
    transform: Option<MetaTransform>,
    resync: Option<Duration>,
    informers: Mutex<HashMap<TypeId, Entry>>,
}

/// What a factory does with an informer whose kind it does not know.
struct Entry {
    informer: Box<dyn Any + Send + Sync>,
    managed: Arc<dyn Managed>,
}

trait Managed: Send + Sync {
    fn kind(&self) -> String;
    fn start(&self);
    fn has_synced(&self) -> bool;
    fn wait_synced(&self) -> BoxFuture<'_, bool>;
    fn stop(&self) -> BoxFuture<'_, ()>;
}

impl<K: Object> Managed for SharedInformer<K> {
    fn kind(&self) -> String {
        let (group, kind) = (K::group(&()), K::kind(&()));
        if group.is_empty() {
            kind.into_owned()
        } else {
            format!("{kind}.{group}")
        }
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
}

/// Some informers have not got their first list: they were stopped before, never started, or the time was over.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("not synced: {}", kinds.join(", "))]
pub struct NotSynced {
    /// Kinds and groups of those informers (`Pod`, `Deployment.apps`), sorted.
    pub kinds: Vec<String>,
}

impl InformerFactory {
    /// A factory of informers over all namespaces, without selectors.
    pub fn new(client: Client) -> Self {
        Self::builder(client).build()
    }

    /// Sets more than the client.
    pub fn builder(client: Client) -> InformerFactoryBuilder {
        InformerFactoryBuilder {
            client,
            config: InformerConfig::default(),
            transform: None,
            resync: None,
        }
    }

    /// The client that the informers use.
    pub fn client(&self) -> &Client {
        &self.inner.client
    }

    /// The informer of `K`: the same one each time. Asking for it is what makes [`start`](Self::start) start it.
    pub fn informer<K: Object>(&self) -> SharedInformer<K> {
        let mut informers = self.inner.informers.lock();
        let known = informers
            .get(&TypeId::of::<K>())
            .and_then(|entry| entry.informer.downcast_ref::<SharedInformer<K>>());
        if let Some(informer) = known {
            return informer.clone();
        }
        let informer = SharedInformer::<K>::with_resync(
            self.inner.client.clone(),
            self.inner.config.clone(),
            self.inner.resync,
        );
        if let Some(transform) = self.inner.transform.clone() {
            informer.set_transform(move |object| transform(object.meta_mut()));
        }
        let entry = Entry {
            informer: Box::new(informer.clone()),
            managed: Arc::new(informer.clone()),
        };
        informers.insert(TypeId::of::<K>(), entry);
        informer
    }

    /// Starts all informers that were asked for and do not run yet; may be called again after more of them were.
    ///
    /// # Panics
    /// Outside of a Tokio runtime, like `tokio::spawn`.
    pub fn start(&self) {
        self.managed().iter().for_each(|informer| informer.start());
    }

    /// Waits until every informer that was asked for has its first list. Fails only if one of them is stopped.
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

    /// Like [`wait_for_cache_sync`](Self::wait_for_cache_sync), but gives up after `timeout` and tells which kinds are missing.
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

    /// Stops all informers and waits until their tasks have ended. Their caches can still be read, but none of them can be started again.
    pub async fn shutdown(&self) {
        let informers = self.managed();
        future::join_all(informers.iter().map(|informer| informer.stop())).await;
    }

    fn managed(&self) -> Vec<Arc<dyn Managed>> {
        self.inner
            .informers
            .lock()
            .values()
            .map(|entry| Arc::clone(&entry.managed))
            .collect()
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
            .field("config", &self.inner.config)
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
    /// Objects of one namespace instead of all; cluster-scoped kinds are not concerned.
    pub fn namespace(mut self, namespace: impl Into<String>) -> Self {
        self.config.namespace = Some(namespace.into());
        self
    }

    /// Brings every object up again, as an update of itself, once per `period` (at least one second) to handlers that ask for nothing else.
    pub fn resync(mut self, period: Duration) -> Self {
        self.resync = (!period.is_zero()).then_some(period);
        self
    }

    /// Changes the metadata of every object before it is stored: see [`strip_managed_fields`](super::strip_managed_fields).
    pub fn transform(
        mut self,
        transform: impl Fn(&mut ObjectMeta) + Send + Sync + 'static,
    ) -> Self {
        self.transform = Some(Arc::new(transform));
        self
    }

    /// Only objects whose labels the server finds matching (`app=web,tier!=cache`).
    pub fn label_selector(mut self, selector: impl Into<String>) -> Self {
        self.config.label_selector = Some(selector.into());
        self
    }

    /// Only objects whose fields the server finds matching (`metadata.name=a`).
    pub fn field_selector(mut self, selector: impl Into<String>) -> Self {
        self.config.field_selector = Some(selector.into());
        self
    }

    /// How lists are asked for.
    pub fn initial_list(mut self, list: InitialList) -> Self {
        self.config.initial_list = list;
        self
    }

    /// The factory.
    pub fn build(self) -> InformerFactory {
        let Self {
            client,
            config,
            transform,
            resync,
        } = self;
        InformerFactory {
            inner: Arc::new(Inner {
                client,
                config,
                transform,
                resync,
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
