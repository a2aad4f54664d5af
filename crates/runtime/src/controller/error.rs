//! Why a controller ended by itself.
use std::time::Duration;

use thiserror::Error;

/// A controller ended although nothing had asked it to.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum RunError {
    /// An informer was shut down before its cache was synced.
    #[error("the informer of {kind} was shut down before its cache was synced")]
    Stopped {
        /// Kind and group of the informer (`Pod`, `Deployment.apps`).
        kind: String,
    },
    /// An informer ended by itself; see [`SharedInformer::failure`](crate::informer::SharedInformer::failure).
    #[error("the informer of {kind} failed: {message}")]
    InformerFailed {
        /// Kind and group of the informer.
        kind: String,
        /// Why it ended.
        message: String,
    },
    /// Some caches were not synced in time: the API server is unreachable, does not serve the kind, or does not permit to list and watch it. The
    /// informers log the cause of each attempt.
    #[error(
        "the caches of {} did not sync within {timeout:?}; do their kinds exist, and may the program list and watch them?",
        kinds.join(", ")
    )]
    CacheSyncTimeout {
        /// Kinds and groups of their informers, sorted.
        kinds: Vec<String>,
        /// The limit; see [`Controller::cache_sync_timeout`](super::Controller::cache_sync_timeout).
        timeout: Duration,
    },
    /// A worker panicked outside of the reconcile function and the error policy, as in a rate limiter; or a stream of keys did.
    #[error("a worker panicked: {message}")]
    WorkerPanicked {
        /// The message of the panic.
        message: String,
    },
}
