//! In: what can go wrong. Out: one error type that names the component and quotes its log. Never panics.

use std::{io, process::ExitStatus, sync::Arc, time::Duration};

/// Why a control plane did not start, or did not do what it was asked for.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// There is no control plane on this machine, and none can be built: the text says why and what helps.
    #[error("no control plane: {0}")]
    Unavailable(String),
    /// The Go compiler ended with an error.
    #[error("building the control plane failed:\n{0}")]
    Build(String),
    /// A file or a process could not be made.
    #[error("{what}: {source}")]
    Io {
        /// What was tried.
        what: String,
        /// What the operating system said.
        source: io::Error,
    },
    /// The API server could not be reached, or refused.
    #[error(transparent)]
    Kube(#[from] kube::Error),
    /// A kubeconfig could not be read.
    #[error(transparent)]
    Kubeconfig(#[from] kube::config::KubeconfigError),
    /// A certificate could not be made.
    #[error("certificate: {0}")]
    Certificate(#[from] rcgen::Error),
    /// A process ended by itself.
    #[error("{name} ended ({status}); the end of its log:\n{log}")]
    Ended {
        /// The process.
        name: String,
        /// How it ended.
        status: ExitStatus,
        /// The last lines that it wrote.
        log: String,
    },
    /// Something did not come true in time.
    #[error("not within {within:?}: {what}; last seen: {last}")]
    Timeout {
        /// What was waited for.
        what: String,
        /// How long.
        within: Duration,
        /// What the last look showed.
        last: String,
    },
    /// `kubectl` ended with an error.
    #[error("kubectl {args}: {status}\n{stderr}")]
    Kubectl {
        /// Its arguments.
        args: String,
        /// How it ended.
        status: ExitStatus,
        /// What it wrote to standard error.
        stderr: String,
    },
    /// This control plane is somebody else's cluster, or lacks the component that was asked for.
    #[error("this control plane has no {0} of its own")]
    Absent(&'static str),
    /// The start of the control plane that all tests share failed; each of them gets the same reason.
    #[error(transparent)]
    Shared(#[from] Arc<Error>),
}

impl Error {
    /// For `map_err` on I/O: says what was tried.
    pub(crate) fn io(what: impl Into<String>) -> impl FnOnce(io::Error) -> Self {
        let what = what.into();
        move |source| Self::Io { what, source }
    }
}
