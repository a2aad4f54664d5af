//! [`ApiServer`], the handle that a test holds: clients and sockets out, faults and commands in.
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use kube::Client;
use kube::core::response::Status;
use serde_json::json;

use super::action::{Action, On};
use super::client::ApiService;
use super::fault::{Failure, Faults};
use super::store::Store;
use super::watch::{Order, Watches};
use super::{Settings, Shared, failure, listen, lock};

/// Changes that are kept for watches to start from, per resource.
const WINDOW: usize = 10_000;

/// An in-memory Kubernetes API server; clones are handles of the same one.
#[derive(Clone, Debug)]
pub struct ApiServer(pub(super) Arc<Shared>);

impl Default for ApiServer {
    fn default() -> Self {
        Self::new()
    }
}

impl ApiServer {
    /// A server that knows the built-in kinds and holds no objects. Namespaces need not exist.
    pub fn new() -> Self {
        let store = Store::new(WINDOW);
        let revisions = tokio::sync::watch::Sender::new(store.revision);
        Self(Arc::new(Shared {
            store: Mutex::new(store),
            revisions,
            actions: Mutex::default(),
            faults: Mutex::new(Faults::default()),
            watches: Mutex::new(Watches::default()),
            settings: Mutex::new(Settings::default()),
        }))
    }

    /// A client of this server, without a network; its default namespace is `default`. It does not retry by itself.
    ///
    /// Must be called within a tokio runtime, as [`kube::Client::new`] must.
    pub fn client(&self) -> Client {
        Client::new(self.service(), "default")
    }

    /// The service under [`Self::client`].
    pub fn service(&self) -> ApiService {
        ApiService(self.0.clone())
    }

    /// Serves on a free port of 127.0.0.1 as plain HTTP until the last handle is dropped; a second call gives the same address.
    ///
    /// # Errors
    /// If no port can be bound.
    pub async fn listen(&self) -> std::io::Result<SocketAddr> {
        if let Some(address) = self.address() {
            return Ok(address);
        }
        let listener = listen::listen(&self.0).await?;
        lock(&self.0.settings).listener = Some(listener.clone());
        Ok(listener.0)
    }

    fn address(&self) -> Option<SocketAddr> {
        lock(&self.0.settings)
            .listener
            .as_ref()
            .map(|(address, _)| *address)
    }

    /// A kubeconfig for [`Self::listen`]'s address, as JSON, which is YAML too; none before it listens.
    pub fn kubeconfig(&self) -> Option<String> {
        let server = format!("http://{}", self.address()?);
        let config = json!({
            "apiVersion": "v1",
            "kind": "Config",
            "clusters": [{"name": "testing", "cluster": {"server": server}}],
            "users": [{"name": "testing", "user": {}}],
            "contexts": [{"name": "testing", "context": {"cluster": "testing", "user": "testing", "namespace": "default"}}],
            "current-context": "testing",
        });
        Some(config.to_string())
    }

    /// What clients asked for, in the order of arrival; discovery and unknown paths are left out.
    pub fn actions(&self) -> Vec<Action> {
        lock(&self.0.actions).clone()
    }

    /// The requests that change objects, in the order of arrival.
    pub fn writes(&self) -> Vec<Action> {
        lock(&self.0.actions)
            .iter()
            .filter(|action| action.is_write())
            .cloned()
            .collect()
    }

    /// Empties the log.
    pub fn clear_actions(&self) {
        lock(&self.0.actions).clear();
    }

    /// The next request that fits fails; faults are used up in the order in which they were set.
    pub fn fail_next(&self, on: On, failure: Failure) {
        self.fail_times(on, 1, failure);
    }

    /// The next requests that fit fail, this many.
    pub fn fail_times(&self, on: On, times: usize, failure: Failure) {
        lock(&self.0.faults).add(on, failure, Some(times));
    }

    /// All requests that fit fail until [`Self::clear_faults`].
    pub fn fail_always(&self, on: On, failure: Failure) {
        lock(&self.0.faults).add(on, failure, None);
    }

    /// Takes all faults back.
    pub fn clear_faults(&self) {
        lock(&self.0.faults).clear();
    }

    /// Ends the open watches that fit, as when their server goes away, and returns their number.
    pub fn cut_watches(&self, on: &On) -> usize {
        self.order(on, &Order::Cut)
    }

    /// The open watches that fit say nothing any more and stay open.
    pub fn stall_watches(&self, on: &On) -> usize {
        self.order(on, &Order::Stall)
    }

    /// The open watches that fit get a line that is no JSON.
    pub fn garble_watches(&self, on: &On) -> usize {
        self.order(
            on,
            &Order::Line(Bytes::from_static(
                b"{\"type\": \"MODIFIED\", \"object\": oops}\n",
            )),
        )
    }

    /// The open watches that fit end with an `ERROR` event of 410 Expired.
    pub fn expire_watches(&self, on: &On) -> usize {
        self.order(
            on,
            &Order::Fail(failure::expired(
                "The resourceVersion for the provided watch is too old.",
            )),
        )
    }

    /// The open watches that fit end with this `ERROR` event.
    pub fn fail_watches(&self, on: &On, status: Status) -> usize {
        self.order(on, &Order::Fail(status.boxed()))
    }

    /// The open watches that fit, and that asked for bookmarks, get one.
    pub fn bookmark_watches(&self, on: &On) -> usize {
        self.order(on, &Order::Bookmark)
    }

    fn order(&self, on: &On, order: &Order) -> usize {
        lock(&self.0.watches).order(on, order)
    }

    /// Forgets the past: no watch can start at an older revision, open paged lists expire. Running watches go on.
    pub fn compact(&self) {
        let mut store = lock(&self.0.store);
        store.compact();
        self.0.revisions.send_replace(store.revision);
    }

    /// How many changes per resource are kept for watches to start from (10,000 at first).
    pub fn set_watch_window(&self, changes: usize) {
        lock(&self.0.store).set_window(changes);
    }

    /// A watch from a forgotten revision is answered by HTTP 410, as proxies do, instead of an `ERROR` event in the stream.
    pub fn answer_gone_as_http(&self, yes: bool) {
        lock(&self.0.settings).gone_as_answer = yes;
    }
}
