//! What one list and watch of an informer covers, and how far it is: all namespaces, or one of several.
use parking_lot::Mutex;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::{error::Stopped, state::wait_synced};

/// One list and watch.
pub(super) struct Scope {
    /// `None` for all namespaces, and for cluster-scoped kinds.
    pub(super) namespace: Option<String>,
    /// The resource version up to which the cache is complete; empty before the first list.
    version: Mutex<String>,
    synced: watch::Sender<bool>,
    /// Cancelled with the informer, or when the namespace is removed.
    pub(super) stop: CancellationToken,
    /// Cancelled when the list and watch has ended and, if the namespace was removed, its objects have left the cache.
    pub(super) ended: CancellationToken,
}

impl Scope {
    pub(super) fn new(namespace: Option<String>, stop: CancellationToken) -> Self {
        Self {
            namespace,
            version: Mutex::default(),
            synced: watch::Sender::new(false),
            stop,
            ended: CancellationToken::new(),
        }
    }

    pub(super) fn version(&self) -> String {
        self.version.lock().clone()
    }

    /// Records the progress of the watch. Ignores an empty version, which no server sends.
    pub(super) fn set_version(&self, version: &str) {
        if !version.is_empty() {
            version.clone_into(&mut self.version.lock());
        }
    }

    pub(super) fn has_synced(&self) -> bool {
        *self.synced.borrow()
    }

    pub(super) fn set_synced(&self) {
        self.synced.send_replace(true);
    }

    pub(super) async fn wait_synced(&self) -> Result<(), Stopped> {
        wait_synced(&self.synced, &self.stop).await
    }
}
