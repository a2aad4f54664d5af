//! The registration of a handler: its sync state, its resyncs and its removal.
use std::{fmt, marker::PhantomData, sync::Arc, time::Duration};

use tokio::time::sleep;

use super::{error::Stopped, listener::ListenerState, state::State};
use crate::Object;

/// Redelivers all objects to one handler, about once per `period`, until the handler is removed.
pub(super) async fn resync_every(
    period: Duration,
    state: Arc<State>,
    listener: Arc<ListenerState>,
) {
    while listener
        .cancel
        .run_until_cancelled(sleep(jittered(period)))
        .await
        .is_some()
    {
        state.resync(&listener);
    }
}

/// Returns a time up to a tenth shorter or longer, so that handlers, informers and replicas do not redeliver all at once.
fn jittered(period: Duration) -> Duration {
    let tenth = period / 10;
    period
        .saturating_sub(tenth)
        .saturating_add(tenth.mul_f64(2.0 * fastrand::f64()))
}

/// A handler that was added to an informer. Dropping this has no effect; call [`remove`](Self::remove) to remove the handler.
#[must_use = "it reports when the handler has handled the initial list, and removes the handler"]
pub struct HandlerRegistration<K> {
    inner: Registration,
    of: PhantomData<fn() -> K>,
}

/// A handler of an informer of any kind.
#[derive(Clone)]
pub(crate) struct Registration {
    state: Arc<State>,
    listener: Arc<ListenerState>,
}

impl Registration {
    pub(super) fn new(state: Arc<State>, listener: Arc<ListenerState>) -> Self {
        Self { state, listener }
    }

    pub(crate) fn has_synced(&self) -> bool {
        self.listener.has_synced()
    }

    pub(crate) async fn wait_synced(&self) -> Result<(), Stopped> {
        self.listener.wait_synced().await
    }

    /// Removes the handler.
    pub(crate) fn cancel(&self) {
        self.listener.cancel.cancel();
        self.state.sweep();
    }
}

impl<K: Object> HandlerRegistration<K> {
    pub(super) fn new(inner: Registration) -> Self {
        Self {
            inner,
            of: PhantomData,
        }
    }

    /// Returns the registration without its type, for code that is compiled once.
    pub(crate) fn untyped(&self) -> Registration {
        self.inner.clone()
    }

    /// Whether the handler has processed the initial list: the informer's first list, or the content of the cache if the handler was added
    /// later.
    pub fn has_synced(&self) -> bool {
        self.inner.has_synced()
    }

    /// Waits until the handler has processed the initial list.
    pub async fn wait_synced(&self) -> Result<(), Stopped> {
        self.inner.wait_synced().await
    }

    /// Returns the number of queued events. It grows while the handler cannot keep up with the changes.
    pub fn pending(&self) -> usize {
        self.inner.listener.pending()
    }

    /// Removes the handler. If it is handling an event right now, that event is its last.
    pub fn remove(self) {
        self.inner.cancel();
    }

    /// Like [`remove`](Self::remove), and waits until the handler has returned from its last event and has been dropped.
    pub async fn remove_and_wait(self) {
        self.inner.cancel();
        self.inner.listener.ended().await;
    }
}

impl<K> fmt::Debug for HandlerRegistration<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HandlerRegistration")
            .field("synced", &self.inner.has_synced())
            .field("pending", &self.inner.listener.pending())
            .finish_non_exhaustive()
    }
}
