//! Runs an operator: client, caches, events, controllers, servers, leader election and signals, started and stopped in order.
//!
//! ```
//! use std::sync::Arc;
//!
//! use k8s_openapi::api::core::v1::ConfigMap;
//! use kube::api::Patch;
//! use kube_codegen_runtime::{
//!     client::TypedClient,
//!     controller::{Action, Controller, OnError},
//!     leader_election::LeaderElectionConfig,
//!     manager::Manager,
//! };
//! use kube_codegen_testing::ApiServer;
//! use serde_json::json;
//!
//! async fn reconcile(map: Arc<ConfigMap>, maps: Arc<TypedClient<ConfigMap>>) -> kube::Result<Action> {
//!     let name = map.metadata.name.as_deref().unwrap_or_default();
//!     maps.patch(name, &Patch::Merge(json!({"data": {"seen": "yes"}}))).await?;
//!     Ok(Action::await_change())
//! }
//!
//! # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let server = ApiServer::new();
//! server.seed(&json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}}))?;
//! let mut manager = Manager::builder(server.client(), "my-operator")
//!     .leader_election(LeaderElectionConfig::new("my-operator").namespace("default"))
//!     .build()?;
//!
//! let controller = Controller::for_informer(&manager.factory().informer::<ConfigMap>());
//! let maps = TypedClient::<ConfigMap>::namespaced(manager.client(), "default");
//! manager.controller(controller, |controller| controller.run(reconcile, |_, _, _| OnError::Backoff, Arc::new(maps)));
//!
//! // A program calls `manager.run_until_signal()`.
//! let written = server.until(|server| server.get::<ConfigMap>("default", "a")?.data);
//! manager.run(async { drop(written.await) }).await?;
//! # Ok(()) }
//! ```
//!
//! # For users of controller-runtime
//!
//! | `ctrl.Manager`, `ctrl.Options` | here |
//! |---|---|
//! | `GetClient`, `Client` | [`Manager::client`]; reads go to the API server, cached reads to a [`Lister`](crate::lister::Lister) |
//! | `GetAPIReader` | [`Manager::client`] |
//! | `GetCache`, `Cache`, `NewCache` | [`Manager::factory`], [`ManagerBuilder::informers`] |
//! | `GetFieldIndexer` | [`SharedInformer::add_index`](crate::informer::SharedInformer::add_index) |
//! | `GetEventRecorder` | [`Manager::recorder`] |
//! | `Add`, `Runnable`, `LeaderElectionRunnable` | [`Manager::add`], [`Runnable`] |
//! | `NewControllerManagedBy`, `Controller` | [`Manager::controller`]; concurrency, limiter and time-outs are set on the [`Controller`] |
//! | `Start(ctx)`, `ctrl.SetupSignalHandler` | [`Manager::run`], [`Manager::run_until_signal`] |
//! | `LeaderElection`, `LeaderElectionID`, `LeaseDuration`, … | [`ManagerBuilder::leader_election`] |
//! | `LeaderElectionReleaseOnCancel` | [`LeaderElectionConfig::release_on_stop`](crate::leader_election::LeaderElectionConfig::release_on_stop), on by default: it is safe here |
//! | `Elected` | [`Manager::term`]: `started`, `ended`, and a deadline |
//! | `EnableWarmup` | [`ManagerBuilder::warm_up`], for all caches; on by default |
//! | `CacheSyncTimeout` | [`ManagerBuilder::cache_sync_timeout`] |
//! | `GracefulShutdownTimeout` | [`ManagerBuilder::grace_period`] |
//! | `MaxConcurrentReconciles`, `GroupKindConcurrency` | [`ManagerBuilder::workers`], read by the program with [`Manager::workers`] |
//! | `Metrics`, `HealthProbeBindAddress`, `PprofBindAddress` | servers added as [`Runnable::server`] |
//! | `WebhookServer`, `GetWebhookServer` | a server added as [`Runnable::webhook`] |
//! | `AddHealthzCheck`, `AddReadyzCheck` | checks of the program's server; [`Manager::readiness`] is one |
//! | `GetScheme`, `GetRESTMapper`, `MapperProvider` | not needed: types carry their group, version, kind and plural |
//! | `GetConfig`, `GetHTTPClient` | not kept: pass the `kube::Config` where it is needed |
//! | `BaseContext`, `Logger` | not needed: contexts are values of the program, and logs go to `tracing` |
//! | `LeaderElectionResourceLockInterface` | not offered: Leases are the only lock |
mod error;
#[cfg(feature = "cli")]
mod flags;
mod run;
mod runnable;

use std::{
    fmt,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use kube::Client;
use tower::BoxError;

#[cfg(feature = "cli")]
pub use self::flags::{LogFormat, ManagerArgs};
pub use self::{
    error::{ManagerError, exit},
    runnable::Runnable,
};
pub use tokio_util::sync::CancellationToken;

use crate::{
    cache::Object,
    controller::Controller,
    event::EventRecorder,
    informer::{InformerFactory, InformerFactoryBuilder},
    leader_election::{LeaderElectionConfig, LeaderElector, LeaderStatus, Term},
};

/// What the parts of a manager share with their owner.
#[derive(Debug, Default)]
struct State {
    is_synced: AtomicBool,
}

impl State {
    fn set_synced(&self) {
        self.is_synced.store(true, Ordering::Release);
    }
}

/// Owns the parts of an operator and runs them. See the [module](self) for an example.
#[must_use]
pub struct Manager {
    client: Client,
    fenced: Client,
    factory: InformerFactory,
    recorder: EventRecorder,
    elector: Option<LeaderElector>,
    term: Option<Term>,
    status: Option<LeaderStatus>,
    runnables: Vec<Runnable>,
    workers: usize,
    cache_sync_timeout: Duration,
    grace_period: Duration,
    warm_up: bool,
    state: Arc<State>,
}

impl Manager {
    /// Returns a builder. Events are reported by `name`, the name of the operator.
    pub fn builder(client: Client, name: impl Into<String>) -> ManagerBuilder {
        ManagerBuilder {
            informers: InformerFactory::builder(client.clone()),
            client,
            name: name.into(),
            leader_election: None,
            workers: 1,
            cache_sync_timeout: Duration::from_secs(120),
            grace_period: Duration::from_secs(30),
            warm_up: true,
        }
    }

    /// Returns the client for controllers. The listers of the [`factory`](Self::factory) show its writes at once: see
    /// [`InformerFactory::track_writes`]. With leader election, it writes only while this process leads: see [`Term::fence`].
    pub fn client(&self) -> Client {
        self.fenced.clone()
    }

    /// Returns the client for what runs on every replica, such as servers that store their certificates. It always writes.
    pub fn unfenced_client(&self) -> Client {
        self.client.clone()
    }

    /// Returns the factory of the shared informers.
    pub fn factory(&self) -> &InformerFactory {
        &self.factory
    }

    /// Returns the recorder of events.
    pub fn recorder(&self) -> EventRecorder {
        self.recorder.clone()
    }

    /// Returns the token of the term in which this process leads; `None` without leader election.
    pub fn term(&self) -> Option<Term> {
        self.term.clone()
    }

    /// Returns the observed leader and the counters of the election; `None` without leader election.
    pub fn leader_status(&self) -> Option<LeaderStatus> {
        self.status.clone()
    }

    /// Returns how many objects a controller should reconcile concurrently; see [`ManagerBuilder::workers`].
    pub fn workers(&self) -> usize {
        self.workers
    }

    /// Returns a check for `/readyz`: whether the caches are filled. A replica that waits for the lease is ready.
    ///
    /// ```
    /// # use kube_codegen_runtime::manager::Manager;
    /// # use kube_codegen_testing::ApiServer;
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let client = ApiServer::new().client();
    /// let manager = Manager::builder(client, "my-operator").build()?;
    /// let is_ready = manager.readiness();
    /// assert!(!is_ready());
    /// # Ok(()) }
    /// ```
    pub fn readiness(&self) -> impl Fn() -> bool + Clone + Send + Sync + 'static {
        let state = Arc::clone(&self.state);
        move || state.is_synced.load(Ordering::Acquire)
    }

    /// Adds a part that starts and stops with the manager.
    pub fn add(&mut self, runnable: Runnable) {
        self.runnables.push(runnable);
    }

    /// Adds a controller, which runs while this process leads. `run` calls one of its `run` methods.
    pub fn controller<K, F, E>(
        &mut self,
        controller: Controller<K>,
        run: impl FnOnce(Controller<K>) -> F + Send + 'static,
    ) where
        K: Object,
        F: Future<Output = Result<(), E>> + Send + 'static,
        E: Into<BoxError>,
    {
        let name = format!("controller {}", controller.metrics().name());
        // The manager waits for the same time, and a controller reports which objects it drops.
        let controller = controller.grace_period(self.grace_period);
        self.add(Runnable::new(name, |stop: CancellationToken| {
            run(controller.graceful_shutdown_on(stop.cancelled_owned()))
        }));
    }
}

impl fmt::Debug for Manager {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Manager")
            .field("factory", &self.factory)
            .field("term", &self.term)
            .field("runnables", &self.runnables)
            .finish_non_exhaustive()
    }
}

/// The settings of a [`Manager`].
#[must_use]
pub struct ManagerBuilder {
    client: Client,
    name: String,
    informers: InformerFactoryBuilder,
    leader_election: Option<LeaderElectionConfig>,
    workers: usize,
    cache_sync_timeout: Duration,
    grace_period: Duration,
    warm_up: bool,
}

impl ManagerBuilder {
    /// Changes the settings of the informers.
    ///
    /// ```
    /// # use kube_codegen_runtime::manager::Manager;
    /// # fn example(client: kube::Client) {
    /// let builder = Manager::builder(client, "my-operator").informers(|informers| informers.namespace("default"));
    /// # }
    /// ```
    pub fn informers(
        mut self,
        change: impl FnOnce(InformerFactoryBuilder) -> InformerFactoryBuilder,
    ) -> Self {
        self.informers = change(self.informers);
        self
    }

    /// Lets several replicas run, of which one leads. Without it, each replica reconciles.
    pub fn leader_election(mut self, config: LeaderElectionConfig) -> Self {
        self.leader_election = Some(config);
        self
    }

    /// Sets [`Manager::workers`]; at least, and by default, one.
    pub fn workers(mut self, workers: usize) -> Self {
        self.workers = workers.max(1);
        self
    }

    /// Sets how long the first lists of the caches may take; 2 minutes by default.
    pub fn cache_sync_timeout(mut self, timeout: Duration) -> Self {
        self.cache_sync_timeout = timeout;
        self
    }

    /// Sets how long the parts may take to end at the stop before they are dropped; 30 s by default.
    pub fn grace_period(mut self, period: Duration) -> Self {
        self.grace_period = period;
        self
    }

    /// Sets whether the caches are filled while another replica leads, so that this one can take over at once. This is the default;
    /// otherwise waiting replicas save memory and requests.
    pub fn warm_up(mut self, warm_up: bool) -> Self {
        self.warm_up = warm_up;
        self
    }

    /// Creates the manager.
    ///
    /// # Panics
    /// Outside of a Tokio runtime, like `tokio::spawn`.
    pub fn build(self) -> Result<Manager, ManagerError> {
        let recorder = EventRecorder::new(self.client.clone(), self.name);
        let elector = self
            .leader_election
            .map(|config| LeaderElector::new(&self.client, config))
            .transpose()?
            .map(|elector| elector.recorder(&recorder));
        let term = elector.as_ref().map(LeaderElector::term);
        let factory = self.informers.build();
        let client = factory.track_writes(&self.client);
        Ok(Manager {
            fenced: term
                .as_ref()
                .map_or_else(|| client.clone(), |term| term.fence(&client)),
            client,
            factory,
            recorder,
            status: elector.as_ref().map(LeaderElector::status),
            term,
            elector,
            runnables: Vec::new(),
            workers: self.workers,
            cache_sync_timeout: self.cache_sync_timeout,
            grace_period: self.grace_period,
            warm_up: self.warm_up,
            state: Arc::default(),
        })
    }
}

impl fmt::Debug for ManagerBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ManagerBuilder")
            .field("name", &self.name)
            .field("informers", &self.informers)
            .field("leader_election", &self.leader_election)
            .finish_non_exhaustive()
    }
}
