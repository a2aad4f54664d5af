//! Prometheus metrics with the names, labels and buckets of controller-runtime and client-go (feature `metrics`).
//!
//! Dashboards and alerts for Go operators, such as kubebuilder's, work unchanged. `docs/metrics.md` lists every metric.
//!
//! ```
//! use k8s_openapi::api::core::v1::ConfigMap;
//! use kube_codegen_runtime::{controller::Controller, informer::InformerFactory, metrics::{Format, Metrics}};
//! use kube_codegen_testing::ApiServer;
//!
//! # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let client = ApiServer::new().client();
//! let metrics = Metrics::new();
//! let factory = InformerFactory::new(client);
//! metrics.informers(&factory);
//! let controller = Controller::for_informer(&factory.informer::<ConfigMap>());
//! metrics.controller(&controller.metrics())?;
//! assert!(metrics.encode(Format::Text)?.contains("workqueue_depth{name=\"configmap\",controller=\"configmap\""));
//! # Ok(()) }
//! ```
//!
//! [`Metrics::client_layer`] measures the requests of a client, and `server::Server` serves the metrics over HTTP.
mod client;
mod controllers;
mod encoder;
mod informers;
mod program;
#[cfg(feature = "webhook")]
mod webhooks;

use std::{
    collections::BTreeMap,
    fmt,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use parking_lot::Mutex;
pub use prometheus_client;
use prometheus_client::{
    collector::Collector,
    encoding::{DescriptorEncoder, text},
    registry::Registry,
};
use thiserror::Error;

#[cfg(feature = "webhook")]
pub(crate) use self::webhooks::WebhookMetrics;
use self::{client::ClientMetrics, controllers::QueueSource, encoder::Encoder};
pub use self::{
    client::{ClientLayer, ClientService, CountedBody},
    program::CertificateMetrics,
};
use crate::{
    Object,
    cache::ObjectKey,
    controller::MetricsHandle,
    event::EventRecorder,
    exemplars::TraceId,
    informer::{InformerFactory, InformerStatus, SharedInformer},
    leader_election::LeaderStatus,
    queue::{QueueSnapshot, WorkQueue},
    shards::ShardStatus,
};

/// The metrics of a program: everything registered here, the requests of its clients, and the process. Clones refer to the same metrics.
#[derive(Clone)]
pub struct Metrics {
    sources: Arc<Sources>,
    registry: Arc<Mutex<Registry>>,
}

/// Where the values are read from when the metrics are encoded.
#[derive(Default)]
struct Sources {
    controllers: Mutex<Vec<MetricsHandle>>,
    queues: Mutex<Vec<QueueSource>>,
    informers: Mutex<Vec<(Cluster, InformerSource)>>,
    clients: Mutex<Vec<Arc<ClientMetrics>>>,
    leaders: Mutex<Vec<LeaderStatus>>,
    shards: Mutex<Vec<ShardStatus>>,
    dropped_events: Mutex<Vec<(Cluster, Arc<AtomicU64>)>>,
    trace_id: Mutex<Option<TraceId>>,
    certificates: CertificateMetrics,
    #[cfg(feature = "webhook")]
    webhooks: WebhookMetrics,
}

/// The member cluster that something belongs to.
type Cluster = Option<Arc<str>>;

/// Returns the state of informers, unless they were dropped.
type InformerSource = Box<dyn Fn() -> Vec<InformerStatus> + Send + Sync>;

/// A text format of metrics.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Format {
    /// Prometheus' text format 0.0.4, which every scraper understands.
    #[default]
    Text,
    /// `OpenMetrics` 1.0.
    OpenMetrics,
}

/// Another controller or work queue already has this name.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(
    "there already is a controller or work queue named \"{0}\"; Controller::named gives it another name"
)]
pub struct NameTaken(pub String);

impl Metrics {
    /// Creates the metrics, which already include the process and its certificates.
    pub fn new() -> Self {
        let sources = Arc::new(Sources::default());
        let mut registry = Registry::default();
        registry.register_collector(Box::new(Arc::clone(&sources)));
        Self {
            sources,
            registry: Arc::new(Mutex::new(registry)),
        }
    }

    /// Adds a controller and its work queue; see [`Controller::metrics`](crate::controller::Controller::metrics). Their label is the
    /// controller's name, which must be unique within its cluster.
    pub fn controller(&self, controller: &MetricsHandle) -> Result<(), NameTaken> {
        self.check_name(controller.cluster().as_deref(), &controller.name())?;
        if let Some(trace_id) = &*self.sources.trace_id.lock() {
            controller.set_exemplars(Arc::clone(trace_id));
        }
        self.sources.controllers.lock().push(controller.clone());
        Ok(())
    }

    /// Attaches the trace id of the last reconcile to each bucket of `controller_runtime_reconcile_time_seconds` as an [exemplar], so that
    /// you can go from a slow bucket to its trace.
    ///
    /// Applies to controllers that are added later. `trace_id` is called at the end of each reconcile, within its span. Only
    /// [`Format::OpenMetrics`] includes exemplars; Prometheus requests this format.
    ///
    /// ```
    /// use kube_codegen_runtime::metrics::Metrics;
    /// use opentelemetry::trace::TraceContextExt as _;
    /// use tracing_opentelemetry::OpenTelemetrySpanExt as _;
    ///
    /// let metrics = Metrics::new();
    /// metrics.set_trace_ids(|| {
    ///     let context = tracing::Span::current().context();
    ///     let span = context.span().span_context().clone();
    ///     span.is_sampled().then(|| span.trace_id().to_string())
    /// });
    /// ```
    ///
    /// [exemplar]: https://prometheus.io/docs/specs/om/open_metrics_spec/#exemplars
    pub fn set_trace_ids(&self, trace_id: impl Fn() -> Option<String> + Send + Sync + 'static) {
        *self.sources.trace_id.lock() = Some(Arc::new(trace_id));
    }

    /// Adds a work queue that does not belong to a controller. The name must be unique.
    pub fn queue<T: Eq + std::hash::Hash + Clone + Send + 'static>(
        &self,
        name: impl Into<String>,
        queue: &WorkQueue<T>,
    ) -> Result<(), NameTaken> {
        let (name, queue) = (name.into(), queue.clone());
        self.check_name(None, &name)?;
        let source = QueueSource::new(name, move || queue.metrics());
        self.sources.queues.lock().push(source);
        Ok(())
    }

    /// Adds all informers of a factory, including ones created later. Does not keep them alive.
    pub fn informers(&self, factory: &InformerFactory) {
        let cluster = factory.cluster().map(Arc::from);
        self.add_informers(cluster, Box::new(factory.weak_status()));
    }

    /// Adds one informer. Does not keep it alive.
    pub fn informer<K: Object>(&self, informer: &SharedInformer<K>) {
        let cluster = informer.config().cluster.as_deref().map(Arc::from);
        let status = informer.weak_status();
        self.add_informers(cluster, Box::new(move || status().into_iter().collect()));
    }

    fn add_informers(&self, cluster: Cluster, source: InformerSource) {
        self.sources.informers.lock().push((cluster, source));
    }

    /// Returns a layer that counts and measures the requests of a client. `server` is the URL of the API server; its host and port become
    /// the label `host`.
    ///
    /// ```no_run
    /// use kube::client::ClientBuilder;
    /// use kube_codegen_runtime::metrics::Metrics;
    ///
    /// # fn main() -> kube::Result<()> {
    /// # let config = kube::Config::new("https://localhost:6443".parse().unwrap());
    /// let metrics = Metrics::new();
    /// let layer = metrics.client_layer(&config.cluster_url);
    /// let client = ClientBuilder::try_from(config)?.with_layer(&layer).build();
    /// # Ok(()) }
    /// ```
    pub fn client_layer(&self, server: &http::Uri) -> ClientLayer {
        let host = server
            .authority()
            .map_or_else(String::new, ToString::to_string);
        let mut clients = self.sources.clients.lock();
        let known = clients.iter().find(|client| client.host() == host);
        let client = known.cloned().unwrap_or_else(|| {
            let client = Arc::new(ClientMetrics::new(host));
            clients.push(Arc::clone(&client));
            client
        });
        ClientLayer::new(client)
    }

    /// Adds a leader election; see [`LeaderElector::status`](crate::leader_election::LeaderElector::status).
    pub fn leader_election(&self, status: &LeaderStatus) {
        self.sources.leaders.lock().push(status.clone());
    }

    /// Adds the shards of a replica; see [`Manager::shard_status`](crate::manager::Manager::shard_status).
    pub fn shards(&self, status: &ShardStatus) {
        self.sources.shards.lock().push(status.clone());
    }

    /// Adds an event recorder. Does not keep it alive.
    pub fn events(&self, recorder: &EventRecorder) {
        self.events_of(None, recorder);
    }

    /// Like [`events`](Self::events), of a member cluster.
    pub(crate) fn events_of(&self, cluster: Cluster, recorder: &EventRecorder) {
        let dropped = recorder.dropped_counter();
        self.sources.dropped_events.lock().push((cluster, dropped));
    }

    /// Removes what belongs to a member cluster.
    pub(crate) fn forget(&self, cluster: &str) {
        let is_other = |of: &Cluster| of.as_deref() != Some(cluster);
        let sources = &self.sources;
        sources
            .controllers
            .lock()
            .retain(|it| is_other(&it.cluster()));
        sources.informers.lock().retain(|(of, _)| is_other(of));
        sources.dropped_events.lock().retain(|(of, _)| is_other(of));
    }

    /// Returns the state of all informers.
    #[cfg(feature = "server")]
    pub(crate) fn informer_status(&self) -> Vec<InformerStatus> {
        self.sources.informer_status()
    }

    /// Returns the counters of certificates that are read from files.
    pub fn certificates(&self) -> CertificateMetrics {
        self.sources.certificates.clone()
    }

    #[cfg(feature = "webhook")]
    pub(crate) fn webhooks(&self) -> WebhookMetrics {
        self.sources.webhooks.clone()
    }

    /// Returns a snapshot of the work queue of each running controller, with at most `limit` items per section. The key is the
    /// controller's name, or `CLUSTER/NAME` in a member cluster.
    pub fn queues(&self, limit: usize) -> BTreeMap<String, QueueSnapshot<ObjectKey>> {
        let controllers = self.sources.controllers.lock();
        controllers
            .iter()
            .filter_map(|controller| {
                let name = match controller.cluster() {
                    None => controller.name(),
                    Some(cluster) => format!("{cluster}/{}", controller.name()),
                };
                Some((name, controller.queue(limit)?))
            })
            .collect()
    }

    /// Gives you access to the registry, for metrics of your own.
    ///
    /// ```
    /// use kube_codegen_runtime::metrics::{Format, Metrics, prometheus_client::metrics::counter::Counter};
    ///
    /// # fn main() -> Result<(), std::fmt::Error> {
    /// let metrics = Metrics::new();
    /// let backups = Counter::<u64>::default();
    /// metrics.registry(|registry| registry.register("backups", "Finished backups", backups.clone()));
    /// backups.inc();
    /// assert!(metrics.encode(Format::Text)?.contains("backups_total 1\n"));
    /// # Ok(()) }
    /// ```
    pub fn registry<T>(&self, change: impl FnOnce(&mut Registry) -> T) -> T {
        change(&mut self.registry.lock())
    }

    /// Returns all metrics as text. Fails only if one of your own collectors fails.
    pub fn encode(&self, format: Format) -> Result<String, fmt::Error> {
        let mut encoded = String::new();
        text::encode(&mut encoded, &self.registry.lock())?;
        Ok(match format {
            Format::Text => encoder::to_text(&encoded),
            Format::OpenMetrics => encoded,
        })
    }

    fn check_name(&self, cluster: Option<&str>, name: &str) -> Result<(), NameTaken> {
        let taken = self
            .sources
            .controllers
            .lock()
            .iter()
            .any(|c| c.name() == name && c.cluster().as_deref() == cluster)
            || cluster.is_none() && self.sources.queues.lock().iter().any(|q| q.name == name);
        if taken {
            return Err(NameTaken(name.to_owned()));
        }
        Ok(())
    }
}

impl Default for Metrics {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for Metrics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Metrics")
            .field("sources", &self.sources)
            .finish_non_exhaustive()
    }
}

impl Sources {
    fn informer_status(&self) -> Vec<InformerStatus> {
        let sources = self.informers.lock();
        sources.iter().flat_map(|(_, one)| one()).collect()
    }

    /// Returns the number of dropped events of each cluster, and of the program's own always.
    fn dropped_events(&self) -> Vec<(encoder::Labels, u64)> {
        let mut dropped = BTreeMap::from([(None, 0)]);
        for (cluster, counter) in &*self.dropped_events.lock() {
            *dropped.entry(cluster.clone()).or_default() += counter.load(Ordering::Relaxed);
        }
        let labels = |cluster: Cluster| encoder::of_cluster(Vec::new(), cluster.as_deref());
        let dropped = dropped.into_iter();
        dropped
            .map(|(cluster, count)| (labels(cluster), count))
            .collect()
    }
}

impl fmt::Debug for Sources {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = self
            .controllers
            .lock()
            .iter()
            .map(MetricsHandle::name)
            .collect();
        f.debug_struct("Sources")
            .field("controllers", &names)
            .finish_non_exhaustive()
    }
}

impl Collector for Sources {
    fn encode(&self, encoder: DescriptorEncoder<'_>) -> fmt::Result {
        let mut encoder = Encoder(encoder);
        controllers::encode(&self.controllers.lock(), &self.queues.lock(), &mut encoder)?;
        informers::encode(self.informer_status(), &mut encoder)?;
        client::encode(&self.clients.lock(), &mut encoder)?;
        #[cfg(feature = "webhook")]
        webhooks::encode(&self.webhooks, &mut encoder)?;
        program::encode(
            &self.leaders.lock(),
            &self.shards.lock(),
            &self.dropped_events(),
            &self.certificates,
            &mut encoder,
        )
    }
}
