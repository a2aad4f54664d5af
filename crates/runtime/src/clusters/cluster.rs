//! One member cluster: its client, its informers, and the controllers that are added to it.
use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
    sync::Arc,
};

use futures::future::{BoxFuture, FutureExt};
use kube::Client;
use parking_lot::Mutex;
use tokio_util::sync::CancellationToken;
use tower::BoxError;

#[cfg(feature = "metrics")]
use crate::metrics::Metrics;
use crate::{
    Object,
    children::Children,
    controller::{Controller, Defaults, Host, Managed, RunError},
    event::EventRecorder,
    informer::{InformerFactory, SharedInformer},
    record::apply::Fields,
};

/// What all members of a manager have in common.
pub(crate) struct Settings {
    /// The hub's informers, whose settings those of members have.
    pub(crate) factory: InformerFactory,
    /// The name of the operator, which reports events.
    pub(crate) name: String,
    /// The field manager of what controllers write.
    pub(crate) field_manager: String,
    pub(crate) defaults: Defaults,
    pub(crate) workers: usize,
    /// By kind and group.
    pub(crate) workers_of: BTreeMap<String, usize>,
    /// Returns a client like the one given that writes only in the leader's term, and as the manager's settings say.
    pub(crate) fence: Box<dyn Fn(Client) -> Client + Send + Sync>,
    #[cfg(feature = "metrics")]
    pub(crate) metrics: Metrics,
}

/// A controller that runs once it is polled.
type Running = BoxFuture<'static, (String, Result<(), BoxError>)>;

/// The controllers of a cluster.
#[derive(Default)]
pub(super) struct Added {
    names: BTreeSet<String>,
    /// The name that two of them have.
    pub(super) taken: Option<String>,
    pub(super) running: Vec<Running>,
}

/// A member cluster, as passed to the `setup` function of [`Manager::clusters`](crate::manager::Manager::clusters), which adds controllers
/// to it. See the [module](super) for an example.
pub struct Cluster {
    name: Arc<str>,
    client: Client,
    factory: InformerFactory,
    recorder: EventRecorder,
    settings: Arc<Settings>,
    /// Grows through a shared reference: controllers are added while others are being built.
    pub(super) added: Mutex<Added>,
    /// Ends its controllers.
    pub(super) stop: CancellationToken,
}

impl Cluster {
    pub(super) fn new(name: Arc<str>, client: &Client, settings: &Arc<Settings>) -> Self {
        let factory = settings.factory.for_cluster(client.clone(), &name);
        let recorder = EventRecorder::new(client.clone(), settings.name.clone());
        #[cfg(feature = "metrics")]
        {
            settings.metrics.informers(&factory);
            settings
                .metrics
                .events_of(Some(Arc::clone(&name)), &recorder);
        }
        Self {
            client: (settings.fence)(factory.track_writes(client)),
            name,
            factory,
            recorder,
            settings: Arc::clone(settings),
            added: Mutex::default(),
            stop: CancellationToken::new(),
        }
    }

    /// Returns the name of the cluster, which is also the `cluster` label of its metrics.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the client for this cluster's controllers. It stays valid when the cluster's credentials
    /// [change](super::ClusterChange::Renewed).
    ///
    /// Like [`Manager::client`](crate::manager::Manager::client), it writes only while this process leads, it uses the manager's field
    /// manager, and its writes appear in the listers of the [`factory`](Self::factory) at once.
    pub fn client(&self) -> Client {
        self.client.clone()
    }

    /// Returns the factory of the cluster's informers, with the [manager's settings](crate::manager::ManagerBuilder::informers). The
    /// informers that you request in `setup` start after it returns.
    pub fn factory(&self) -> &InformerFactory {
        &self.factory
    }

    /// Returns a recorder for events about objects of this cluster, which are stored in this cluster. For events about objects of the hub,
    /// use the [manager's recorder](crate::manager::Manager::recorder).
    pub fn recorder(&self) -> EventRecorder {
        self.recorder.clone()
    }

    /// Returns a controller for the objects of a kind in this cluster, like [`Manager::reconcile`](crate::manager::Manager::reconcile). It
    /// runs while this process leads and the cluster is a member. Controllers of one cluster need different [names](Controller::named).
    #[must_use = "it does nothing without `run`"]
    pub fn reconcile<K: Object>(&self) -> Controller<K, Managed<&Self>>
    where
        K::DynamicType: Default,
    {
        self.reconcile_from(&self.factory.informer())
    }

    /// Like [`reconcile`](Self::reconcile), for the objects of a given informer. It may be the manager's informer: such a controller
    /// maintains copies of the hub's objects in this cluster, with its own queue and back-off.
    #[must_use = "it does nothing without `run`"]
    pub fn reconcile_from<K: Object>(
        &self,
        informer: &SharedInformer<K>,
    ) -> Controller<K, Managed<&Self>> {
        Controller::for_informer(informer).managed_by(self)
    }

    /// Returns the children of a kind in this cluster, like [`Manager::children`](crate::manager::Manager::children).
    pub fn children<K: Object<DynamicType = ()> + Fields>(&self) -> Children<K> {
        Children::of_host(&self)
    }

    /// Adds a controller, which runs while this process leads and the cluster is a member. `run` must call one of its `run` methods.
    /// [`reconcile`](Self::reconcile) is shorter.
    ///
    /// Its informers may belong to this cluster or to the manager: a controller of the hub's objects maintains copies of them in this
    /// cluster, with its own queue and back-off. Controllers of one cluster need different [names](Controller::named).
    ///
    /// Without a [timeout of its own](Controller::cache_sync_timeout), it waits for its caches until the cluster responds.
    pub fn controller<K, F, E>(
        &mut self,
        controller: Controller<K>,
        run: impl FnOnce(Controller<K>) -> F + Send + 'static,
    ) where
        K: Object,
        F: Future<Output = Result<(), E>> + Send + 'static,
        E: Into<BoxError>,
    {
        self.add_controller(controller, run);
    }

    fn add_controller<K, F, E>(
        &self,
        controller: Controller<K>,
        run: impl FnOnce(Controller<K>) -> F + Send + 'static,
    ) where
        K: Object,
        F: Future<Output = Result<(), E>> + Send + 'static,
        E: Into<BoxError>,
    {
        let mut added = self.added.lock();
        let plan = controller.plan();
        let controller = controller.of_cluster(Arc::clone(&self.name));
        if !added.names.insert(plan.name.clone()) {
            added.taken.get_or_insert(plan.name);
            return;
        }
        #[cfg(feature = "metrics")]
        // No other has this name in this cluster.
        let _ = self.settings.metrics.controller(&controller.metrics());
        let workers = self.settings.workers_of.get(&plan.kind).copied();
        let workers = workers.unwrap_or(self.settings.workers);
        let controller = controller.with_defaults(&self.settings.defaults, workers);
        let running = run(controller.graceful_shutdown_on(self.stop.clone().cancelled_owned()));
        let running = async move { (plan.name, running.await.map_err(Into::into)) };
        added.running.push(running.boxed());
    }
}

impl Host for &Cluster {
    fn client(&self) -> Client {
        Cluster::client(self)
    }

    fn factory(&self) -> &InformerFactory {
        &self.factory
    }

    fn field_manager(&self) -> &str {
        &self.settings.field_manager
    }

    fn add<K, F>(
        &self,
        controller: Controller<K>,
        run: impl FnOnce(Controller<K>) -> F + Send + 'static,
    ) where
        K: Object,
        F: Future<Output = Result<(), RunError>> + Send + 'static,
    {
        self.add_controller(controller, run);
    }
}

impl fmt::Debug for Cluster {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cluster")
            .field("name", &self.name)
            .field("factory", &self.factory)
            .field("controllers", &self.added.lock().names)
            .finish_non_exhaustive()
    }
}
