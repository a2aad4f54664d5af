//! What can go wrong while an informer follows the API server; none of it ends the informer.
use super::ObjectKey;
use kube::core::Status;
use thiserror::Error;

/// A stored object that does not fit its type. The informer skips it: what it held before stays, the rest goes on.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{kind} {} does not decode: {message}", self.key.as_ref().map_or_else(|| "of unknown name".to_owned(), ToString::to_string))]
pub struct DecodeError {
    /// Kind of the object.
    pub kind: String,
    /// Namespace and name, where its metadata could be read.
    pub key: Option<ObjectKey>,
    /// `metadata.resourceVersion`, where it could be read.
    pub resource_version: Option<String>,
    /// What the decoder found wrong.
    pub message: String,
}

/// A failure that an informer has met and goes on from; see [`SharedInformer::set_error_handler`](super::SharedInformer::set_error_handler).
#[derive(Debug, Error)]
pub enum InformerError {
    /// Listing failed; it is tried again after a back-off.
    #[error("cannot list {kind}: {source}")]
    List {
        /// Kind that was listed.
        kind: String,
        /// What the client or the server said.
        source: WatchFailure,
    },
    /// Watching failed; it is taken up where it stopped, or by a new list if the server no longer knows that point.
    #[error("cannot watch {kind}: {source}")]
    Watch {
        /// Kind that was watched.
        kind: String,
        /// What the client or the server said.
        source: WatchFailure,
    },
    /// One object did not decode.
    #[error(transparent)]
    Decode(#[from] DecodeError),
}

/// Why a request of an informer failed.
#[derive(Debug, Error)]
pub enum WatchFailure {
    /// The request itself failed, or the server answered it by an error status.
    #[error(transparent)]
    Request(#[from] kube::Error),
    /// The server ended a running watch by an ERROR event.
    #[error("the server ended the watch: {0}")]
    Status(Box<Status>),
    /// The connection broke.
    #[error("the connection broke: {0}")]
    Connection(#[from] std::io::Error),
    /// Nothing came for longer than the server promised to let pass.
    #[error("nothing came from the server for {0:?}")]
    Silence(std::time::Duration),
    /// The watch ended at once, without a single event.
    #[error("the server closed the watch at once")]
    ClosedAtOnce,
    /// The streaming list ended before its closing bookmark.
    #[error("the streaming list ended early")]
    ListCutShort,
    /// The answer is not what the Kubernetes API defines.
    #[error("the answer makes no sense: {0}")]
    Protocol(#[from] serde_json::Error),
    /// The list came without `metadata.resourceVersion`, so that nothing can be watched from there.
    #[error("the list has no resourceVersion")]
    NoResourceVersion,
}

impl WatchFailure {
    /// The server's status, if it gave one.
    pub fn status(&self) -> Option<&Status> {
        match self {
            Self::Request(kube::Error::Api(status)) | Self::Status(status) => Some(status),
            _ => None,
        }
    }

    /// Whether the asked-for resource version has fallen out of the server's history (410 Gone, reason Expired).
    pub fn is_expired(&self) -> bool {
        self.status().is_some_and(|status| {
            status.code == 410 || status.reason == "Expired" || status.reason == "Gone"
        })
    }

    /// Whether the server has not yet seen the asked-for resource version: a lagging watch cache, or a restored backup.
    pub fn is_too_large_version(&self) -> bool {
        self.status()
            .and_then(|status| status.details.as_ref())
            .is_some_and(|details| {
                details.causes.iter().any(|cause| {
                    cause.reason == "ResourceVersionTooLarge"
                        || cause.message == "Too large resource version"
                })
            })
    }

    /// Whether the watch can be asked for once more from where it stopped: nothing but the transport or the server's load was at fault.
    pub(super) fn can_resume(&self) -> bool {
        match self.status() {
            Some(status) => {
                matches!(status.code, 429 | 500 | 502..=504) && !self.is_too_large_version()
            }
            None => !matches!(self, Self::Protocol(_) | Self::NoResourceVersion),
        }
    }

    /// How long the server asked to be left alone.
    pub fn retry_after(&self) -> Option<std::time::Duration> {
        let seconds = self.status()?.details.as_ref()?.retry_after_seconds;
        (seconds > 0).then(|| std::time::Duration::from_secs(seconds.into()))
    }
}

/// The informer was stopped before it had the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("the informer was stopped")]
pub struct Stopped;
