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

/// Why a [`Manager`](super::Manager) could not start, or ended before it was asked to. The causes are its sources; see [`describe`](crate::client::describe).
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ManagerError {
    /// Neither a kubeconfig nor the service account of a Pod could be used.
    #[error("cannot find out how to connect to the API server")]
    Connect(#[source] BoxError),
    /// The settings of the leader election are invalid.
    #[error("the leader election cannot start")]
    LeaderElection(#[from] ConfigError),
    /// Replicas cannot divide objects without the settings of an election.
    #[error("shards need a leader election: ManagerBuilder::leader_election, or --leader-elect")]
    ShardsWithoutElection,
    /// Two controllers have the same name, which is a label of their metrics.
    #[error(
        "two controllers are named \"{name}\"; Controller::named gives one of them another name"
    )]
    NameTaken {
        /// The name.
        name: String,
    },
    /// A number of workers is set for a kind without a controller.
    #[error("the number of workers of {kind} is set, but the controllers are of {}", known.join(", "))]
    NoController {
        /// Kind and group, as they were given.
        kind: String,
        /// Kinds and groups of the controllers, sorted.
        known: Vec<String>,
    },
    /// A signal handler could not be installed.
    #[error("cannot install a signal handler")]
    Signal(#[source] io::Error),
    /// Informers have no complete list. Their warnings in the log say why.
    #[error("the caches are not complete after {after:?}")]
    CacheSync {
        /// How long the manager waited.
        after: Duration,
        /// The kinds.
        source: NotSynced,
    },
    /// A part returned an error.
    #[error("{name} failed")]
    Failed {
        /// The name of the controller, server or other runnable.
        name: String,
        /// Its error.
        source: BoxError,
    },
    /// A part ended without an error, although it should run until the stop.
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
        /// The message of the panic.
        message: String,
    },
    /// Another process leads now.
    #[error("the leadership was lost")]
    LeadershipLost(#[from] LeadershipLost),
    /// Parts did not stop in time. The lease is kept in that case, since a reconcile may still run.
    #[error("still running {after:?} after the stop: {}", names.join(", "))]
    StillRunning {
        /// The grace period.
        after: Duration,
        /// The names of the controllers, servers or other runnables.
        names: Vec<String>,
    },
}

/// Logs the error of a program with its causes, and returns its exit code: 0 or 1.
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
