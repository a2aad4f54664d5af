//! The state that all handles of a server share.

use std::{
    net::SocketAddr,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use tokio::sync::Notify;

use crate::{
    auth::Auth,
    record::{
        fault::{Faults, Watches},
        intercept::Interceptors,
        log::RequestLog,
        metrics::Metrics,
        recorded::RecordedRequest,
    },
    storage::store::Store,
    transport::Listener,
};

/// The state of a server.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) store: Mutex<Store>,
    /// Wakes those who wait for changes.
    pub(crate) changes: Changes,
    pub(crate) faults: Mutex<Faults>,
    pub(crate) watches: Mutex<Watches>,
    pub(crate) settings: Mutex<Settings>,
    pub(crate) requests: Mutex<RequestLog>,
    pub(crate) metrics: Mutex<Metrics>,
    pub(crate) auth: Mutex<Auth>,
    pub(crate) interceptors: Mutex<Interceptors>,
}

#[derive(Debug)]
pub(crate) struct Settings {
    pub(crate) expired_as_410: bool,
    pub(crate) listener: Option<Listener>,
    /// Where webhooks are called that are configured by their Service.
    pub(crate) webhooks: SocketAddr,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            expired_as_410: false,
            listener: None,
            // The port of controller-runtime.
            webhooks: SocketAddr::from(([127, 0, 0, 1], 9443)),
        }
    }
}

impl Shared {
    /// Records a request and returns its number.
    pub(crate) fn record(&self, request: RecordedRequest) -> usize {
        lock(&self.requests).add(request)
    }

    /// Records the status of the request with this number, if it was recorded.
    pub(crate) fn answered(&self, number: Option<usize>, status: u16) {
        if let Some(number) = number {
            lock(&self.requests).answered(number, status);
        }
    }
}

/// Wakes those who wait for changes, in the order in which they began to wait, so that a simulation can be repeated. (The channel
/// `watch` of tokio wakes in a random order.)
#[derive(Clone, Debug, Default)]
pub(crate) struct Changes(Arc<Notify>);

impl Changes {
    pub(crate) fn wake(&self) {
        self.0.notify_waiters();
    }

    /// Returns a future that completes at the next change after this call.
    pub(crate) fn next(&self) -> impl Future<Output = ()> + Send + use<> {
        let mut next = Box::pin(self.0.clone().notified_owned());
        next.as_mut().enable();
        next
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        self.changes.wake();
        if let Some(listener) = &lock(&self.settings).listener {
            listener.task.abort();
        }
    }
}

/// Locks a mutex, also after a panic: each holder leaves its data consistent.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
