//! The error type.

use std::{io, process::ExitStatus, sync::Arc, time::Duration};

/// Why a control plane did not start, or an operation on it failed. The text has the cause, since tests print it alone.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// No control plane is available and none can be built; the text says why and what to do.
    #[error("no control plane: {0}")]
    Unavailable(String),
    /// `go build` failed.
    #[error("building the control plane failed:\n{0}")]
    Build(String),
    /// An I/O operation failed.
    #[error("{what}: {cause}")]
    Io {
        /// The operation.
        what: String,
        /// The error of the operating system.
        cause: io::Error,
    },
    /// A request to the API server failed.
    #[error(transparent)]
    Kube(#[from] kube::Error),
    /// A kubeconfig is invalid.
    #[error(transparent)]
    Kubeconfig(#[from] kube::config::KubeconfigError),
    /// A certificate could not be created.
    #[error("certificate: {0}")]
    Certificate(rcgen::Error),
    /// A process exited.
    #[error("{name} exited ({status}); the end of its log:\n{log}")]
    Exited {
        /// The name of the process.
        name: String,
        /// Its exit status.
        status: ExitStatus,
        /// The last lines of its log.
        log: String,
    },
    /// A condition was not met in time.
    #[error("timed out after {within:?}: {what}; last seen: {last}")]
    Timeout {
        /// The condition.
        what: String,
        /// The time limit.
        within: Duration,
        /// The result of the last check.
        last: String,
    },
    /// `kubectl` failed.
    #[error("kubectl {args}: {status}\n{stderr}")]
    Kubectl {
        /// Its arguments.
        args: String,
        /// Its exit status.
        status: ExitStatus,
        /// Its standard error.
        stderr: String,
    },
    /// The control plane is an external cluster, or lacks this component.
    #[error("this control plane has no {0} under its control")]
    Absent(&'static str),
    /// The shared control plane did not start; every test gets the same error.
    #[error(transparent)]
    Shared(#[from] Arc<Error>),
}

impl From<rcgen::Error> for Error {
    fn from(error: rcgen::Error) -> Self {
        Self::Certificate(error)
    }
}

impl Error {
    /// Returns a function for `map_err` that adds the operation to an I/O error.
    pub(crate) fn io(what: impl Into<String>) -> impl FnOnce(io::Error) -> Self {
        let what = what.into();
        move |cause| Self::Io { what, cause }
    }
}
