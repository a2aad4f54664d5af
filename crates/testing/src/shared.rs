//! The state that all handles of a server share.

use std::{
    net::SocketAddr,
    sync::{Mutex, MutexGuard, PoisonError},
};

use tokio::{sync::watch, task::AbortHandle};

use crate::{
    fault::{Faults, Watches},
    recorded::RecordedRequest,
    store::Store,
};

/// The state of a server.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) store: Mutex<Store>,
    /// The newest revision, for those who wait for changes.
    pub(crate) revisions: watch::Sender<u64>,
    pub(crate) faults: Mutex<Faults>,
    pub(crate) watches: Mutex<Watches>,
    pub(crate) settings: Mutex<Settings>,
    pub(crate) requests: Mutex<Vec<RecordedRequest>>,
}

#[derive(Debug, Default)]
pub(crate) struct Settings {
    pub(crate) expired_as_410: bool,
    pub(crate) listener: Option<(SocketAddr, AbortHandle)>,
}

impl Shared {
    /// Records a request and returns its index.
    pub(crate) fn record(&self, request: RecordedRequest) -> usize {
        let mut requests = lock(&self.requests);
        requests.push(request);
        requests.len() - 1
    }

    pub(crate) fn answered(&self, index: usize, status: u16) {
        // The record may have been cleared in the meantime.
        if let Some(request) = lock(&self.requests).get_mut(index) {
            request.status = status;
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

/// Locks a mutex, also after a panic: each holder leaves its data consistent.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
