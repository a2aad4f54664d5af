//! Why a controller ended by itself.
use std::time::Duration;

use thiserror::Error;

/// The reason why a controller stopped without being asked to.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum RunError {
    /// An informer was shut down before its cache had synced.
    #[error("the informer of {kind} was shut down before its cache was synced")]
    Stopped {
        /// Kind and group of the informer (`Pod`, `Deployment.apps`).
        kind: String,
    },
    /// An informer stopped by itself; see [`SharedInformer::failure`](crate::informer::SharedInformer::failure).
    #[error("the informer of {kind} failed: {message}")]
    InformerFailed {
        /// Kind and group of the informer.
        kind: String,
        /// The reason why it stopped.
        message: String,
    },
    /// Some caches did not sync in time: the API server is unreachable, does not serve the kind, or does not permit listing and watching
    /// it. The informers log the cause of each failed attempt.
    #[error(
        "the caches of {} did not sync within {timeout:?}; check that their CRDs, if any, are installed, and that the operator may list and watch them",
        kinds.join(", ")
    )]
    CacheSyncTimeout {
        /// Kinds and groups of the informers that did not sync, sorted.
        kinds: Vec<String>,
        /// The time limit; see [`Controller::cache_sync_timeout`](super::Controller::cache_sync_timeout).
        timeout: Duration,
    },
    /// A worker panicked outside the reconcile function and the error policy, for example in a rate limiter or in a stream of keys.
    #[error("a worker panicked: {message}")]
    WorkerPanicked {
        /// The panic message.
        message: String,
    },
}
