//! Why a manager ended.
use std::{io, process::ExitCode, time::Duration};

use thiserror::Error;
use tower::BoxError;
use tracing::error;

use crate::{
    client::describe,
    informer::NotSynced,
    leader_election::{ConfigError, LeadershipLost},
};

/// The reason why a [`Manager`](super::Manager) could not start, or stopped before it was asked to. The causes are in its `source` chain;
/// see [`describe`](crate::client::describe).
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ManagerError {
    /// Neither a kubeconfig nor a Pod's service account could be used.
    #[error("cannot find out how to connect to the API server")]
    Connect(#[source] BoxError),
    /// The settings of the leader election are invalid.
    #[error("the leader election cannot start")]
    LeaderElection(#[from] ConfigError),
    /// Shards are configured without leader election.
    #[error("shards need a leader election: ManagerBuilder::leader_election, or --leader-elect")]
    ShardsWithoutElection,
    /// Two controllers have the same name. Names must differ because they label the metrics.
    #[error(
        "two controllers are named \"{name}\"; Controller::named gives one of them another name"
    )]
    NameTaken {
        /// The name.
        name: String,
    },
    /// A number of workers is set for a kind that has no controller.
    #[error("a number of workers is set for {kind}, which has no controller; there are controllers for {}", known.join(", "))]
    NoController {
        /// Kind and group, as configured.
        kind: String,
        /// Kinds and groups of the controllers, sorted.
        known: Vec<String>,
    },
    /// A signal handler could not be installed.
    #[error("cannot install a signal handler")]
    Signal(#[source] io::Error),
    /// Some informers did not receive a complete list. Their warnings in the log say why.
    #[error("the caches did not sync within {after:?}")]
    CacheSync {
        /// How long the manager waited.
        after: Duration,
        /// The kinds that did not sync.
        source: NotSynced,
    },
    /// A part of the manager returned an error.
    #[error("{name} failed")]
    Failed {
        /// The name of the controller, server or other runnable.
        name: String,
        /// The error that it returned.
        source: BoxError,
    },
    /// A part returned before shutdown without an error, although it should have kept running.
    #[error("{name} ended unexpectedly")]
    Ended {
        /// The name of the controller, server or other runnable.
        name: String,
    },
    /// A part panicked.
    #[error("{name} panicked: {message}")]
    Panicked {
        /// The name of the controller, server or other runnable.
        name: String,
        /// The panic message.
        message: String,
    },
    /// Another process became the leader.
    #[error("the leadership was lost")]
    LeadershipLost(#[from] LeadershipLost),
    /// Some parts did not stop in time. The lease is not released in this case, because a reconcile may still be running.
    #[error("still running {after:?} after the stop: {}", names.join(", "))]
    StillRunning {
        /// The grace period.
        after: Duration,
        /// The names of the controllers, servers or other runnables.
        names: Vec<String>,
    },
}

/// Logs a program's error with its causes, and returns its exit code: 0 or 1.
///
/// ```
/// use std::process::ExitCode;
/// use kube_codegen_runtime::manager::exit;
///
/// assert_eq!(exit(Ok(())), ExitCode::SUCCESS);
/// ```
pub fn exit(result: Result<(), ManagerError>) -> ExitCode {
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            error!("{}", describe(&failure));
            ExitCode::FAILURE
        }
    }
}
