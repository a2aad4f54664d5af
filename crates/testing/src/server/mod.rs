//! [`ApiServer`], the handle of a test: clients, sockets, webhooks and controllers.
//!
//! It uses all other parts.

mod builder;
mod faults;
mod manifests;
mod requests;
mod state;

use std::{error::Error, io, net::SocketAddr, sync::Arc};

use k8s_openapi::ByteString;
use kube::Client;
use serde_json::{Value, json};

use crate::{
    controllers::{self, Controllers, Immediate, namespaces},
    kinds::store::Store,
    request::User,
    routing::{Listener, Shared},
    storage::lock,
    transport::{self, ApiService},
};
pub use builder::Builder;
pub use manifests::ApplyError;
pub use state::StateError;

/// How many changes per resource are kept for watches.
pub(crate) const WINDOW: usize = 10_000;

/// An in-memory Kubernetes API server. Clones refer to the same server.
///
/// ```
/// # use kube_codegen_testing::{ApiServer, StateError};
/// # use k8s_openapi::api::core::v1::Namespace;
/// # use serde_json::json;
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let server = ApiServer::new();
/// server.seed(&json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "a"}}))?;
/// let namespaces: kube::Api<Namespace> = kube::Api::all(server.client());
/// assert_eq!(namespaces.list(&Default::default()).await?.items.len(), 1);
/// assert_eq!(server.requests()[0].verb, "list");
/// # Ok(()) }
/// ```
#[derive(Clone, Debug)]
pub struct ApiServer(pub(crate) Arc<Shared>);

impl Default for ApiServer {
    fn default() -> Self {
        Self::new()
    }
}

impl ApiServer {
    /// Creates a server with the built-in kinds and no objects. Namespaces are not enforced: objects may use any namespace.
    pub fn new() -> Self {
        Self::with(Store::new(WINDOW, &Immediate))
    }

    /// Returns a builder, for a server with namespaces, controllers or authorization.
    pub fn builder() -> Builder {
        Builder::default()
    }

    /// Returns a new server with the same kinds, objects and history. Requests, faults, watches and settings are not copied.
    #[must_use]
    pub fn fork(&self) -> Self {
        let store = lock(&self.0.backend.store).clone();
        Self::with(store)
    }

    pub(crate) fn with(store: Store) -> Self {
        Self(Arc::new(Shared::new(store)))
    }

    /// Returns an in-process client with the default namespace `default`. The client does not retry requests.
    ///
    /// # Panics
    /// If called outside a Tokio runtime, like [`kube::Client::new`].
    pub fn client(&self) -> Client {
        Client::new(self.service(), "default")
    }

    /// Returns the service that [`Self::client`] uses.
    pub fn service(&self) -> ApiService {
        ApiService(self.0.clone(), Some(User::admin()))
    }

    /// Returns an in-process client that acts as the given user. Without [`Builder::authorization`], every user may do everything.
    ///
    /// # Panics
    /// If called outside a Tokio runtime, like [`kube::Client::new`].
    pub fn client_as(&self, user: User) -> Client {
        Client::new(ApiService(self.0.clone(), Some(user)), "default")
    }

    /// Adds a bearer token that authenticates HTTP clients as the given user.
    pub fn add_token(&self, token: impl Into<String>, user: User) {
        lock(&self.0.auth).tokens.add(token.into(), user);
    }

    /// Serves plain HTTP on a free port of 127.0.0.1 until the last handle is dropped. A second call returns the same address.
    ///
    /// # Errors
    /// If no port can be bound.
    pub async fn listen(&self) -> io::Result<SocketAddr> {
        if let Some(address) = self.address() {
            return Ok(address);
        }
        let listener = transport::listen(&self.0).await?;
        Ok(self.listens(listener))
    }

    /// Serves HTTPS on a free port of 127.0.0.1 until the last handle is dropped. A second call returns the same address.
    ///
    /// # Errors
    /// If no port can be bound.
    #[cfg(feature = "tls")]
    pub async fn listen_tls(&self, tls: &transport::Tls) -> io::Result<SocketAddr> {
        self.listen_tls_on(transport::FREE, tls).await
    }

    /// Like [`Self::listen_tls`], at the given address.
    ///
    /// # Errors
    /// If the address cannot be bound.
    #[cfg(feature = "tls")]
    pub async fn listen_tls_on(
        &self,
        address: SocketAddr,
        tls: &transport::Tls,
    ) -> io::Result<SocketAddr> {
        if let Some(address) = self.address() {
            return Ok(address);
        }
        let listener = transport::listen_tls(&self.0, tls, address).await?;
        Ok(self.listens(listener))
    }

    fn listens(&self, listener: Listener) -> SocketAddr {
        let address = listener.address;
        lock(&self.0.settings).listener = Some(listener);
        namespaces::listens(&mut lock(&self.0.backend.store), address);
        self.0.backend.changes.wake();
        address
    }

    fn address(&self) -> Option<SocketAddr> {
        let settings = lock(&self.0.settings);
        settings.listener.as_ref().map(|listener| listener.address)
    }

    /// Returns the administrator's kubeconfig (JSON) for the address of [`Self::listen`], or `None` if that was not called yet.
    pub fn kubeconfig(&self) -> Option<String> {
        let token = lock(&self.0.auth).administrator.clone();
        self.kubeconfig_with(&token, "default")
    }

    /// Like [`Self::kubeconfig`], with another token and default namespace.
    pub fn kubeconfig_with(&self, token: &str, namespace: &str) -> Option<String> {
        let listener = lock(&self.0.settings).listener.clone()?;
        let cluster = match listener.authority {
            None => json!({"server": format!("http://{}", listener.address)}),
            Some(pem) => json!({
                "server": format!("https://{}", listener.address),
                "certificate-authority-data": ByteString(pem.into_bytes()),
            }),
        };
        let user = match token {
            "" => json!({}),
            token => json!({"token": token}),
        };
        let config = json!({
            "apiVersion": "v1",
            "kind": "Config",
            "clusters": [{"name": "testing", "cluster": cluster}],
            "users": [{"name": "testing", "user": user}],
            "contexts": [{"name": "testing", "context": {"cluster": "testing", "user": "testing", "namespace": namespace}}],
            "current-context": "testing",
        });
        Some(config.to_string())
    }

    /// Compacts the history: no watch can start from an older revision, and paged lists expire. Open watches continue.
    pub fn compact(&self) {
        let mut store = lock(&self.0.backend.store);
        store.compact();
        self.0.backend.changes.wake();
    }

    /// Sets how many changes per resource are kept for watches. The default is 10,000.
    pub fn set_watch_window(&self, changes: usize) {
        lock(&self.0.backend.store).set_window(changes);
    }

    /// Sets the address at which webhooks configured with a Service are called. The default is 127.0.0.1:9443.
    pub fn set_webhook_address(&self, address: SocketAddr) {
        *lock(&self.0.backend.webhooks) = address;
    }

    /// Sets whether a watch from an expired revision fails with HTTP 410, as through a proxy, rather than with an `ERROR` event.
    pub fn set_expired_as_410(&self, enabled: bool) {
        lock(&self.0.settings).expired_as_410 = enabled;
    }

    /// Calls webhooks in process. Pass a `MutatingWebhookConfiguration` or a `ValidatingWebhookConfiguration`, whose webhooks are then
    /// called when objects are written, or a `CustomResourceDefinition`, whose conversion webhook is then called when its objects are read
    /// or written in another version than the stored one.
    ///
    /// `respond` receives the path of a webhook and an `AdmissionReview` or a `ConversionReview`. It returns the review with its response,
    /// or the reason why the webhook failed.
    ///
    /// `Webhooks::in_process` of the runtime returns such a function:
    ///
    /// ```ignore
    /// let configurations = webhooks.configurations(&ClientConfig::url("https://localhost"));
    /// server.call_webhooks(&json!(configurations.mutating), webhooks.in_process())?;
    /// server.call_webhooks(&json!(configurations.validating), webhooks.in_process())?;
    /// server.call_webhooks(&json!(crd), webhooks.in_process())?;
    /// ```
    ///
    /// Rules, object selectors, match conditions and failure policies apply. Namespace selectors and reinvocation do not, and objects are
    /// not converted to the version of a rule.
    ///
    /// # Errors
    /// If the object has none of these three kinds.
    pub fn call_webhooks(
        &self,
        configuration: &Value,
        respond: impl Fn(&str, Value) -> Result<Value, Box<dyn Error + Send + Sync>>
        + Send
        + Sync
        + 'static,
    ) -> Result<(), serde_json::Error> {
        let mut store = lock(&self.0.backend.store);
        store.webhooks.add(configuration, Arc::new(respond))
    }

    /// Runs controllers until the last handle of the server is dropped. [`Builder::controllers`](crate::Builder::controllers) does this in
    /// a spawned task.
    pub fn run_controllers(
        &self,
        controllers: Controllers,
    ) -> impl Future<Output = ()> + Send + 'static {
        {
            let mut store = lock(&self.0.backend.store);
            controllers::start(&mut store, &controllers);
            self.0.backend.changes.wake();
        }
        controllers::run(Arc::downgrade(&self.0.backend), controllers)
    }
}
