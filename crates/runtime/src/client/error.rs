//! What an error of the API server means.
use kube::core::Status;
use kube::core::response::StatusCause;
use std::time::Duration;

/// Questions to ask an error of a request, by the reason that the API server gives rather than by HTTP code.
pub trait ErrorExt {
    /// The answer of the API server; `None` if there was none, as for errors of the network.
    fn status(&self) -> Option<&Status>;

    /// There is no such object (404).
    fn is_not_found(&self) -> bool {
        self.status().is_some_and(Status::is_not_found)
    }

    /// The object was changed in between (409): read it again.
    fn is_conflict(&self) -> bool {
        self.status().is_some_and(Status::is_conflict)
    }

    /// There is an object of this name already (409).
    fn is_already_exists(&self) -> bool {
        self.status().is_some_and(Status::is_already_exists)
    }

    /// The resourceVersion or the continue token is too old (410): list again.
    fn is_gone(&self) -> bool {
        self.status().is_some_and(|status| {
            status.code == 410 || matches!(status.reason.as_str(), "Expired" | "Gone")
        })
    }

    /// One may not do this (403).
    fn is_forbidden(&self) -> bool {
        self.status().is_some_and(Status::is_forbidden)
    }

    /// The object is not valid (422): see [`ErrorExt::field_errors`].
    fn is_invalid(&self) -> bool {
        self.status().is_some_and(Status::is_invalid)
    }

    /// How long the server asks to wait before the next attempt.
    fn retry_after(&self) -> Option<Duration> {
        let seconds = self.status()?.details.as_ref()?.retry_after_seconds;
        (seconds > 0).then(|| Duration::from_secs(seconds.into()))
    }

    /// What is wrong with which field of a refused object; empty if the server does not tell.
    fn field_errors(&self) -> &[StatusCause] {
        self.status()
            .and_then(|status| status.details.as_ref())
            .map_or(&[], |details| &details.causes)
    }
}

impl ErrorExt for kube::Error {
    fn status(&self) -> Option<&Status> {
        match self {
            kube::Error::Api(status) => Some(status),
            _ => None,
        }
    }
}
