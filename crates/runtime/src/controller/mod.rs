//! The reconcile loop: calls one function for each changed object, and never runs it twice at the same time for one object.
//!
//! ```no_run
//! use k8s_openapi::api::{apps::v1::Deployment, core::v1::ConfigMap};
//! use kube_codegen_runtime::{controller::{Action, Controller, OnError}, informer::InformerFactory};
//! use std::sync::Arc;
//!
//! struct Context { client: kube::Client }
//!
//! async fn reconcile(object: Arc<ConfigMap>, context: Arc<Context>) -> Result<Action, kube::Error> {
//!     // Compare the actual state with the one that `object` describes, and correct it.
//!     Ok(Action::await_change())
//! }
//!
//! # async fn example(client: kube::Client) -> Result<(), Box<dyn std::error::Error>> {
//! let factory = InformerFactory::new(client.clone());
//! let controller = Controller::for_informer(&factory.informer::<ConfigMap>())
//!     .owns(&factory.informer::<Deployment>())
//!     .workers(2)
//!     .graceful_shutdown_on(async { drop(tokio::signal::ctrl_c().await) });
//! controller.run(reconcile, |_, _, _| OnError::Backoff, Arc::new(Context { client })).await?;
//! factory.shutdown().await;
//! # Ok(())
//! # }
//! ```
mod action;
mod causes;
mod error;
mod managed;
mod metrics;
mod owner;
pub mod predicate;
mod run;
mod settings;
mod sharded;
mod trigger;
mod worker;

use std::{fmt, sync::Arc, time::Duration};

use futures::{
    Stream, StreamExt,
    future::{BoxFuture, FutureExt, pending},
    stream::BoxStream,
};

pub use self::{
    action::{Action, Enqueue, OnError},
    error::RunError,
    managed::{Alone, Backoff, Host, Managed, Policy},
    metrics::{ControllerMetrics, MetricsHandle},
    owner::{controller_of, is_controlled_by, owned_by},
};
use self::{
    owner::controller_key,
    trigger::{Predicate, Trigger, trigger},
};
use crate::{
    Object,
    cache::ObjectKey,
    client::writer::Writer,
    informer::{InformerEvent, InformerId, SharedInformer},
    queue::{ExponentialLimiter, RateLimiter},
    shards::ShardSet,
};

/// Default grace period on shutdown (controller-runtime's default).
pub(crate) const GRACE_PERIOD: Duration = Duration::from_secs(30);
/// Default limit of the first lists (controller-runtime's default).
pub(crate) const CACHE_SYNC_TIMEOUT: Duration = Duration::from_secs(120);
/// Delay of the first retry (client-go's and controller-runtime's default).
const FIRST_RETRY: Duration = Duration::from_millis(5);
/// Longest delay of a retry (client-go's and controller-runtime's default).
const LAST_RETRY: Duration = Duration::from_secs(1000);

/// Calls one function for every object of a kind that has changed, or whose children or other dependencies have changed. See the
/// [module](self) for an example.
///
/// If you use a [`Manager`](crate::manager::Manager), start with [`Manager::reconcile`](crate::manager::Manager::reconcile), which is
/// shorter. The parameter `By` says who runs the controller: your program ([`Alone`]), or a manager or member cluster ([`Managed`]).
pub struct Controller<K: Object, By = Alone> {
    primary: SharedInformer<K>,
    predicates: Vec<Predicate<K>>,
    triggers: Vec<Trigger>,
    informers: Vec<(InformerId, Needs)>,
    sources: Vec<BoxStream<'static, Enqueue>>,
    limiter: Box<dyn RateLimiter<ObjectKey>>,
    workers: Option<usize>,
    max_retries: Option<u32>,
    grace_period: Duration,
    cache_sync_timeout: Option<Duration>,
    reconcile_timeout: Option<Duration>,
    writer: Option<Arc<Writer>>,
    needs_leader_election: bool,
    may_be_divided: bool,
    has_whole_caches: bool,
    shards: Option<Arc<ShardSet>>,
    warm_up: Option<bool>,
    shutdown: BoxFuture<'static, ()>,
    metrics: MetricsHandle,
    host: By,
}

impl<K: Object> Controller<K> {
    /// Creates a controller for the objects of `informer`. It enqueues an object when the object is added, changed or resynced.
    pub fn for_informer(informer: &SharedInformer<K>) -> Self {
        let metrics = MetricsHandle::default();
        metrics.set_name(informer.kind().kind.to_lowercase());
        metrics.set_cluster(informer.config().cluster.as_deref().map(Arc::from));
        Self {
            primary: informer.clone(),
            predicates: Vec::new(),
            triggers: Vec::new(),
            informers: vec![(informer.id(), Needs::Own)],
            sources: Vec::new(),
            limiter: Box::new(ExponentialLimiter::new(FIRST_RETRY, LAST_RETRY)),
            workers: None,
            max_retries: None,
            grace_period: GRACE_PERIOD,
            cache_sync_timeout: None,
            reconcile_timeout: None,
            writer: None,
            needs_leader_election: true,
            may_be_divided: true,
            has_whole_caches: false,
            shards: None,
            warm_up: None,
            shutdown: pending().boxed(),
            metrics,
            host: Alone,
        }
    }
}

impl<K: Object, By> Controller<K, By> {
    /// Sets the name, which labels the metrics. The default is the kind in lower case. Controllers of one program need different names.
    #[must_use]
    pub fn named(self, name: impl Into<String>) -> Self {
        self.metrics.set_name(name.into());
        self
    }

    /// Enqueues an object only for events that `predicate` accepts; see [`predicate`]. If you set several predicates, all of them must
    /// accept. Requeues and events of other objects, such as children, are not filtered.
    #[must_use]
    pub fn filter(
        mut self,
        predicate: impl Fn(&InformerEvent<K>) -> bool + Send + Sync + 'static,
    ) -> Self {
        self.predicates.push(Arc::new(predicate));
        self
    }

    /// Enqueues the owner when a child that it controls (`ownerReferences[].controller`) is added, changed or deleted. Resyncs of children
    /// enqueue nothing.
    ///
    /// Pass the children's informer, or the [`Children`](crate::children::Children) that the controller maintains.
    #[must_use]
    pub fn owns<C: Object>(mut self, children: &impl AsRef<SharedInformer<C>>) -> Self {
        self.add_owned(children.as_ref(), None);
        self
    }

    /// Like [`owns`](Self::owns), but only for events that `predicate` accepts; see [`predicate`].
    #[must_use]
    pub fn owns_if<C: Object>(
        mut self,
        children: &impl AsRef<SharedInformer<C>>,
        predicate: impl Fn(&InformerEvent<C>) -> bool + Send + Sync + 'static,
    ) -> Self {
        self.add_owned(children.as_ref(), Some(Arc::new(predicate)));
        self
    }

    pub(crate) fn add_owned<C: Object>(
        &mut self,
        children: &SharedInformer<C>,
        predicate: Option<Predicate<C>>,
    ) {
        let is_elsewhere = self.primary.kind().cluster_scoped;
        let needs = if is_elsewhere {
            Needs::All
        } else {
            Needs::Namespaces
        };
        self.informers.push((children.id(), needs));
        let kind = self.primary.kind().clone();
        let owner = move |child: &Arc<C>| controller_key(&kind, &**child).into_iter().collect();
        self.triggers
            .push(trigger(children, false, predicate, owner));
    }

    /// Enqueues the keys that `mapper` returns when an object of another kind is added, changed or deleted. After a change, `mapper` is
    /// called for both the old and the new state. Resyncs enqueue nothing.
    #[must_use]
    pub fn watches<C: Object>(
        mut self,
        others: &impl AsRef<SharedInformer<C>>,
        mapper: impl Fn(&Arc<C>) -> Vec<ObjectKey> + Send + Sync + 'static,
    ) -> Self {
        let others = others.as_ref();
        self.informers.push((others.id(), Needs::All));
        self.triggers.push(trigger(others, false, None, mapper));
        self
    }

    /// Like [`watches`](Self::watches), but only for events that `predicate` accepts; see [`predicate`].
    #[must_use]
    pub fn watches_if<C: Object>(
        mut self,
        others: &impl AsRef<SharedInformer<C>>,
        predicate: impl Fn(&InformerEvent<C>) -> bool + Send + Sync + 'static,
        mapper: impl Fn(&Arc<C>) -> Vec<ObjectKey> + Send + Sync + 'static,
    ) -> Self {
        let others = others.as_ref();
        self.informers.push((others.id(), Needs::All));
        self.triggers
            .push(trigger(others, false, Some(Arc::new(predicate)), mapper));
        self
    }

    /// Enqueues the keys from a stream. Use it for events from outside Kubernetes: a channel, a timer, a webhook. Items are
    /// [`ObjectKey`]s, or [`Enqueue`]s if you want to set a priority. The controller polls the stream once the caches have synced. The
    /// stream may end.
    ///
    /// ```
    /// use futures::{SinkExt, channel::mpsc};
    /// use k8s_openapi::api::core::v1::ConfigMap;
    /// use kube_codegen_runtime::{controller::Controller, informer::{InformerFactory, ObjectKey}};
    ///
    /// # fn example(factory: &InformerFactory) {
    /// let (sender, keys) = mpsc::channel::<ObjectKey>(100);
    /// let controller = Controller::for_informer(&factory.informer::<ConfigMap>()).enqueue_from(keys);
    /// # }
    /// ```
    #[must_use]
    pub fn enqueue_from<Key: Into<Enqueue> + 'static>(
        mut self,
        keys: impl Stream<Item = Key> + Send + 'static,
    ) -> Self {
        self.sources.push(keys.map(Into::into).boxed());
        self
    }

    /// Returns a handle for reading the counters while the controller runs.
    pub fn metrics(&self) -> MetricsHandle {
        self.metrics.clone()
    }

    /// Gives it another host, and returns the one that it had.
    fn moved_to<Other>(self, host: Other) -> (Controller<K, Other>, By) {
        let moved = Controller {
            primary: self.primary,
            predicates: self.predicates,
            triggers: self.triggers,
            informers: self.informers,
            sources: self.sources,
            limiter: self.limiter,
            workers: self.workers,
            max_retries: self.max_retries,
            grace_period: self.grace_period,
            cache_sync_timeout: self.cache_sync_timeout,
            reconcile_timeout: self.reconcile_timeout,
            writer: self.writer,
            needs_leader_election: self.needs_leader_election,
            may_be_divided: self.may_be_divided,
            has_whole_caches: self.has_whole_caches,
            shards: self.shards,
            warm_up: self.warm_up,
            shutdown: self.shutdown,
            metrics: self.metrics,
            host,
        };
        (moved, self.host)
    }
}

impl<K: Object> Controller<K> {
    /// Returns what a manager must know to run it.
    pub(crate) fn plan(&self) -> Plan {
        Plan {
            name: self.metrics.name(),
            kind: self.primary.kind().to_string(),
            informers: self.informers.clone(),
            has_whole_caches: self.has_whole_caches,
            needs_leader_election: self.needs_leader_election,
            may_be_divided: self.may_be_divided,
            warm_up: self.warm_up,
            cache_sync_timeout: self.cache_sync_timeout,
        }
    }

    /// Fills in settings of a manager that it has no own values for.
    pub(crate) fn with_defaults(mut self, defaults: &Defaults, workers: usize) -> Self {
        self.workers.get_or_insert(workers);
        self.cache_sync_timeout
            .get_or_insert(defaults.cache_sync_timeout);
        self.reconcile_timeout = self.reconcile_timeout.or(defaults.reconcile_timeout);
        self.grace_period = defaults.grace_period;
        self
    }

    /// Belongs to a member cluster.
    pub(crate) fn of_cluster(self, name: Arc<str>) -> Self {
        self.metrics.set_cluster(Some(name));
        self
    }

    /// Reconciles only the objects of the ranges that are open.
    pub(crate) fn with_shards(mut self, shards: Arc<ShardSet>) -> Self {
        self.shards = Some(shards);
        self
    }
}

/// Which objects of an informer a controller needs, if its own objects are divided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Needs {
    /// The objects that it reconciles.
    Own,
    /// Those in the namespaces of these: children, which have uids of their own.
    Namespaces,
    All,
}

/// What a manager must know to run a controller.
pub(crate) struct Plan {
    pub(crate) name: String,
    /// Kind and group (`Pod`, `Deployment.apps`).
    pub(crate) kind: String,
    /// The informers that enqueue keys.
    pub(crate) informers: Vec<(InformerId, Needs)>,
    pub(crate) has_whole_caches: bool,
    pub(crate) needs_leader_election: bool,
    pub(crate) may_be_divided: bool,
    pub(crate) warm_up: Option<bool>,
    pub(crate) cache_sync_timeout: Option<Duration>,
}

/// Settings of all controllers of a manager.
#[derive(Clone, Debug)]
pub(crate) struct Defaults {
    pub(crate) cache_sync_timeout: Duration,
    pub(crate) reconcile_timeout: Option<Duration>,
    pub(crate) grace_period: Duration,
}

impl<K: Object, By> fmt::Debug for Controller<K, By> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Controller")
            .field("kind", &self.primary.kind().to_string())
            .field("triggers", &(1 + self.triggers.len()))
            .field("workers", &self.workers)
            .finish_non_exhaustive()
    }
}
