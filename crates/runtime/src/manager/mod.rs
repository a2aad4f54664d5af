//! Runs an operator: starts and stops its client, caches, events, controllers, servers, leader election and signal handling in the right
//! order.
//!
//! ```
//! use std::sync::Arc;
//!
//! use k8s_openapi::api::core::v1::ConfigMap;
//! use kube::api::Patch;
//! use kube_codegen_runtime::{
//!     client::TypedClient, controller::Action, leader_election::LeaderElectionConfig, manager::Manager,
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
//! let manager = Manager::builder(server.client(), "my-operator")
//!     .leader_election(LeaderElectionConfig::new("my-operator").namespace("default"))
//!     .build()?;
//!
//! manager.reconcile().run(reconcile, TypedClient::namespaced(manager.client(), "default"));
//!
//! // A program calls `manager.run_until_signal()`.
//! let written = server.until(|server| server.get::<ConfigMap>("default", "a")?.data);
//! manager.run(async { drop(written.await) }).await?;
//! # Ok(()) }
//! ```
//!
//! With the feature `metrics`, the manager registers its client (see [`Manager::connect`]), informers, controllers, events and the
//! election with [`Manager::metrics`]. With the feature `server`, it serves these metrics and answers health checks. With the feature
//! `cli`, `ManagerArgs` turns all these settings into flags and runs a program in one line.
//!
//! `docs/manager.md` lists every option of controller-runtime's `ctrl.Manager` and `ctrl.Builder` and its counterpart here.
mod builder;
mod clusters;
mod controllers;
mod error;
#[cfg(feature = "cli")]
mod flags;
#[cfg(feature = "cli")]
mod program;
mod run;
mod runnable;
#[cfg(feature = "server")]
mod servers;
mod writes;

use std::{fmt, sync::Arc};

use kube::{Client, Config};
use parking_lot::Mutex;
use tower::BoxError;

#[cfg(feature = "cli")]
pub use self::flags::ManagerArgs;
pub use self::{
    builder::ManagerBuilder,
    error::{ManagerError, exit},
    runnable::Runnable,
    writes::FieldValidation,
};
#[cfg(feature = "cli")]
pub use crate::logs::LogFormat;
pub use tokio_util::sync::CancellationToken;

#[cfg(feature = "server")]
use self::servers::Servers;
use self::{controllers::Controllers, writes::WriteOptions};
#[cfg(feature = "metrics")]
use crate::metrics::Metrics;
#[cfg(feature = "server")]
use crate::server::checks::Check;
#[cfg(feature = "webhook")]
use crate::webhook::{Running, WebhookServer, Webhooks};
use crate::{
    Object,
    children::Children,
    controller::{Controller, Host, Managed, RunError},
    event::EventRecorder,
    informer::{InformerFactory, SharedInformer},
    leader_election::{LeaderElector, LeaderStatus, Term},
    record::apply::Fields,
    shards::{Replica, ShardStatus},
};

/// What the parts of a manager share with their owner.
#[derive(Debug)]
struct State(Mutex<Phase>);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Starting,
    Ready,
    Stopping,
}

impl State {
    fn new() -> Arc<Self> {
        Arc::new(Self(Mutex::new(Phase::Starting)))
    }

    fn phase(&self) -> Phase {
        *self.0.lock()
    }

    fn set(&self, phase: Phase) {
        *self.0.lock() = phase;
    }
}

/// How replicas agree on who works.
enum Election {
    Leader(Box<LeaderElector>),
    Shards(Box<Replica>),
}

impl Election {
    /// The term in which this process leads.
    fn term(&self) -> Term {
        match self {
            Self::Leader(elector) => elector.term(),
            Self::Shards(replica) => replica.leader_term(),
        }
    }

    /// The term in which this process works at all.
    #[cfg(feature = "server")]
    fn life(&self) -> Term {
        match self {
            Self::Leader(elector) => elector.term(),
            Self::Shards(replica) => replica.membership(),
        }
    }

    fn shards(&self) -> Option<ShardStatus> {
        match self {
            Self::Leader(_) => None,
            Self::Shards(replica) => Some(replica.status()),
        }
    }

    fn status(&self) -> LeaderStatus {
        match self {
            Self::Leader(elector) => elector.status(),
            Self::Shards(replica) => replica.leader_status(),
        }
    }
}

/// Owns the parts of an operator and runs them. See the [module](self) for an example.
#[must_use]
pub struct Manager {
    client: Client,
    fenced: Client,
    factory: InformerFactory,
    recorder: EventRecorder,
    election: Option<Election>,
    shards: Option<ShardStatus>,
    term: Option<Term>,
    status: Option<LeaderStatus>,
    /// Grows through a shared reference, like the controllers.
    runnables: Mutex<Vec<Runnable>>,
    controllers: Controllers,
    writes: WriteOptions,
    name: String,
    /// The field manager of what controllers write.
    writer: String,
    state: Arc<State>,
    #[cfg(feature = "metrics")]
    metrics: Metrics,
    #[cfg(feature = "server")]
    servers: Servers,
    #[cfg(feature = "webhook")]
    webhook_server: Option<WebhookServer>,
}

impl Manager {
    /// Returns a builder. `name` is the name of the operator, which its Events show as their source.
    pub fn builder(client: Client, name: impl Into<String>) -> ManagerBuilder {
        ManagerBuilder::new(client, name.into())
    }

    /// Like [`builder`](Self::builder), but creates the client. The client detects dead connections with the feature `rustls-tls`, and its
    /// requests are measured with the feature `metrics`.
    ///
    /// # Errors
    /// Fails if the configuration has invalid certificates, keys or commands.
    pub fn connect(
        config: Config,
        name: impl Into<String>,
    ) -> Result<ManagerBuilder, ManagerError> {
        ManagerBuilder::connect(config, name.into())
    }

    /// Returns the client for controllers. Its writes appear in the listers of the [`factory`](Self::factory) at once: see
    /// [`InformerFactory::track_writes`].
    ///
    /// With leader election, it writes only while this process leads: see [`Term::fence`]. With [shards](crate::shards), a reconcile
    /// writes only while this process holds the range of its object.
    pub fn client(&self) -> Client {
        self.fenced.clone()
    }

    /// Returns the client for code that runs on every replica, such as servers that store their certificates. It can always write.
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

    /// Returns the token of the current term, in which this process leads; `None` without leader election.
    pub fn term(&self) -> Option<Term> {
        self.term.clone()
    }

    /// Returns the observed leader and the counters of the election; `None` without leader election.
    pub fn leader_status(&self) -> Option<LeaderStatus> {
        self.status.clone()
    }

    /// Returns the ranges that this replica reconciles; `None` without [shards](ManagerBuilder::shards).
    pub fn shard_status(&self) -> Option<ShardStatus> {
        self.shards.clone()
    }

    /// Returns how many objects a controller reconciles concurrently by default; see [`ManagerBuilder::workers`].
    pub fn workers(&self) -> usize {
        self.controllers.workers
    }

    /// Returns the metrics, to which you can add your own; see [`Metrics::registry`].
    #[cfg(feature = "metrics")]
    pub fn metrics(&self) -> Metrics {
        self.metrics.clone()
    }

    /// Returns a check for `/readyz` on a server of your own: whether the caches are filled. A replica that waits for the lease counts as
    /// ready.
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
        move || state.phase() == Phase::Ready
    }

    /// Adds a check to `/healthz` of the [health server](ManagerBuilder::health_server), if there is one. Kubernetes restarts the
    /// container if the check fails.
    #[cfg(feature = "server")]
    pub fn healthz(&mut self, name: impl Into<String>, check: impl Check) {
        self.servers.healthz(name.into(), check);
    }

    /// Adds a check to `/readyz` of the [health server](ManagerBuilder::health_server), if there is one. Kubernetes sends requests to the
    /// container only while the check succeeds.
    ///
    /// ```
    /// use kube_codegen_runtime::{manager::Manager, server::checks};
    ///
    /// # fn example(manager: &mut Manager, address: std::net::SocketAddr) {
    /// manager.readyz("webhooks", checks::listening(address));
    /// # }
    /// ```
    #[cfg(feature = "server")]
    pub fn readyz(&mut self, name: impl Into<String>, check: impl Check) {
        self.servers.readyz(name.into(), check);
    }

    /// Serves webhooks on every replica, from the very start, because the caches may need their conversions. Adds the check `webhooks` to
    /// `/readyz`.
    ///
    /// Call it once. [`ManagerBuilder::webhook_server`] sets the address and the certificates; see [`webhook`](crate::webhook) for an
    /// example.
    #[cfg(feature = "webhook")]
    pub fn webhooks(&mut self, webhooks: Webhooks) {
        let Some(settings) = self.webhook_server.clone() else {
            return;
        };
        let running = Running::new(webhooks, settings, self.unfenced_client(), self.metrics());
        self.readyz("webhooks", running.readiness());
        if let Some(check) = running.file_check() {
            self.readyz("webhook-certificate", check);
        }
        let runnable = Runnable::new("webhook server", |stop| running.run(stop));
        self.add(runnable.webhook());
    }

    /// Adds a part that starts and stops with the manager.
    pub fn add(&mut self, runnable: Runnable) {
        self.runnables.get_mut().push(runnable);
    }

    /// Returns a controller for the objects of a kind. Set what enqueues the objects, then call [`run`](Controller::run). All settings of
    /// [`Controller`] are available.
    ///
    /// ```
    /// use std::sync::Arc;
    ///
    /// use k8s_openapi::api::{apps::v1::Deployment, core::v1::{ConfigMap, Service}};
    /// use kube_codegen_runtime::{children::{ChildError, Children}, controller::Action, manager::Manager};
    ///
    /// struct Context {
    ///     client: kube::Client,
    ///     maps: Children<ConfigMap>,
    ///     services: Children<Service>,
    /// }
    ///
    /// async fn reconcile(deployment: Arc<Deployment>, context: Arc<Context>) -> Result<Action, ChildError> {
    ///     // Compare the actual state with the one that `deployment` describes, and correct it.
    ///     Ok(Action::await_change())
    /// }
    ///
    /// # fn example(manager: &Manager) {
    /// let (maps, services) = (manager.children(), manager.children());
    /// manager
    ///     .reconcile::<Deployment>()
    ///     .owns(&maps)
    ///     .owns(&services)
    ///     .run(reconcile, Context { client: manager.client(), maps, services });
    /// # }
    /// ```
    ///
    /// After an error, the controller retries the object with a back-off; [`on_error`](Controller::on_error) changes that. By default, the
    /// controller runs only while this process leads. [`Manager::run`] fails if two controllers have the same [name](Controller::named).
    #[must_use = "it does nothing without `run`"]
    pub fn reconcile<K: Object>(&self) -> Controller<K, Managed<&Self>>
    where
        K::DynamicType: Default,
    {
        self.reconcile_from(&self.factory.informer())
    }

    /// Like [`reconcile`](Self::reconcile), for the objects of a given informer. Use it for a kind that is known only at run time, or for
    /// an informer from outside the [`factory`](Self::factory).
    #[must_use = "it does nothing without `run`"]
    pub fn reconcile_from<K: Object>(
        &self,
        informer: &SharedInformer<K>,
    ) -> Controller<K, Managed<&Self>> {
        Controller::for_informer(informer).managed_by(self)
    }

    /// Returns a [`Children`] for a kind, with its informer. It maintains the children by server-side apply, as the [field
    /// manager](ManagerBuilder::field_manager) of this manager.
    ///
    /// ```
    /// # use k8s_openapi::api::apps::v1::Deployment;
    /// # fn example(manager: &kube_codegen_runtime::manager::Manager) {
    /// let deployments = manager.children::<Deployment>();
    /// # }
    /// ```
    pub fn children<K: Object<DynamicType = ()> + Fields>(&self) -> Children<K> {
        Children::of_host(&self)
    }

    /// Adds a controller, which by default runs while this process leads. `run` must call one of the controller's `run` methods.
    /// [`reconcile`](Self::reconcile) is shorter.
    ///
    /// If the server does not serve the kind, because the CRD is not installed or was deleted, this controller waits while the others keep
    /// working. See [`SharedInformer::is_served`](crate::informer::SharedInformer::is_served).
    ///
    /// [`run`](Self::run) fails if two controllers have the same [name](Controller::named).
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
        let plan = controller.plan();
        let name = format!("controller {}", plan.name);
        let needs_leader_election = plan.needs_leader_election;
        let shards = self
            .shards
            .clone()
            .filter(|_| needs_leader_election && plan.may_be_divided);
        // `run` reports a name that is taken.
        #[cfg(feature = "metrics")]
        let _ = self.metrics.controller(&controller.metrics());
        let key = shards.as_ref().map(ShardStatus::key);
        let workers = self.controllers.add(plan, key);
        // The grace period is the manager's, and a controller reports which objects it drops.
        let controller = controller.with_defaults(&self.controllers.defaults, workers);
        let is_divided = shards.is_some();
        let controller = match shards {
            Some(shards) => controller.with_shards(shards.set()),
            None => controller,
        };
        let runnable = Runnable::new(name, |stop: CancellationToken| {
            run(controller.graceful_shutdown_on(stop.cancelled_owned()))
        });
        self.runnables.lock().push(if is_divided {
            runnable.divided()
        } else {
            runnable.needs_leader_election(needs_leader_election)
        });
    }
}

impl Host for &Manager {
    fn client(&self) -> Client {
        Manager::client(self)
    }

    fn factory(&self) -> &InformerFactory {
        &self.factory
    }

    fn field_manager(&self) -> &str {
        &self.writer
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

impl fmt::Debug for Manager {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Manager")
            .field("factory", &self.factory)
            .field("term", &self.term)
            .field("runnables", &self.runnables)
            .finish_non_exhaustive()
    }
}
