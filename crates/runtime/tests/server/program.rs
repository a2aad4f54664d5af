//! A small operator, whose metrics the tests read.
use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use k8s_openapi::api::core::v1::ConfigMap;
use kube::{Client, api::Patch, client::ClientBuilder};
use kube_codegen_runtime::{
    client::TypedClient,
    controller::{Action, Controller, OnError},
    informer::InformerFactory,
    leader_election::{LeaderElectionConfig, LeaderElector},
    metrics::Metrics,
};
use kube_codegen_testing::ApiServer;
use serde_json::json;
use tokio::sync::mpsc;

pub const SECOND: Duration = Duration::from_secs(1);

/// A controller of `ConfigMap`s over an API server in memory.
pub struct Program {
    pub metrics: Metrics,
    pub factory: InformerFactory,
    pub client: Client,
    reconciled: mpsc::UnboundedReceiver<()>,
}

/// Fails for `bad` for the first time, and requeues `later`.
async fn reconcile(
    map: Arc<ConfigMap>,
    context: Arc<(Client, mpsc::UnboundedSender<()>, AtomicUsize)>,
) -> Result<Action, String> {
    let (client, reconciled, failures) = &*context;
    let name = map.metadata.name.as_deref().unwrap_or_default();
    tokio::time::sleep(Duration::from_millis(2)).await;
    let maps = TypedClient::<ConfigMap>::namespaced(client.clone(), "default");
    let patch = Patch::Merge(json!({"data": {"seen": "yes"}}));
    maps.patch(name, &patch)
        .await
        .map_err(|error| error.to_string())?;
    let _ = reconciled.send(());
    match name {
        "bad" if failures.fetch_add(1, Ordering::Relaxed) == 0 => Err("not yet".into()),
        "later" => Ok(Action::requeue(3600 * SECOND)),
        _ => Ok(Action::await_change()),
    }
}

impl Program {
    pub async fn start() -> Self {
        let metrics = Metrics::new();
        let server = ApiServer::new();
        let layer = metrics.client_layer(&"https://10.0.0.1:443".parse().unwrap());
        let client = ClientBuilder::new(server.service(), "default")
            .with_layer(&layer)
            .build();
        let factory = InformerFactory::new(client.clone());
        metrics.informers(&factory);
        let lease = LeaderElectionConfig::new("program")
            .namespace("default")
            .identity("a");
        let elector = LeaderElector::new(&client, lease).unwrap();
        metrics.leader_election(&elector.status());
        let controller = Controller::for_informer(&factory.informer::<ConfigMap>()).workers(2);
        metrics.controller(&controller.metrics()).unwrap();
        let (sender, reconciled) = mpsc::unbounded_channel();
        let context = Arc::new((client.clone(), sender, AtomicUsize::new(0)));
        tokio::spawn(controller.run(reconcile, |_, _, _| OnError::Backoff, context));
        factory
            .wait_for_cache_sync_within(10 * SECOND)
            .await
            .unwrap();
        Self {
            metrics,
            factory,
            client,
            reconciled,
        }
    }

    /// Creates objects, and waits until they were reconciled `times` times in all.
    pub async fn reconcile(&mut self, names: &[&str], times: usize) {
        let maps = TypedClient::<ConfigMap>::namespaced(self.client.clone(), "default");
        for name in names {
            let mut map = ConfigMap::default();
            map.metadata.name = Some((*name).into());
            maps.create(&map).await.unwrap();
        }
        for _ in 0..times {
            tokio::time::timeout(10 * SECOND, self.reconciled.recv())
                .await
                .unwrap();
        }
        // The last reconcile may still be counted.
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}
