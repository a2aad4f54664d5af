//! Member clusters of a manager, each an API server in memory.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod life;
mod members;
#[cfg(feature = "rustls-tls")]
mod secrets;

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use futures::channel::mpsc::{UnboundedSender, unbounded};
use k8s_openapi::api::core::v1::ConfigMap;
use kube::{Client, api::Patch};
use kube_codegen_runtime::{
    client::TypedClient,
    clusters::{Cluster, ClusterChange, Clusters},
    controller::{Action, Controller, OnError},
    manager::{CancellationToken, Manager, ManagerError},
};
use kube_codegen_testing::ApiServer;
use serde_json::json;
use tokio::task::JoinHandle;

const SECOND: Duration = Duration::from_secs(1);

/// Stores a `ConfigMap` in the namespace `default`.
fn seed(server: &ApiServer, name: &str) {
    let map = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, "namespace": "default"}});
    server.seed(&map).unwrap();
}

/// Waits until a `ConfigMap` says that this cluster's controller has reconciled it.
async fn reconciled(server: &ApiServer, name: &str, cluster: &str) {
    let seen = |server: &ApiServer| {
        let data = server.get::<ConfigMap>("default", name)?.data?;
        (data.get("seen")? == cluster).then_some(())
    };
    let waited = tokio::time::timeout(600 * SECOND, server.until(seen)).await;
    waited.unwrap_or_else(|_| panic!("{name} of {cluster} is not reconciled"));
}

struct Context {
    cluster: String,
    maps: TypedClient<ConfigMap>,
}

async fn reconcile(map: Arc<ConfigMap>, context: Arc<Context>) -> kube::Result<Action> {
    let name = map.metadata.name.as_deref().unwrap_or_default();
    let seen = json!({"data": {"seen": context.cluster}});
    context.maps.patch(name, &Patch::Merge(seen)).await?;
    Ok(Action::await_change())
}

/// Adds a controller that writes the name of the cluster into each `ConfigMap`.
fn control(cluster: &mut Cluster) {
    let controller = Controller::for_informer(&cluster.factory().informer::<ConfigMap>());
    let context = Context {
        cluster: cluster.name().to_owned(),
        maps: TypedClient::namespaced(cluster.client(), "default"),
    };
    cluster.controller(controller, move |controller| {
        controller.run(reconcile, |_, _, _| OnError::Backoff, Arc::new(context))
    });
}

/// The clients of the clusters that have started, in order.
#[derive(Clone, Default)]
struct Starts(Arc<Mutex<Vec<(String, Client)>>>);

impl Starts {
    fn of(&self, name: &str) -> usize {
        let all = self.0.lock().unwrap();
        all.iter().filter(|(cluster, _)| cluster == name).count()
    }

    fn client(&self, name: &str) -> Client {
        let all = self.0.lock().unwrap();
        let mut all = all.iter().rev();
        all.find(|(cluster, _)| cluster == name).unwrap().1.clone()
    }
}

/// A running manager of a hub, and its members.
struct Fleet {
    #[cfg(feature = "metrics")]
    metrics: kube_codegen_runtime::metrics::Metrics,
    is_ready: Box<dyn Fn() -> bool>,
    changes: UnboundedSender<ClusterChange>,
    clusters: Clusters,
    starts: Starts,
    stop: CancellationToken,
    manager: JoinHandle<Result<(), ManagerError>>,
}

impl Fleet {
    fn start(hub: &ApiServer) -> Self {
        let manager = Manager::builder(hub.client(), "fleet").build().unwrap();
        Self::run(manager, control)
    }

    /// Runs a manager whose clusters have what `setup` adds.
    fn run(mut manager: Manager, setup: impl Fn(&mut Cluster) + Send + Sync + 'static) -> Self {
        let (changes, received) = unbounded();
        let (starts, stop) = (Starts::default(), CancellationToken::new());
        let started = starts.clone();
        let clusters = manager.clusters(received, move |cluster| {
            let start = (cluster.name().to_owned(), cluster.client());
            started.0.lock().unwrap().push(start);
            setup(cluster);
        });
        Self {
            #[cfg(feature = "metrics")]
            metrics: manager.metrics(),
            is_ready: Box::new(manager.readiness()),
            changes,
            clusters,
            starts,
            manager: tokio::spawn(manager.run(stop.clone().cancelled_owned())),
            stop,
        }
    }

    fn send(&self, change: ClusterChange) {
        self.changes.unbounded_send(change).unwrap();
    }

    fn join(&self, name: &str, server: &ApiServer) {
        self.send(ClusterChange::Joined {
            name: name.into(),
            client: server.client(),
        });
    }

    fn renew(&self, name: &str, server: &ApiServer) {
        self.send(ClusterChange::Renewed {
            name: name.into(),
            client: server.client(),
        });
    }

    fn leave(&self, name: &str) {
        self.send(ClusterChange::Left { name: name.into() });
    }

    /// Returns the series that have a label with this value, and their values.
    #[cfg(feature = "metrics")]
    fn series(&self, cluster: &str) -> std::collections::BTreeMap<String, f64> {
        let text = self
            .metrics
            .encode(kube_codegen_runtime::metrics::Format::Text)
            .unwrap();
        let label = format!("cluster=\"{cluster}\"");
        let lines = text.lines().filter(|line| line.contains(&label));
        let series = lines.map(|line| line.rsplit_once(' ').unwrap());
        series
            .map(|(series, value)| (series.to_owned(), value.parse().unwrap()))
            .collect()
    }

    async fn stop(self) {
        self.stop.cancel();
        self.manager.await.unwrap().unwrap();
    }
}
