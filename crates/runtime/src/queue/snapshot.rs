//! The content of a work queue, for debugging.
use std::time::Duration;

use serde::Serialize;

/// The items of a queue at one moment, serialized for a page such as `/debug/queues`. Times are in seconds.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct QueueSnapshot<T> {
    /// Items waiting for a worker, highest priority first.
    pub waiting: Vec<WaitingItem<T>>,
    /// Items held by workers, longest running first.
    pub processing: Vec<ProcessedItem<T>>,
    /// Items to be queued later, earliest first.
    pub scheduled: Vec<ScheduledItem<T>>,
}

/// An item that waits for a worker.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct WaitingItem<T> {
    /// The item.
    pub item: T,
    /// Its priority.
    pub priority: i32,
    /// Time since it was added.
    #[serde(serialize_with = "seconds")]
    pub waits_for: Duration,
}

/// An item that a worker is processing.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ProcessedItem<T> {
    /// The item.
    pub item: T,
    /// The priority it had when a worker took it.
    pub priority: i32,
    /// Time since a worker took it.
    #[serde(serialize_with = "seconds")]
    pub runs_for: Duration,
}

/// An item to be queued later.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ScheduledItem<T> {
    /// The item.
    pub item: T,
    /// Time until it is queued.
    #[serde(serialize_with = "seconds")]
    pub due_in: Duration,
    /// Retries since the item was last forgotten.
    pub retries: u32,
    /// Whether the item is in back-off after a failure; if not, `add_after` scheduled it.
    pub is_retry: bool,
}

fn seconds<S: serde::Serializer>(time: &Duration, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_f64(time.as_secs_f64())
}
