//! Classifies the errors of the API server.
use std::time::Duration;

use kube::core::{Status, response::StatusCause};

/// Classifies an error by the reason that the API server gives rather than by HTTP code.
///
/// ```
/// use k8s_openapi::api::core::v1::ConfigMap;
/// use kube_codegen_runtime::client::{ErrorExt, TypedClient};
///
/// # async fn example(maps: TypedClient<ConfigMap>, map: ConfigMap) -> kube::Result<()> {
/// match maps.create(&map).await {
///     Err(error) if error.is_already_exists() => maps.replace(&map).await,
///     result => result,
/// }?;
/// # Ok(()) }
/// ```
pub trait ErrorExt {
    /// Returns the API server's status; `None` if there was no response, as for network errors.
    fn status(&self) -> Option<&Status>;

    /// Whether the object does not exist (404).
    fn is_not_found(&self) -> bool {
        self.status().is_some_and(Status::is_not_found)
    }

    /// Whether another client changed the object since it was read (409).
    fn is_conflict(&self) -> bool {
        self.status().is_some_and(Status::is_conflict)
    }

    /// Whether an object of this name already exists (409).
    fn is_already_exists(&self) -> bool {
        self.status().is_some_and(Status::is_already_exists)
    }

    /// Whether the resource version or the continue token has expired (410): list again.
    fn is_gone(&self) -> bool {
        self.status().is_some_and(|status| {
            status.code == 410 || matches!(status.reason.as_str(), "Expired" | "Gone")
        })
    }

    /// Whether the caller is not authorized (403).
    fn is_forbidden(&self) -> bool {
        self.status().is_some_and(Status::is_forbidden)
    }

    /// Whether the object is invalid (422); see [`ErrorExt::field_errors`].
    fn is_invalid(&self) -> bool {
        self.status().is_some_and(Status::is_invalid)
    }

    /// Returns how long the server asks to wait before the next attempt.
    fn retry_after(&self) -> Option<Duration> {
        let seconds = self.status()?.details.as_ref()?.retry_after_seconds;
        (seconds > 0).then(|| Duration::from_secs(seconds.into()))
    }

    /// Returns the invalid fields of a rejected object; empty if the server does not list them.
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
