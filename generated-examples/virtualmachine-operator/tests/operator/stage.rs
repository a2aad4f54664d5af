//! Operators with webhooks in this process, for the API server of a control plane on this computer.
use std::{net::TcpListener, time::Duration};

use example_test_support::cluster::WITHIN;
use k8s_openapi::{api::core::v1::ConfigMap, apimachinery::pkg::apis::meta::v1::LabelSelector};
use kube::{
    Api, Client,
    api::{DeleteParams, PostParams},
};
use kube_codegen_runtime::{
    manager::{Manager, ManagerError},
    webhook::{Certificates, ClientConfig, OwnCertificates, WebhookServer, Webhooks},
};
use kube_codegen_testenv::{TestResult, eventually};
use tokio::{sync::oneshot, task::JoinHandle};

/// Returns a port that is free.
pub(crate) fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.local_addr().unwrap().port()
}

/// An operator that only has webhooks.
pub(crate) struct Serving {
    stop: oneshot::Sender<()>,
    ended: JoinHandle<Result<(), ManagerError>>,
}

impl Serving {
    /// Starts it, with `own` certificates.
    pub(crate) fn start(client: Client, webhooks: Webhooks, own: OwnCertificates) -> Self {
        let port = free_port();
        let settings = WebhookServer::new()
            .address(format!("127.0.0.1:{port}"))
            .reached_by(ClientConfig::url(format!("https://127.0.0.1:{port}")))
            .certificates(Certificates::Own(own))
            .install();
        let builder = Manager::builder(client, webhooks.name()).webhook_server(settings);
        let mut manager = builder.build().unwrap();
        manager.webhooks(webhooks);
        let (stop, stopped) = oneshot::channel::<()>();
        let ended = tokio::spawn(manager.run(async move { drop(stopped.await) }));
        Self { stop, ended }
    }

    pub(crate) async fn stop(self) {
        drop(self.stop);
        self.ended.await.unwrap().unwrap();
    }
}

/// Selects one namespace, so that the tests do not disturb each other.
pub(crate) fn only(namespace: &str) -> LabelSelector {
    let label = (
        "kubernetes.io/metadata.name".to_owned(),
        namespace.to_owned(),
    );
    LabelSelector {
        match_labels: Some([label].into()),
        ..LabelSelector::default()
    }
}

/// The ConfigMaps of one namespace.
pub(crate) struct Maps(Api<ConfigMap>);

impl Maps {
    pub(crate) fn new(client: Client, namespace: &str) -> Self {
        Self(Api::namespaced(client, namespace))
    }

    /// Creates a ConfigMap, deletes it again, and returns it.
    pub(crate) async fn write(&self, name: &str) -> kube::Result<ConfigMap> {
        let mut map = ConfigMap::default();
        map.metadata.name = Some(name.to_owned());
        let created = self.0.create(&PostParams::default(), &map).await?;
        self.0.delete(name, &DeleteParams::default()).await?;
        Ok(created)
    }

    /// Returns why a ConfigMap is rejected.
    pub(crate) async fn rejection(&self, name: &str) -> String {
        match self.write(name).await {
            Ok(_) => panic!("{name} was admitted"),
            Err(error) => error.to_string(),
        }
    }

    /// Waits until the API server calls the webhooks, which set `data.webhook`.
    pub(crate) async fn webhooks_are_called(&self) -> TestResult {
        eventually("the webhook", WITHIN, async || {
            match self.write("probe").await {
                Ok(map) if map.data.is_some() => Ok(()),
                other => {
                    tokio::time::sleep(Duration::from_millis(100)).await;
                    Err(format!("{other:?}"))
                }
            }
        })
        .await?;
        Ok(())
    }
}
