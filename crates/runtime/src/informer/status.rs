//! The state of one informer, for metrics and for people who debug.
use std::time::Duration;

use serde::Serialize;

use crate::histogram::Histogram;

/// Upper bounds of processing latencies in seconds, as in component-base.
const LATENCIES: &[f64] = &[
    0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0,
];
/// Upper bounds of the durations of lists in seconds.
const LIST_DURATIONS: &[f64] = &[
    0.005, 0.025, 0.1, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 15.0, 30.0, 60.0,
];
/// Upper bounds of the durations of watches in seconds: the server ends most of them after 5 to 10 minutes.
const WATCH_DURATIONS: &[f64] = &[
    1.0, 10.0, 60.0, 120.0, 240.0, 300.0, 360.0, 420.0, 480.0, 540.0, 600.0, 1200.0,
];
/// Upper bounds of numbers of objects.
const ITEMS: &[f64] = &[0.0, 1.0, 10.0, 100.0, 1e3, 1e4, 1e5, 1e6];

/// The counters of one informer.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct InformerMetrics {
    /// Objects in the cache.
    pub objects: usize,
    /// Complete lists, including the first (`reflector_lists_total`).
    pub lists: u64,
    /// Durations of complete lists (`reflector_list_duration_seconds`).
    pub list_duration: Histogram,
    /// The number of objects in each complete list (`reflector_items_per_list`).
    pub items_per_list: Histogram,
    /// Opened watches (`reflector_watches_total`).
    pub watches: u64,
    /// Watches that ended within a second without an event (`reflector_short_watches_total`).
    pub short_watches: u64,
    /// Durations of ended watches (`reflector_watch_duration_seconds`).
    pub watch_duration: Histogram,
    /// Changes received by each ended watch (`reflector_items_per_watch`).
    pub items_per_watch: Histogram,
    /// Changes received from the watch.
    pub events: u64,
    /// Times from the arrival of a change until it is in the cache and the handlers' queues (`informer_processing_latency_seconds`).
    pub processing_latency: Histogram,
    /// Objects received by lists and watches (`informer_objects_received_total`).
    pub received: u64,
    /// Received objects that belong to other [shards](crate::shards) and were dropped before they were decoded
    /// (`informer_objects_dropped_total`). A server with `ShardedListAndWatch` does not send them.
    pub dropped: u64,
    /// Failures of any kind, including objects that could not be decoded.
    pub failures: u64,
    /// Objects that could not be decoded, counted each time they were received.
    pub decode_failures: u64,
}

impl Default for InformerMetrics {
    fn default() -> Self {
        Self {
            objects: 0,
            lists: 0,
            list_duration: Histogram::new(LIST_DURATIONS),
            items_per_list: Histogram::new(ITEMS),
            watches: 0,
            short_watches: 0,
            watch_duration: Histogram::new(WATCH_DURATIONS),
            items_per_watch: Histogram::new(ITEMS),
            events: 0,
            processing_latency: Histogram::new(LATENCIES),
            received: 0,
            dropped: 0,
            failures: 0,
            decode_failures: 0,
        }
    }
}

impl InformerMetrics {
    /// Counts an ended watch.
    pub(super) fn watch_ended(&mut self, open: Duration, items: usize, short: bool) {
        self.short_watches += u64::from(short);
        self.watch_duration.observe_duration(open);
        self.items_per_watch.observe_items(items);
    }
}

/// The state of one informer, as shown by `/debug/informers`.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct InformerStatus {
    /// The member cluster; absent for the operator's own cluster.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cluster: Option<String>,
    /// The API group; empty for the core group.
    pub group: String,
    /// The API version.
    pub version: String,
    /// The kind of the objects.
    pub kind: String,
    /// The plural name of the kind.
    pub resource: String,
    /// The watched namespaces, separated by commas; `None` for all namespaces and for cluster-scoped kinds.
    pub namespace: Option<String>,
    /// The label selector, if any.
    pub label_selector: Option<String>,
    /// The field selector, if any.
    pub field_selector: Option<String>,
    /// Whether the cache holds the first list.
    pub synced: bool,
    /// How long the server has not served the kind, perhaps because its CRD is not installed; `None` while it does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub not_served_seconds: Option<f64>,
    /// Whether the informer has stopped.
    pub stopped: bool,
    /// Objects in the cache.
    pub objects: usize,
    /// Own writes that the cache shows although the watch has not delivered them yet; see
    /// [`InformerFactory::track_writes`](super::InformerFactory::track_writes).
    pub pending_writes: usize,
    /// Age of the oldest of these writes, and thus the minimum lag of the watch; `None` if there are none.
    pub oldest_pending_write_seconds: Option<f64>,
    /// Number of namespaces of these objects.
    pub namespaces: usize,
    /// The resource version up to which the cache is complete; empty before the first list.
    pub last_sync_resource_version: String,
    /// Seconds since the informer started; `None` before the start.
    pub age_seconds: Option<f64>,
    /// Seconds since the server last sent an object or a bookmark; `None` before the first list.
    pub idle_seconds: Option<f64>,
    /// Failures of any kind since the start.
    pub failures: u64,
    /// The handlers, in the order in which they were added.
    pub handlers: Vec<HandlerStatus>,
    /// The counters. `/debug/informers` omits them because `/metrics` shows them.
    #[serde(skip)]
    pub metrics: InformerMetrics,
}

impl InformerStatus {
    /// Returns `Pod`, or `Deployment.apps`.
    pub fn kind_and_group(&self) -> String {
        if self.group.is_empty() {
            self.kind.clone()
        } else {
            format!("{}.{}", self.kind, self.group)
        }
    }
}

/// The state of one handler of an informer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct HandlerStatus {
    /// Whether it has processed the initial list.
    pub synced: bool,
    /// Events that wait for it.
    pub pending: usize,
}
