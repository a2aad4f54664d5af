//! One list and watch of an informer: of all namespaces, or of one of several; and how far it has come.
use std::sync::OnceLock;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use parking_lot::Mutex;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::{
    error::Stopped,
    part::{Aim, Part},
    waiting::wait_synced,
};

/// One list and watch.
pub(super) struct Scope {
    /// `None` for all namespaces, and for cluster-scoped kinds.
    pub(super) namespace: Option<String>,
    /// The ranges of objects that are cached, if not all of them.
    pub(super) part: OnceLock<Part>,
    /// The resource version up to which the cache is complete; empty before the first list.
    version: Mutex<String>,
    synced: watch::Sender<bool>,
    /// Cancelled with the informer, or when the namespace is removed.
    pub(super) stop: CancellationToken,
    /// Cancelled when the list and watch has ended and, if the namespace was removed, its objects have left the cache.
    pub(super) ended: CancellationToken,
}

/// Where an event came from.
#[derive(Clone, Copy)]
pub(super) struct Source<'a> {
    pub(super) scope: &'a Scope,
    /// The ranges of objects with which the watch was opened.
    pub(super) generation: u64,
}

impl Source<'_> {
    /// Whether an event about the object with this metadata is to be applied. If not, the next watch delivers it, or another process needs it.
    pub(super) fn accepts(self, meta: &ObjectMeta) -> bool {
        self.scope.is_current(self.generation) && self.scope.accepts(meta)
    }
}

impl Scope {
    pub(super) fn new(namespace: Option<String>, stop: CancellationToken) -> Self {
        Self {
            namespace,
            part: OnceLock::new(),
            version: Mutex::default(),
            synced: watch::Sender::new(false),
            stop,
            ended: CancellationToken::new(),
        }
    }

    pub(super) fn version(&self) -> String {
        self.version.lock().clone()
    }

    /// Records the version of a list. Ignores an empty version, which a server without versions sends.
    pub(super) fn set_version(&self, version: &str) {
        if !version.is_empty() {
            version.clone_into(&mut self.version.lock());
        }
    }

    /// Records the progress of the watch, which never goes back.
    pub(super) fn progress(&self, version: &str) {
        if !is_earlier(version, &self.version()) {
            self.set_version(version);
        }
    }

    /// Returns what to request, once there is something.
    pub(super) async fn aim(&self) -> Aim {
        match self.part.get() {
            Some(part) => part.aim().await,
            None => Aim::default(),
        }
    }

    /// Whether the objects that are cached are those of a request.
    pub(super) fn is_current(&self, generation: u64) -> bool {
        self.part
            .get()
            .is_none_or(|part| part.is_current(generation))
    }

    /// Waits until other objects are cached than those of a request.
    pub(super) async fn changed_since(&self, generation: u64) {
        match self.part.get() {
            Some(part) => part.changed_since(generation).await,
            None => std::future::pending().await,
        }
    }

    /// Whether the objects of this range or kind are cached.
    pub(super) fn has(&self, meta: &ObjectMeta) -> bool {
        self.part
            .get()
            .is_none_or(|part| part.has(part.range_of(meta)))
    }

    /// Whether an event about the object with this metadata is to be applied.
    pub(super) fn accepts(&self, meta: &ObjectMeta) -> bool {
        self.part.get().is_none_or(|part| part.accepts(meta))
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

/// Whether both are numbers, and `version` is the lower one.
pub(crate) fn is_earlier(version: &str, than: &str) -> bool {
    let number = |version: &str| version.parse::<u64>().ok();
    matches!((number(version), number(than)), (Some(version), Some(than)) if version < than)
}
