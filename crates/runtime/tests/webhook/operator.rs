//! An operator with webhooks, and a client that trusts the CA of its Secret.
use std::{net::TcpListener, sync::Arc, time::Duration};

use k8s_openapi::{
    ByteString,
    api::core::v1::{ConfigMap, Secret},
};
use kube_codegen_runtime::{
    manager::{Manager, ManagerError},
    metrics::{Format, Metrics},
    webhook::{
        Certificates, ClientConfig, FieldErrors, OwnCertificates, Rejection, Request, Validator,
        Warnings, WebhookServer, Webhooks,
    },
};
use kube_codegen_testing::ApiServer;
use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    sync::oneshot,
    task::JoinHandle,
};
use tokio_rustls::{
    TlsConnector,
    client::TlsStream,
    rustls::{
        ClientConfig as TlsConfig, RootCertStore,
        crypto::ring::default_provider,
        pki_types::{CertificateDer, ServerName, pem::PemObject},
    },
};

const SECRET: &str = "operator-webhook-cert";

pub struct Operator {
    pub server: ApiServer,
    pub address: String,
    pub metrics: Metrics,
    stop: oneshot::Sender<()>,
    ended: JoinHandle<Result<(), ManagerError>>,
}

#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub body: String,
}

impl Answer {
    pub fn json(&self) -> Value {
        assert_eq!(self.status, 200, "{}", self.body);
        serde_json::from_str(&self.body).unwrap()
    }
}

impl Operator {
    pub fn start(server: &ApiServer, webhooks: Webhooks, own: OwnCertificates) -> Self {
        Self::start_with(server, webhooks, own, |settings| settings)
    }

    pub fn start_with(
        server: &ApiServer,
        webhooks: Webhooks,
        own: OwnCertificates,
        change: impl FnOnce(WebhookServer) -> WebhookServer,
    ) -> Self {
        let port = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = port.local_addr().unwrap().to_string();
        drop(port);
        let settings = WebhookServer::new()
            .address(&address)
            .reached_by(ClientConfig::url(format!("https://{address}")))
            .certificates(Certificates::Own(own));
        let builder = Manager::builder(server.client(), "operator");
        let builder = builder.webhook_server(change(settings));
        let mut manager = builder.build().unwrap();
        manager.webhooks(webhooks);
        let metrics = manager.metrics();
        let (stop, stopped) = oneshot::channel::<()>();
        let ended = tokio::spawn(manager.run(async move { drop(stopped.await) }));
        Self {
            server: server.clone(),
            address,
            metrics,
            stop,
            ended,
        }
    }

    pub async fn stop(self) -> Result<(), ManagerError> {
        drop(self.stop);
        self.ended.await.unwrap()
    }

    /// Returns a field of the Secret once it exists.
    pub async fn secret(&self, key: &str) -> String {
        let read = self.server.until(|server| {
            let secret = server.get::<Secret>("default", SECRET)?;
            let ByteString(bytes) = secret.data?.remove(key)?;
            String::from_utf8(bytes).ok()
        });
        tokio::time::timeout(Duration::from_secs(10), read)
            .await
            .unwrap()
    }

    /// Connects as a client that trusts these CAs.
    pub async fn connect(&self, trusted: &str) -> std::io::Result<TlsStream<TcpStream>> {
        let mut roots = RootCertStore::empty();
        for der in CertificateDer::pem_slice_iter(trusted.as_bytes()) {
            roots.add(der.unwrap()).unwrap();
        }
        let config = TlsConfig::builder_with_provider(Arc::new(default_provider()))
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_root_certificates(roots)
            .with_no_client_auth();
        let mut attempts = 0;
        let stream = loop {
            attempts += 1;
            match TcpStream::connect(&self.address).await {
                Ok(stream) => break stream,
                Err(_) if attempts < 100 => tokio::time::sleep(Duration::from_millis(20)).await,
                Err(error) => return Err(error),
            }
        };
        let name = ServerName::try_from("127.0.0.1").unwrap();
        TlsConnector::from(Arc::new(config))
            .connect(name, stream)
            .await
    }

    pub async fn post(&self, path: &str, body: &Value) -> Answer {
        self.send(
            "POST",
            path,
            "Content-Type: application/json\r\n",
            &body.to_string(),
        )
        .await
    }

    pub async fn send(&self, method: &str, path: &str, headers: &str, body: &str) -> Answer {
        let trusted = self.secret("ca.crt").await;
        // The server loads the certificate right after it wrote the Secret.
        let mut stream = loop {
            match self.connect(&trusted).await {
                Ok(stream) => break stream,
                Err(_) => tokio::time::sleep(Duration::from_millis(20)).await,
            }
        };
        let length = body.len();
        let request = format!(
            "{method} {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: {length}\r\n{headers}\r\n{body}"
        );
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        Answer {
            status: head.split(' ').nth(1).unwrap().parse().unwrap(),
            body: body.to_owned(),
        }
    }

    /// Returns the value of a series.
    pub fn metric(&self, series: &str) -> Option<f64> {
        let text = self.metrics.encode(Format::Text).unwrap();
        let line = text
            .lines()
            .find_map(|line| line.strip_prefix(series)?.strip_prefix(' '));
        line.map(|value| value.parse().unwrap())
    }
}

/// A `ConfigMap` named `panic` panics, and `slow` takes a minute.
pub fn set_color(map: &mut ConfigMap, request: &Request) -> Result<(), Rejection> {
    let data = map.data.get_or_insert_default();
    match &*request.name {
        "panic" => panic!("no color for {}", request.name),
        "forbidden" => return Err(Rejection::forbidden("no such name")),
        _ => data.entry("color".into()).or_insert_with(|| "red".into()),
    };
    Ok(())
}

pub struct Rules;

impl Validator<ConfigMap> for Rules {
    async fn validate_create(
        &self,
        map: &ConfigMap,
        request: &Request,
    ) -> Result<Warnings, Rejection> {
        if request.name == "slow" {
            tokio::time::sleep(Duration::from_secs(60)).await;
        }
        let color = map.data.as_ref().and_then(|data| data.get("color"));
        let mut errors = FieldErrors::new();
        if color.is_some_and(|color| color == "none") {
            errors.not_supported("data.color", "none", &["blue", "red"]);
        }
        errors.finish(map)?;
        Ok(vec![format!("checked for {}", request.user())])
    }

    async fn validate_update(
        &self,
        old: &ConfigMap,
        map: &ConfigMap,
        request: &Request,
    ) -> Result<Warnings, Rejection> {
        if old.data != map.data && !request.dry_run {
            return Err(Rejection::new(409, "Conflict", "the data cannot change"));
        }
        Ok(Warnings::new())
    }

    async fn validate_delete(&self, map: &ConfigMap, _: &Request) -> Result<Warnings, Rejection> {
        let keep = map
            .data
            .as_ref()
            .is_some_and(|data| data.contains_key("keep"));
        if keep {
            return Err("this object must stay".into());
        }
        Ok(Warnings::new())
    }
}

/// Renames `data.color` to `data.colour` in version v2.
pub fn convert(mut object: Value, api_version: &str) -> Result<Value, String> {
    assert!(object["metadata"]["name"] != "panic", "cannot read it");
    let data = object["data"].as_object_mut().ok_or("there is no data")?;
    let (from, to) = match api_version {
        "v2" => ("color", "colour"),
        _ => ("colour", "color"),
    };
    if let Some(color) = data.remove(from) {
        data.insert(to.to_owned(), color);
    }
    object["apiVersion"] = api_version.into();
    Ok(object)
}

pub fn webhooks() -> Webhooks {
    Webhooks::new("operator")
        .defaulting(set_color)
        .validating::<ConfigMap>(Rules)
        .converting::<ConfigMap, _>(convert)
}

pub fn operator() -> Operator {
    Operator::start(&ApiServer::new(), webhooks(), OwnCertificates::new())
}

/// Returns an `AdmissionReview` of a `ConfigMap`.
pub fn review(operation: &str, name: &str, object: &Value, old: &Value) -> Value {
    json!({
        "apiVersion": "admission.k8s.io/v1",
        "kind": "AdmissionReview",
        "request": {
            "uid": "u-1",
            "kind": {"group": "", "version": "v1", "kind": "ConfigMap"},
            "resource": {"group": "", "version": "v1", "resource": "configmaps"},
            "requestKind": {"group": "", "version": "v1", "kind": "ConfigMap"},
            "requestResource": {"group": "", "version": "v1", "resource": "configmaps"},
            "name": name, "namespace": "default", "operation": operation,
            "userInfo": {"username": "admin", "groups": ["system:masters"]},
            "object": object, "oldObject": old, "dryRun": false,
            "options": {"apiVersion": "meta.k8s.io/v1", "kind": "CreateOptions"},
        },
    })
}

pub fn map(data: &Value) -> Value {
    json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a", "namespace": "default"}, "data": data})
}
