//! The failures of an informer. The informer continues after each of them.
use std::time::Duration;

use kube::core::Status;
use thiserror::Error;

use crate::{
    cache::{ObjectKey, Shared},
    client::ErrorExt,
};

/// An object could not be decoded into its type. The informer skips it and keeps the previously cached state.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{kind} {} does not decode: {message}", self.key.as_ref().map_or_else(|| "of unknown name".to_owned(), ToString::to_string))]
#[non_exhaustive]
pub struct DecodeError {
    /// The kind of the object.
    pub kind: String,
    /// Namespace and name, if its metadata could be read.
    pub key: Option<ObjectKey>,
    /// `metadata.resourceVersion`, if it could be read.
    pub resource_version: Option<String>,
    /// The decoder's error, without any values of the object, which may be a Secret.
    pub message: String,
}

/// A received object, or why it does not decode.
pub(super) type Decoded = Result<Shared, Box<DecodeError>>;

/// A failure from which the informer recovers. Print it with [`describe`](crate::client::describe); see
/// [`SharedInformer::set_error_handler`](super::SharedInformer::set_error_handler).
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum InformerError {
    /// A list failed. The informer retries it with a back-off.
    #[error("cannot list {kind} of {api_version}")]
    List {
        /// The kind that was listed.
        kind: String,
        /// Its group and version.
        api_version: String,
        /// The error of the client or the server.
        source: WatchFailure,
    },
    /// A watch failed. The informer resumes it, or lists again if the server no longer has its resource version.
    #[error("cannot watch {kind} of {api_version}")]
    Watch {
        /// The kind that was watched.
        kind: String,
        /// Its group and version.
        api_version: String,
        /// The error of the client or the server.
        source: WatchFailure,
    },
    /// One object could not be decoded.
    #[error(transparent)]
    Decode(#[from] DecodeError),
    /// A transform or an index function panicked on an object. After a panic in a transform, the previously cached state is kept; after a
    /// panic in an index function, the object is missing from the index.
    #[error("the {function} panicked on {kind} {key}: {message}")]
    Panic {
        /// The kind of the object.
        kind: String,
        /// Namespace and name of the object.
        key: ObjectKey,
        /// `transform`, or `index` with its name.
        function: String,
        /// The panic message.
        message: String,
    },
}

/// The reason why an informer's request failed. [`ErrorExt`] classifies it.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum WatchFailure {
    /// The request failed, or the server responded with an error status.
    #[error(transparent)]
    Request(#[from] kube::Error),
    /// The server ended a running watch with an ERROR event.
    #[error("the server ended the watch: {}", .0.message)]
    Status(Box<Status>),
    /// The connection broke.
    #[error("the connection broke")]
    Connection(#[from] std::io::Error),
    /// The server was silent for longer than it had promised.
    #[error("the server sent nothing for {0:?}")]
    Silence(Duration),
    /// The watch ended at once, without a single event.
    #[error("the server closed the watch at once")]
    ClosedAtOnce,
    /// The streaming list ended before its closing bookmark.
    #[error("the streaming list ended early")]
    ListCutShort,
    /// The response is not what the Kubernetes API defines.
    #[error("the response is malformed")]
    Protocol(#[from] serde_json::Error),
    /// The response has neither items nor a `metadata.resourceVersion`.
    #[error("the response is not a list")]
    NotAList,
    /// An object, or a protobuf list, is larger than this number of bytes, or never ends.
    #[error("the server sent more than {} MiB without the end of an object", .0 >> 20)]
    TooLarge(usize),
    /// Each page of the list refers to another one, but no page has new objects.
    #[error(
        "the pages of the list do not end: the server sends the same objects under each continue token"
    )]
    EndlessPages,
}

impl WatchFailure {
    /// Whether the server has not reached the requested resource version yet: its watch cache lags, or it was restored from a backup.
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

    /// Whether the watch can resume from the same resource version: the transport or the load of the server was the cause.
    pub(super) fn can_resume(&self) -> bool {
        match self.status() {
            Some(status) => {
                matches!(status.code, 429 | 500 | 502..=504) && !self.is_too_large_version()
            }
            None => !matches!(self, Self::Protocol(_) | Self::TooLarge(_)),
        }
    }
}

impl ErrorExt for WatchFailure {
    fn status(&self) -> Option<&Status> {
        match self {
            Self::Request(error) => error.status(),
            Self::Status(status) => Some(status),
            _ => None,
        }
    }
}

/// The informer has already started, so this setting can no longer change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("the informer was started: set the transform before the start")]
pub struct Started;

/// The informer stopped before it reached the awaited state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("the informer was stopped")]
pub struct Stopped;
