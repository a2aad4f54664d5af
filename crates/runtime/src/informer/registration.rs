//! A handler's place in an informer: its sync state, its resyncs, its removal. Does not run the handler.
use super::{Object, Stopped, core::Core, listener::ListenerState};
use std::{fmt, sync::Arc, time::Duration};
use tokio::time::{self, Instant, MissedTickBehavior};

/// Brings all objects up again for one handler, once per `period`, until it is removed.
pub(super) async fn resync_every<K: Object>(
    period: Duration,
    core: Arc<Core<K>>,
    listener: Arc<ListenerState>,
) {
    let mut ticks = time::interval_at(Instant::now() + period, period);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    while listener
        .cancel
        .run_until_cancelled(ticks.tick())
        .await
        .is_some()
    {
        core.resync(&listener);
    }
}

/// A handler's place in an informer. Dropping it changes nothing; [`remove`](Self::remove) ends the handler.
#[must_use = "tells when the handler has seen the initial list, and removes it"]
pub struct HandlerRegistration<K> {
    core: Arc<Core<K>>,
    state: Arc<ListenerState>,
}

impl<K: Object> HandlerRegistration<K> {
    pub(super) fn new(core: Arc<Core<K>>, state: Arc<ListenerState>) -> Self {
        Self { core, state }
    }

    /// Whether the handler has got through the initial list: the objects of the informer's first list, or of the cache if it was added later.
    pub fn has_synced(&self) -> bool {
        self.state.has_synced()
    }

    /// Waits until the handler has got through the initial list.
    pub async fn wait_synced(&self) -> Result<(), Stopped> {
        self.state.wait_synced().await
    }

    /// How many notifications wait for the handler. It grows while the handler is slower than the changes.
    pub fn pending(&self) -> usize {
        self.state.pending()
    }

    /// Removes the handler: no further notification reaches it, but one may be on its way at this moment.
    pub fn remove(self) {
        self.state.cancel.cancel();
        self.core.sweep();
    }
}

impl<K> fmt::Debug for HandlerRegistration<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HandlerRegistration")
            .field("synced", &self.state.has_synced())
            .field("pending", &self.state.pending())
            .finish_non_exhaustive()
    }
}
