//! Where the server of webhooks listens, how the API server reaches it, and its certificates.
use std::path::PathBuf;

use thiserror::Error;

use super::{ClientConfig, OwnCertificates};
use crate::server::{ServerError, TlsPolicy};

/// The port that kubebuilder uses.
const ADDRESS: &str = ":9443";

/// The settings of the server for [`Webhooks`](super::Webhooks).
///
/// By default, it listens on `:9443` behind the Service `OPERATOR-webhook` in the client's namespace, with its own certificates.
///
/// ```
/// use kube_codegen_runtime::{manager::Manager, webhook::{Certificates, ClientConfig, WebhookServer}};
///
/// # fn example(client: kube::Client) {
/// // cert-manager mounts the certificate, and writes `caBundle`.
/// let server = WebhookServer::new().certificates(Certificates::Files {
///     certificate: "/certs/tls.crt".into(),
///     key: "/certs/tls.key".into(),
/// });
/// let builder = Manager::builder(client, "my-operator").webhook_server(server);
///
/// // A program on this computer, for an API server on this computer.
/// let server = WebhookServer::new().address("127.0.0.1:9443").reached_by(ClientConfig::url("https://127.0.0.1:9443")).install();
/// # }
/// ```
#[derive(Clone, Debug)]
#[must_use = "pass it to `ManagerBuilder::webhook_server`"]
pub struct WebhookServer {
    pub(super) address: String,
    pub(super) certificates: Certificates,
    pub(super) client_config: Option<ClientConfig>,
    pub(super) install: bool,
    pub(super) policy: TlsPolicy,
}

/// The reason why the webhook server did not start.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum WebhookError {
    /// Two webhooks have the same path.
    #[error("two webhooks are served at {0}; Webhook::path gives one of them another path")]
    PathTaken(String),
    /// The server cannot listen, or its certificate is unusable.
    #[error("the server of the webhooks cannot start")]
    Server(#[from] ServerError),
}

/// The certificate of the server.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Certificates {
    /// The operator creates a CA and certificates, stores them in a Secret, renews them, and writes `caBundle`.
    Own(OwnCertificates),
    /// PEM files maintained by another program, such as cert-manager, which also writes `caBundle`. They are read again every ten seconds.
    Files {
        /// The certificate and its issuers.
        certificate: PathBuf,
        /// The private key.
        key: PathBuf,
    },
}

impl Default for Certificates {
    fn default() -> Self {
        Self::Own(OwnCertificates::default())
    }
}

impl WebhookServer {
    /// Creates the default settings.
    pub fn new() -> Self {
        Self {
            address: ADDRESS.to_owned(),
            certificates: Certificates::default(),
            client_config: None,
            install: false,
            policy: TlsPolicy::default(),
        }
    }

    /// Sets the address to listen on: host and port, or `:PORT` for all addresses of the machine.
    pub fn address(mut self, address: impl Into<String>) -> Self {
        self.address = address.into();
        self
    }

    /// Sets the certificate.
    pub fn certificates(mut self, certificates: Certificates) -> Self {
        self.certificates = certificates;
        self
    }

    /// Sets the TLS versions and cipher suites that the server accepts.
    pub fn tls_policy(mut self, policy: TlsPolicy) -> Self {
        self.policy = policy;
        self
    }

    /// Sets how the API server reaches the webhooks. The certificate is issued for this name.
    pub fn reached_by(mut self, config: ClientConfig) -> Self {
        self.client_config = Some(config);
        self
    }

    /// Creates and updates the [configurations](super::Webhooks::configurations) at the start, by server-side apply. Without this, they
    /// must be part of the deployment, and the operator only writes their `caBundle`.
    pub fn install(mut self) -> Self {
        self.install = true;
        self
    }
}

impl Default for WebhookServer {
    fn default() -> Self {
        Self::new()
    }
}
