//! [`ApiServer`], the handle of a test: clients, sockets, faults and watch commands.

pub(crate) mod builder;
pub(crate) mod manifests;
pub(crate) mod shared;
pub(crate) mod state;

use std::{
    collections::BTreeSet,
    io,
    net::SocketAddr,
    sync::{Arc, Mutex},
};

use bytes::Bytes;
use futures::Stream;
use http::request::Parts;
use k8s_openapi::ByteString;
use kube::{Client, core::response::Status};
use serde_json::json;

use crate::{
    auth::User,
    controllers::namespaces,
    record::{
        fault::{Command, Failure},
        recorded::{On, RecordedRequest},
    },
    request::Request,
    server::{
        builder::Builder,
        shared::{Changes, Shared, lock},
    },
    storage::store::Store,
    transport::{self, ApiService, Listener},
    values::status,
};

/// How many changes per resource are kept for watches.
pub(crate) const WINDOW: usize = 10_000;

/// An in-memory Kubernetes API server. Clones are handles to the same server.
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
    /// Creates a server with the built-in kinds and no objects. Namespaces need not exist.
    pub fn new() -> Self {
        Self::with(Store::new(WINDOW))
    }

    /// Returns the settings of a server that does more: namespaces, controllers, authorization.
    pub fn builder() -> Builder {
        Builder::default()
    }

    /// Returns another server with the same kinds, objects and history. Requests, faults, watches and settings are not copied.
    #[must_use]
    pub fn fork(&self) -> Self {
        let store = lock(&self.0.store).clone();
        Self::with(store)
    }

    pub(crate) fn with(store: Store) -> Self {
        Self(Arc::new(Shared {
            changes: Changes::default(),
            store: Mutex::new(store),
            requests: Mutex::default(),
            metrics: Mutex::default(),
            faults: Mutex::default(),
            watches: Mutex::default(),
            settings: Mutex::default(),
            auth: Mutex::default(),
            interceptors: Mutex::default(),
        }))
    }

    /// Returns an in-process client with the default namespace `default`. It does not retry.
    ///
    /// # Panics
    /// Outside a tokio runtime, as [`kube::Client::new`] does.
    pub fn client(&self) -> Client {
        Client::new(self.service(), "default")
    }

    /// Returns the service of [`Self::client`].
    pub fn service(&self) -> ApiService {
        ApiService(self.0.clone(), Some(User::admin()))
    }

    /// Returns an in-process client that acts as a user. Without [`Builder::authorization`], every user may do everything.
    ///
    /// # Panics
    /// Outside a tokio runtime, as [`kube::Client::new`] does.
    pub fn client_as(&self, user: User) -> Client {
        Client::new(ApiService(self.0.clone(), Some(user)), "default")
    }

    /// Adds a bearer token for clients over HTTP.
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
    pub async fn listen_tls(&self, tls: &crate::Tls) -> io::Result<SocketAddr> {
        if let Some(address) = self.address() {
            return Ok(address);
        }
        let listener = transport::listen_tls(&self.0, tls).await?;
        Ok(self.listens(listener))
    }

    fn listens(&self, listener: Listener) -> SocketAddr {
        let address = listener.address;
        lock(&self.0.settings).listener = Some(listener);
        namespaces::listens(&mut lock(&self.0.store), address);
        self.0.changes.wake();
        address
    }

    fn address(&self) -> Option<SocketAddr> {
        let settings = lock(&self.0.settings);
        settings.listener.as_ref().map(|listener| listener.address)
    }

    /// Returns a kubeconfig (JSON) of the administrator for the address of [`Self::listen`], or `None` before that call.
    pub fn kubeconfig(&self) -> Option<String> {
        let token = lock(&self.0.auth).administrator.clone();
        self.kubeconfig_with(&token, "default")
    }

    /// As [`Self::kubeconfig`], with another token and default namespace.
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

    /// Returns the requests in the order of arrival, without discovery and unknown paths. The newest 100,000 are kept
    /// ([`Self::set_request_limit`]).
    ///
    /// If the environment variable `KUBE_CODEGEN_REQUESTS` names a file, the server appends each answered request to it as one
    /// line of JSON: `verb`, `group`, `version`, `resource`, `subresource`, `namespaced`, `namespace`, `name`, `status`,
    /// `userAgent` and `user`. Several servers and processes can share the file.
    pub fn requests(&self) -> Vec<RecordedRequest> {
        lock(&self.0.requests).iter().cloned().collect()
    }

    /// Returns the requests that change objects, in the order of arrival.
    pub fn writes(&self) -> Vec<RecordedRequest> {
        lock(&self.0.requests)
            .iter()
            .filter(|request| request.is_write())
            .cloned()
            .collect()
    }

    /// Returns what a request addresses, in the form in which [`Self::requests`] records it, but without its body. `None` for discovery
    /// and unknown paths.
    ///
    /// ```
    /// # use kube_codegen_testing::ApiServer;
    /// let server = ApiServer::new();
    /// let request = http::Request::get("/api/v1/namespaces/default/configmaps?watch=true").body(())?;
    /// let described = server.describe(&request.into_parts().0).unwrap();
    /// assert_eq!((described.verb, &*described.resource), ("watch", "configmaps"));
    /// # Ok::<(), http::Error>(())
    /// ```
    pub fn describe(&self, parts: &Parts) -> Option<RecordedRequest> {
        let request = Request::read(parts, Vec::new(), &lock(&self.0.store).kinds).ok()?;
        let path = parts.uri.path_and_query().map_or("", |path| path.as_str());
        let user = User::admin();
        Some(RecordedRequest::new(&request, path, &user))
    }

    /// Returns the requests that were refused for lack of rights, without repetitions, such as
    /// `patch websites.apps.example.com/status`.
    ///
    /// ```
    /// # use kube_codegen_testing::{ApiServer, User};
    /// # use k8s_openapi::api::core::v1::ConfigMap;
    /// # #[tokio::main(flavor = "current_thread")] async fn main() {
    /// let server = ApiServer::builder().authorization().build();
    /// let client = server.client_as(User::account("my-operator", "my-operator"));
    /// let maps: kube::Api<ConfigMap> = kube::Api::namespaced(client, "default");
    /// assert!(maps.get("a").await.is_err());
    /// assert_eq!(server.forbidden(), ["get configmaps"]);
    /// # }
    /// ```
    pub fn forbidden(&self) -> Vec<String> {
        let requests = self.requests();
        let refused = requests.iter().filter(|request| request.status == 403);
        let right = |request: &RecordedRequest| {
            let part = |separator: char, text: &str| match text {
                "" => String::new(),
                text => format!("{separator}{text}"),
            };
            let (group, subresource) = (part('.', &request.group), part('/', &request.subresource));
            format!("{} {}{group}{subresource}", request.verb, request.resource)
        };
        let rights: BTreeSet<String> = refused.map(right).collect();
        rights.into_iter().collect()
    }

    /// Clears the recorded requests.
    pub fn clear_requests(&self) {
        lock(&self.0.requests).clear();
    }

    /// Returns the requests that are answered from now on, as they are.
    pub fn follow_requests(&self) -> impl Stream<Item = RecordedRequest> + Send + Unpin + use<> {
        let mut requests = lock(&self.0.requests).follow();
        futures::stream::poll_fn(move |context| requests.poll_recv(context))
    }

    /// Sets how many requests are kept. With 0, requests are not recorded at all, not in the file either.
    pub fn set_request_limit(&self, requests: usize) {
        lock(&self.0.requests).set_limit(requests);
    }

    /// Makes the next matching request fail. Faults apply in the order in which they were added.
    pub fn fail_next(&self, on: On, failure: Failure) {
        self.fail_times(on, 1, failure);
    }

    /// Makes the next `times` matching requests fail.
    pub fn fail_times(&self, on: On, times: usize, failure: Failure) {
        lock(&self.0.faults).add(on, failure, Some(times));
    }

    /// Makes all matching requests fail until [`Self::clear_faults`].
    pub fn fail_always(&self, on: On, failure: Failure) {
        lock(&self.0.faults).add(on, failure, None);
    }

    /// Removes all faults.
    pub fn clear_faults(&self) {
        lock(&self.0.faults).clear();
    }

    /// Ends the matching open watches, as a server shutdown does, and returns their number.
    pub fn cut_watches(&self, on: &On) -> usize {
        self.send(on, &Command::Cut)
    }

    /// Stalls the matching open watches: they stay open and send nothing more. Returns their number.
    pub fn stall_watches(&self, on: &On) -> usize {
        self.send(on, &Command::Stall)
    }

    /// Sends a line of invalid JSON to the matching open watches and returns their number.
    pub fn garble_watches(&self, on: &On) -> usize {
        self.send(
            on,
            &Command::Line(Bytes::from_static(
                b"{\"type\": \"MODIFIED\", \"object\": oops}\n",
            )),
        )
    }

    /// Ends the matching open watches with an `ERROR` event of 410 Expired and returns their number.
    pub fn expire_watches(&self, on: &On) -> usize {
        self.send(
            on,
            &Command::Fail(status::expired(
                "The resourceVersion for the provided watch is too old.",
            )),
        )
    }

    /// Ends the matching open watches with this `ERROR` event and returns their number.
    pub fn fail_watches(&self, on: &On, status: Status) -> usize {
        self.send(on, &Command::Fail(status.boxed()))
    }

    /// Sends a bookmark to the matching open watches that asked for bookmarks. Returns the number of matching watches.
    pub fn bookmark_watches(&self, on: &On) -> usize {
        self.send(on, &Command::Bookmark)
    }

    fn send(&self, on: &On, command: &Command) -> usize {
        lock(&self.0.watches).send(on, command)
    }

    /// Compacts the history: no watch can start at an older revision, and paged lists expire. Open watches continue.
    pub fn compact(&self) {
        let mut store = lock(&self.0.store);
        store.compact();
        self.0.changes.wake();
    }

    /// Sets how many changes per resource are kept for watches (10,000 by default).
    pub fn set_watch_window(&self, changes: usize) {
        lock(&self.0.store).set_window(changes);
    }

    /// Sets where webhooks are called that are configured by their Service (127.0.0.1:9443 by default).
    pub fn set_webhook_address(&self, address: SocketAddr) {
        lock(&self.0.settings).webhooks = address;
    }

    /// Sets whether a watch from an expired revision gets HTTP 410, as from a proxy, instead of an `ERROR` event.
    pub fn set_expired_as_410(&self, enabled: bool) {
        lock(&self.0.settings).expired_as_410 = enabled;
    }
}
