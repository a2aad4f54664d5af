//! An in-memory Kubernetes API server for tests: a `kube::Client` or a socket out, requests in; it never starts a process or a container.
//!
//! It behaves as a real API server does where operators notice: resource versions, conflicts, generations, finalizers, garbage
//! collection, status and scale subresources, server-side apply, schemas with their defaults and messages, watches that end,
//! expire and send bookmarks. No controllers run: a Deployment gets no Pods, and a test sets the status that it wants.
//! Not done: authentication, admission webhooks, CEL rules, formats, conversion webhooks, protobuf.
//!
//! ```
//! # use kube_codegen_testing::{ApiServer, Failure, On};
//! # use k8s_openapi::api::core::v1::ConfigMap;
//! # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), kube::Error> {
//! let server = ApiServer::new();
//! let maps: kube::Api<ConfigMap> = kube::Api::namespaced(server.client(), "default");
//! server.fail_next(On::verb("create").resource("configmaps"), Failure::status(503));
//!
//! let map = serde_json::from_value(serde_json::json!({"metadata": {"name": "a"}})).unwrap();
//! assert!(maps.create(&Default::default(), &map).await.is_err());
//! maps.create(&Default::default(), &map).await?;
//! assert_eq!(server.actions().len(), 2);
//! # Ok(()) }
//! ```
mod action;
mod admit;
mod apply;
mod builtin;
mod client;
mod discovery;
mod failure;
mod fault;
mod gc;
mod kind;
mod listen;
mod names;
mod object;
mod patch;
mod read;
mod request;
mod schema;
mod selector;
mod serve;
mod server;
mod service;
mod state;
mod store;
mod strategic;
mod subresource;
mod watch;
mod write;

use std::net::SocketAddr;
use std::sync::{Mutex, MutexGuard, PoisonError};

pub use action::{Action, On};
pub use client::ApiService;
pub use fault::Failure;
pub use server::ApiServer;
pub use state::StateError;

/// What all handles of a server share.
#[derive(Debug)]
struct Shared {
    store: Mutex<store::Store>,
    /// The newest revision, for those who wait for changes.
    revisions: tokio::sync::watch::Sender<u64>,
    actions: Mutex<Vec<Action>>,
    faults: Mutex<fault::Faults>,
    watches: Mutex<watch::Watches>,
    settings: Mutex<Settings>,
}

#[derive(Debug, Default)]
struct Settings {
    gone_as_answer: bool,
    listener: Option<(SocketAddr, tokio::task::AbortHandle)>,
}

impl Shared {
    fn gone_as_answer(&self) -> bool {
        lock(&self.settings).gone_as_answer
    }

    /// Logs a request and returns its place in the log.
    fn record(&self, action: Action) -> usize {
        let mut actions = lock(&self.actions);
        actions.push(action);
        actions.len() - 1
    }

    fn answered(&self, index: usize, status: u16) {
        // The log may have been cleared meanwhile.
        if let Some(action) = lock(&self.actions).get_mut(index) {
            action.status = status;
        }
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        if let Some((_, listener)) = &lock(&self.settings).listener {
            listener.abort();
        }
    }
}

/// A lock that a panic elsewhere does not spoil: each holder leaves what it guards whole.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
