//! The settings of a manager.
use std::{collections::BTreeMap, fmt, time::Duration};

use kube::{Client, Config};
use parking_lot::Mutex;

#[cfg(feature = "server")]
use super::servers::Servers;
use super::{
    Election, Manager, ManagerError, State,
    controllers::Controllers,
    writes::{FieldValidation, WriteOptions},
};
#[cfg(feature = "metrics")]
use crate::metrics::Metrics;
#[cfg(feature = "server")]
use crate::server::Server;
#[cfg(feature = "webhook")]
use crate::webhook::WebhookServer;
use crate::{
    controller::{CACHE_SYNC_TIMEOUT, Defaults, GRACE_PERIOD},
    event::EventRecorder,
    informer::{InformerFactory, InformerFactoryBuilder},
    leader_election::{LeaderElectionConfig, LeaderElector},
    shards::{Replica, Shards},
};

/// Builds a [`Manager`] from its settings.
#[must_use]
pub struct ManagerBuilder {
    pub(super) client: Client,
    pub(super) name: String,
    informers: InformerFactoryBuilder,
    leader_election: Option<LeaderElectionConfig>,
    shards: Option<Shards>,
    workers: usize,
    workers_of: BTreeMap<String, usize>,
    defaults: Defaults,
    warm_up: bool,
    writes: WriteOptions,
    #[cfg(feature = "metrics")]
    metrics: Metrics,
    #[cfg(feature = "server")]
    servers: Servers,
    #[cfg(feature = "webhook")]
    webhook_server: Option<WebhookServer>,
}

impl ManagerBuilder {
    pub(super) fn new(client: Client, name: String) -> Self {
        Self {
            informers: InformerFactory::builder(client.clone()),
            client,
            name,
            leader_election: None,
            shards: None,
            workers: 1,
            workers_of: BTreeMap::new(),
            defaults: Defaults {
                cache_sync_timeout: CACHE_SYNC_TIMEOUT,
                reconcile_timeout: None,
                grace_period: GRACE_PERIOD,
            },
            warm_up: true,
            writes: WriteOptions::default(),
            #[cfg(feature = "metrics")]
            metrics: Metrics::new(),
            #[cfg(feature = "server")]
            servers: Servers::default(),
            #[cfg(feature = "webhook")]
            webhook_server: Some(WebhookServer::default()),
        }
    }

    pub(super) fn connect(config: Config, name: String) -> Result<Self, ManagerError> {
        #[cfg(feature = "metrics")]
        let metrics = Metrics::new();
        let client = client(
            config,
            #[cfg(feature = "metrics")]
            &metrics,
        );
        let client = client.map_err(|error| ManagerError::Connect(Box::new(error)))?;
        let builder = Self::new(client, name);
        #[cfg(feature = "metrics")]
        let builder = builder.metrics(metrics);
        Ok(builder)
    }

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

    /// Enables leader election: one of several replicas leads and reconciles. Without it, every replica reconciles.
    pub fn leader_election(mut self, config: LeaderElectionConfig) -> Self {
        self.leader_election = Some(config);
        self
    }

    /// Divides the objects of all controllers among the replicas; requires [leader election](Self::leader_election). See
    /// [`shards`](crate::shards). With a single range, one replica leads, as without this setting.
    pub fn shards(mut self, shards: Shards) -> Self {
        self.shards = Some(shards);
        self
    }

    /// Sets how many objects each controller reconciles concurrently, unless the controller has [its own
    /// setting](crate::controller::Controller::workers). The minimum and the default are one.
    pub fn workers(mut self, workers: usize) -> Self {
        self.workers = workers.max(1);
        self
    }

    /// Like [`workers`](Self::workers), for the controllers of one kind (`Pod`, `ReplicaSet.apps`). [`Manager::run`] fails if the kind has
    /// no controller.
    pub fn workers_of(mut self, kind: impl Into<String>, workers: usize) -> Self {
        self.workers_of.insert(kind.into(), workers.max(1));
        self
    }

    /// Sets how long the first lists of the caches may take, for kinds that the server serves. The default is two minutes. A longer
    /// timeout of a controller takes precedence.
    pub fn cache_sync_timeout(mut self, timeout: Duration) -> Self {
        self.defaults.cache_sync_timeout = timeout;
        self
    }

    /// Sets the [reconcile timeout](crate::controller::Controller::reconcile_timeout) of all controllers without a timeout of their own.
    /// The default is no timeout.
    pub fn reconcile_timeout(mut self, limit: Duration) -> Self {
        self.defaults.reconcile_timeout = Some(limit);
        self
    }

    /// Sets how long the parts may take to stop on shutdown before they are dropped. The default is 30 s.
    pub fn grace_period(mut self, period: Duration) -> Self {
        self.defaults.grace_period = period;
        self
    }

    /// Sets whether this replica fills its caches while another one leads, so that it can take over at once. The default is `true`; with
    /// `false`, waiting replicas save memory and requests. [`Controller::warm_up`](crate::controller::Controller::warm_up) sets it for the
    /// caches of one controller.
    pub fn warm_up(mut self, warm_up: bool) -> Self {
        self.warm_up = warm_up;
        self
    }

    /// Sets the field manager for [`Manager::children`], and for writes through [`Manager::client`] that name none. The default is the
    /// name of the operator.
    pub fn field_manager(mut self, name: impl Into<String>) -> Self {
        self.writes.field_manager = Some(name.into());
        self
    }

    /// Sets how the API server treats unknown and duplicate fields in writes through [`Manager::client`]. By default, it warns.
    pub fn field_validation(mut self, validation: FieldValidation) -> Self {
        self.writes.field_validation = Some(validation);
        self
    }

    /// Makes all writes through [`Manager::client`] dry runs: the API server responds as usual but stores nothing. Events and the Lease
    /// are still written.
    pub fn dry_run(mut self) -> Self {
        self.writes.is_dry_run = true;
        self
    }

    /// Sets the metrics with which all parts register. The default is a new set. See [`Manager::metrics`].
    ///
    /// A client that you create yourself is measured only if you add a [layer](Metrics::client_layer) of these metrics;
    /// [`Manager::connect`] adds it.
    #[cfg(feature = "metrics")]
    pub fn metrics(mut self, metrics: Metrics) -> Self {
        self.metrics = metrics;
        self
    }

    /// Serves `/healthz` and `/readyz`. The manager adds checks for the election and the caches.
    ///
    /// ```
    /// use kube_codegen_runtime::{manager::Manager, server::Server};
    ///
    /// # fn example(client: kube::Client) {
    /// let builder = Manager::builder(client.clone(), "my-operator")
    ///     .health_server(Server::plain(":8081"))
    ///     .metrics_server(Server::secure(":8443", &client));
    /// # }
    /// ```
    #[cfg(feature = "server")]
    pub fn health_server(mut self, server: Server) -> Self {
        self.servers.health = Some(server);
        self
    }

    /// Serves `/metrics` and `/debug/informers`.
    #[cfg(feature = "server")]
    pub fn metrics_server(mut self, server: Server) -> Self {
        self.servers.metrics = Some(server);
        self
    }

    /// Sets the address and the certificates of the webhook server; see [`Manager::webhooks`].
    #[cfg(feature = "webhook")]
    pub fn webhook_server(mut self, server: WebhookServer) -> Self {
        self.webhook_server = Some(server);
        self
    }

    /// Serves no webhooks, even if [`Manager::webhooks`] adds some. Use it for a program outside the cluster that the API server cannot
    /// reach.
    #[cfg(feature = "webhook")]
    pub fn without_webhooks(mut self) -> Self {
        self.webhook_server = None;
        self
    }

    /// Creates the manager.
    ///
    /// # Panics
    /// If called outside a Tokio runtime, like `tokio::spawn`.
    pub fn build(self) -> Result<Manager, ManagerError> {
        let recorder = EventRecorder::new(self.client.clone(), self.name.clone());
        let shards = self.shards.filter(|shards| shards.ranges() > 1);
        let election = match (self.leader_election, shards) {
            (None, None) => None,
            (None, Some(_)) => return Err(ManagerError::ShardsWithoutElection),
            (Some(config), None) => {
                let elector = LeaderElector::new(&self.client, config)?;
                Some(Election::Leader(Box::new(elector.recorder(&recorder))))
            }
            (Some(config), Some(shards)) => {
                let grace_period = self.defaults.grace_period;
                let replica = Replica::new(&self.client, config, shards, grace_period)?;
                Some(Election::Shards(Box::new(replica)))
            }
        };
        let factory = self.informers.build();
        let mut writes = self.writes;
        let field_manager = writes
            .field_manager
            .get_or_insert_with(|| self.name.clone())
            .clone();
        let state = State::new();
        #[cfg(feature = "metrics")]
        {
            self.metrics.informers(&factory);
            self.metrics.events(&recorder);
            if let Some(election) = &election {
                self.metrics.leader_election(&election.status());
                if let Some(shards) = election.shards() {
                    self.metrics.shards(&shards);
                }
            }
        }
        #[cfg(feature = "server")]
        let servers = self.servers.complete(
            &self.metrics,
            &factory,
            &state,
            election.as_ref().map(Election::life).as_ref(),
        );
        let client = factory.track_writes(&self.client);
        let fenced = match &election {
            None => client.clone(),
            Some(Election::Leader(elector)) => elector.term().fence(&client),
            Some(Election::Shards(replica)) => replica.fence(&client),
        };
        Ok(Manager {
            fenced: writes.clone().apply(fenced),
            writes,
            writer: field_manager,
            name: self.name,
            client,
            factory,
            recorder,
            status: election.as_ref().map(Election::status),
            term: election.as_ref().map(Election::term),
            shards: election.as_ref().and_then(Election::shards),
            election,
            runnables: Mutex::default(),
            controllers: Controllers::new(
                self.defaults,
                self.workers,
                self.workers_of,
                self.warm_up,
            ),
            state,
            #[cfg(feature = "metrics")]
            metrics: self.metrics,
            #[cfg(feature = "server")]
            servers,
            #[cfg(feature = "webhook")]
            webhook_server: self.webhook_server,
        })
    }
}

/// Connects, notices dead connections if the feature `rustls-tls` is on, and measures the requests if `metrics` is.
pub(super) fn client(
    config: Config,
    #[cfg(feature = "metrics")] metrics: &Metrics,
) -> kube::Result<Client> {
    #[cfg(feature = "metrics")]
    let layer = metrics.client_layer(&config.cluster_url);
    #[cfg(feature = "rustls-tls")]
    let client = crate::client::builder(config, crate::client::DEAD_AFTER)?;
    #[cfg(not(feature = "rustls-tls"))]
    let client = kube::client::ClientBuilder::try_from(config)?;
    #[cfg(feature = "metrics")]
    let client = client.with_layer(&layer);
    Ok(client.with_layer(&crate::client::TraceLayer).build())
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
