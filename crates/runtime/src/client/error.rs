//! Classifies the errors of the API server.
use std::{error::Error, sync::Arc, time::Duration};

use kube::core::{Status, response::StatusCause};

use super::{FieldConflict, conflict, decode};

/// Classifies errors by the reason that the API server gives, not by HTTP status code.
///
/// ```
/// use k8s_openapi::api::core::v1::ConfigMap;
/// use kube_codegen_runtime::client::{ErrorExt, TypedClient};
///
/// # async fn example(maps: TypedClient<ConfigMap>, map: ConfigMap) -> kube::Result<()> {
/// match maps.create(&map).await {
///     Err(error) if error.is_already_exists() => maps.get("a").await,
///     result => result,
/// }?;
/// # Ok(()) }
/// ```
pub trait ErrorExt {
    /// Returns the API server's status; `None` if there was no response, for example because of a network error.
    fn status(&self) -> Option<&Status>;

    /// Whether the object does not exist (404).
    fn is_not_found(&self) -> bool {
        self.status().is_some_and(Status::is_not_found)
    }

    /// Whether the server does not serve the kind, or not in this version (404). Its CRD may not be installed.
    fn is_not_served(&self) -> bool {
        self.status().is_some_and(is_not_served)
    }

    /// Whether another client changed the object since it was read (409).
    fn is_conflict(&self) -> bool {
        self.status().is_some_and(Status::is_conflict)
    }

    /// Whether an object of this name already exists (409).
    fn is_already_exists(&self) -> bool {
        self.status().is_some_and(Status::is_already_exists)
    }

    /// Whether the resource version or the continue token has expired (410). List again.
    fn is_gone(&self) -> bool {
        self.status().is_some_and(|status| {
            status.code == 410 || matches!(status.reason.as_str(), "Expired" | "Gone")
        })
    }

    /// Whether the caller lacks permission (403).
    fn is_forbidden(&self) -> bool {
        self.status().is_some_and(Status::is_forbidden)
    }

    /// Whether the object is invalid (422); see [`ErrorExt::field_errors`].
    fn is_invalid(&self) -> bool {
        self.status().is_some_and(Status::is_invalid)
    }

    /// Returns how long the server asks you to wait before the next attempt.
    fn retry_after(&self) -> Option<Duration> {
        let seconds = self.status()?.details.as_ref()?.retry_after_seconds;
        (seconds > 0).then(|| Duration::from_secs(seconds.into()))
    }

    /// Returns the fields, owned by other managers, that an apply conflicts with; empty for other errors.
    ///
    /// ```
    /// # use k8s_openapi::api::core::v1::ConfigMap;
    /// use kube_codegen_runtime::client::{ErrorExt, FieldManager, TypedClient, describe};
    /// # use kube_codegen_testing::ApiServer;
    /// # use serde_json::json;
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> kube::Result<()> {
    /// # let server = ApiServer::new();
    /// let maps = TypedClient::<ConfigMap>::namespaced(server.client(), "default");
    /// maps.apply(&json!({"metadata": {"name": "a"}, "data": {"x": "1"}}), "one").await?;
    /// let map = json!({"metadata": {"name": "a"}, "data": {"x": "2"}});
    /// let error = maps.apply(&map, "two").await.unwrap_err();
    /// assert_eq!(error.field_conflicts()[0].manager, "one");
    /// assert_eq!(describe(&error), r#"apply conflicts in a field of other managers: .data.x (owned by "one")"#);
    /// maps.apply(&map, FieldManager::new("two").force()).await?;
    /// # Ok(()) }
    /// ```
    fn field_conflicts(&self) -> Vec<FieldConflict> {
        self.status()
            .map(FieldConflict::read_all)
            .unwrap_or_default()
    }

    /// Returns the invalid fields of a rejected object; empty if the server does not name them.
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

/// A [fenced client](crate::leader_election::Term::fence) rejected a write because this process does not hold the lease yet, or has lost
/// it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("this process does not hold the lease {lease}")]
pub struct NotLeading {
    /// Namespace and name of the Lease.
    pub(crate) lease: Arc<str>,
}

impl NotLeading {
    /// Whether `error` is a `NotLeading` or was caused by one.
    ///
    /// ```
    /// use kube_codegen_runtime::client::NotLeading;
    ///
    /// assert!(!NotLeading::caused(&std::fmt::Error));
    /// ```
    pub fn caused(error: &(dyn Error + 'static)) -> bool {
        let mut next = Some(error);
        while let Some(error) = next {
            if error.is::<Self>() {
                return true;
            }
            next = error.source();
        }
        false
    }
}

/// Describes an error and its causes in one line, for logs, events and people.
///
/// For a response of the API server, this is the server's message, which names the verb, resource, namespace and user if access is denied.
/// (The `Display` of [`kube::Error`] also contains the `Debug` form of the whole status.) If the server cannot be reached, errors of
/// clients from [`connect`](super::connect) name its address.
///
/// The errors of this crate follow one convention, and yours should too: `source` returns the cause, and `Display` does not repeat it. An
/// error that adds nothing is transparent.
///
/// ```
/// use kube_codegen_runtime::client::describe;
///
/// #[derive(Debug, thiserror::Error)]
/// enum Error {
///     #[error(transparent)]
///     Api(#[from] kube::Error),
///     #[error("the zone file is not usable")]
///     Zone(#[source] std::io::Error),
/// }
///
/// let error = Error::Zone(std::io::Error::other("line 3 has no address"));
/// assert_eq!(describe(&error), "the zone file is not usable: line 3 has no address");
/// ```
pub fn describe(error: &(dyn Error + 'static)) -> String {
    let mut text = String::new();
    let mut next = Some(error);
    while let Some(error) = next {
        next = error.source();
        let message = match Known::of(error) {
            Known::Status(status) => {
                next = None;
                describe_status(status)
            }
            Known::Service if next.is_some_and(<dyn Error>::is::<NotLeading>) => continue,
            // The cause follows.
            Known::Service => "cannot reach the API server".to_owned(),
            // The causes are in it.
            Known::Json => {
                next = None;
                decode::without_values(&error.to_string())
            }
            Known::Other => error.to_string(),
        };
        // Many errors repeat their cause.
        if !text.contains(&message) {
            let separator = if text.is_empty() { "" } else { ": " };
            text.extend([separator, &message]);
        }
    }
    text
}

/// What is known of an error.
enum Known<'e> {
    /// A response of the API server.
    Status(&'e Status),
    /// There was no response.
    Service,
    /// JSON that does not decode: its message may show values.
    Json,
    Other,
}

impl<'e> Known<'e> {
    fn of(error: &'e (dyn Error + 'static)) -> Self {
        match error.downcast_ref::<kube::Error>() {
            Some(kube::Error::Api(status)) => return Self::Status(status),
            Some(kube::Error::Service(_)) => return Self::Service,
            Some(kube::Error::SerdeError(_)) => return Self::Json,
            Some(_) => return Self::Other,
            None if error.is::<serde_json::Error>() => return Self::Json,
            None => {}
        }
        // A transparent error has the text and the source of the error in it, and nothing else of it.
        let Some(source) = error.source() else {
            return Self::Other;
        };
        let text = error.to_string();
        match source.downcast_ref::<Box<Status>>() {
            Some(status) if text == format!("ApiError: {status} ({status:?})") => {
                Self::Status(status)
            }
            _ if text.strip_prefix("ServiceError: ") == Some(&source.to_string()) => Self::Service,
            _ if source.is::<serde_json::Error>() && text.ends_with(&source.to_string()) => {
                Self::Json
            }
            _ => Self::Other,
        }
    }
}

fn describe_status(status: &Status) -> String {
    let message = if status.message.is_empty() {
        &status.reason
    } else {
        &status.message
    };
    if is_not_served(status) {
        return format!(
            "the server does not serve this kind in this version: is its CRD installed? ({message})"
        );
    }
    let conflicts = FieldConflict::read_all(status);
    if !conflicts.is_empty() {
        return conflict::describe(&conflicts);
    }
    message.clone()
}

/// Whether a response is about a path and not about an object: the server does not know the resource (`NotFound` without a name), or the
/// whole group (plain text). Nothing but the text differs from an object without a name that is missing.
fn is_not_served(status: &Status) -> bool {
    let has_name = || {
        status
            .details
            .as_ref()
            .is_some_and(|it| !it.name.is_empty())
    };
    status.code == 404
        && !has_name()
        && (status.message == "the server could not find the requested resource"
            || status.message.starts_with("404 page not found"))
}
