//! Reports Kubernetes Events (`events.k8s.io/v1`) about objects.
//!
//! Reporting never waits and never fails; a background task sends the requests.
mod correlator;
mod publisher;
mod recent;

use std::{
    fmt,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use k8s_openapi::api::core::v1::ObjectReference;
use kube::{Client, Resource};
use parking_lot::Mutex;
use tokio::{sync::mpsc, task::JoinHandle, time::timeout};
use tracing::{debug, warn};

use self::publisher::Publisher;

pub use kube::runtime::events::{Event, EventType, Reporter};

/// Longest queue of events (client-go's). When it is full, new events are dropped and counted.
const QUEUE: usize = 1000;
/// How long [`EventRecorder::shutdown`] waits for the queued events.
const FLUSH: Duration = Duration::from_secs(10);

/// Reports events about objects, as `kubectl describe` shows them. Cheap to clone; all clones share one queue and one background task.
///
/// Events are correlated as in client-go. Repeated events with the same note become a series of one Event object. Events that differ only
/// in their note are combined from the tenth within ten minutes. Each type and reason of one object may send a burst of 25 requests, and
/// then one every 5 minutes; all types and reasons of the object together may send four times as many. Further events are counted but not
/// sent. (client-go has one limit per object, so repeats of one reason suppress all other reasons.)
///
/// ```
/// use k8s_openapi::api::core::v1::ConfigMap;
/// use kube_codegen_runtime::event::{Event, EventRecorder, EventType};
/// use kube_codegen_testing::ApiServer;
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() {
/// let server = ApiServer::new();
/// let events = EventRecorder::new(server.client(), "my-controller");
/// let object = ConfigMap::default();
/// events.publish(&object, Event {
///     type_: EventType::Normal,
///     reason: "Synced".into(),
///     action: "Reconcile".into(),
///     note: Some("everything is up to date".into()),
///     secondary: None,
/// });
/// events.shutdown().await;
/// assert_eq!(server.writes().len(), 1);
/// # }
/// ```
///
/// Requires `create` and `patch` on `events` of the group `events.k8s.io`.
#[derive(Clone)]
pub struct EventRecorder {
    inner: Arc<Inner>,
}

struct Inner {
    queue: Mutex<Option<mpsc::Sender<Occurrence>>>,
    task: tokio::sync::Mutex<Option<JoinHandle<()>>>,
    dropped: Arc<AtomicU64>,
}

/// An event about an object.
#[derive(Clone, Debug)]
pub(crate) struct Occurrence {
    regarding: ObjectReference,
    related: Option<ObjectReference>,
    type_: EventType,
    reason: String,
    action: String,
    note: String,
}

impl Occurrence {
    fn type_name(&self) -> &'static str {
        match self.type_ {
            EventType::Normal => "Normal",
            EventType::Warning => "Warning",
        }
    }
}

impl EventRecorder {
    /// Creates a recorder that reports as `reporter`: the name of a controller, or a [`Reporter`] that also names the instance.
    ///
    /// # Panics
    /// If called outside a Tokio runtime, like `tokio::spawn`.
    pub fn new(client: Client, reporter: impl Into<Reporter>) -> Self {
        let (sender, receiver) = mpsc::channel(QUEUE);
        let publisher = Publisher::new(client, reporter.into());
        let task = tokio::spawn(publisher.run(receiver));
        Self {
            inner: Arc::new(Inner {
                queue: Mutex::new(Some(sender)),
                task: tokio::sync::Mutex::new(Some(task)),
                dropped: Arc::default(),
            }),
        }
    }

    /// Reports an event about `object` and returns at once. It takes the same [`Event`] as kube's `Recorder`.
    ///
    /// `reason` (why, in `PascalCase`) and `action` (what was done) are truncated to 128 bytes, and `note` (for people) to 1,024 bytes.
    /// Events about cluster-scoped objects are stored in the namespace `default`.
    pub fn publish<K: Resource<DynamicType = ()>>(&self, object: &K, event: Event) {
        self.publish_for(&object.object_ref(&()), event);
    }

    /// Like [`publish`](Self::publish), but takes a reference to the object. Use it for kinds that are known only at run time.
    pub fn publish_for(&self, regarding: &ObjectReference, event: Event) {
        self.enqueue(Occurrence {
            regarding: regarding.clone(),
            related: event.secondary,
            type_: event.type_,
            reason: event.reason,
            action: event.action,
            note: event.note.unwrap_or_default(),
        });
    }

    fn enqueue(&self, occurrence: Occurrence) {
        let ObjectReference { kind, name, .. } = &occurrence.regarding;
        // The code that reports an event logs what it did, or the controller its error.
        debug!(
            kind,
            name,
            reason = occurrence.reason,
            "event: {}",
            occurrence.note
        );
        let queue = self.inner.queue.lock();
        if queue
            .as_ref()
            .is_none_or(|queue| queue.try_send(occurrence).is_err())
        {
            self.inner.dropped.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Returns the number of events dropped because the queue was full or the recorder was shut down.
    pub fn dropped(&self) -> u64 {
        self.inner.dropped.load(Ordering::Relaxed)
    }

    /// Returns the counter of dropped events, without keeping the recorder alive.
    #[cfg(feature = "metrics")]
    pub(crate) fn dropped_counter(&self) -> Arc<AtomicU64> {
        Arc::clone(&self.inner.dropped)
    }

    /// Drops further events and waits up to 10 seconds until the queued ones are sent. If you do not call this, the background task sends
    /// them after the last recorder is dropped, as long as the runtime keeps running.
    pub async fn shutdown(&self) {
        self.inner.queue.lock().take();
        if let Some(mut task) = self.inner.task.lock().await.take()
            && timeout(FLUSH, &mut task).await.is_err()
        {
            warn!("the recorder was shut down before all events were sent");
            task.abort();
        }
    }
}

impl fmt::Debug for EventRecorder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EventRecorder")
            .field("dropped", &self.dropped())
            .finish_non_exhaustive()
    }
}
