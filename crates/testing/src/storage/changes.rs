//! Wakes those who wait for changes, and locks what they share.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

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

/// Locks a mutex, also after a panic: each holder leaves its data consistent.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
