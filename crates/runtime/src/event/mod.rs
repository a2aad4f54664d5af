//! Kubernetes Events about objects: occurrences come in without waiting, `events.k8s.io/v1` objects go to the API server from the background.
//! Never holds up, and never fails, what it reports on.
mod correlator;
mod recent;
mod sink;

pub use kube::runtime::events::{EventType, Reporter};

use k8s_openapi::api::core::v1::ObjectReference;
use kube::Client;
use parking_lot::Mutex;
use sink::Sink;
use std::{
    fmt,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};
use tokio::{sync::mpsc, task::JoinHandle, time::timeout};
use tracing::{info, warn};

/// Events that may wait to be sent (client-go's queue length). When it is full, new ones are dropped and counted.
const QUEUE: usize = 1000;
/// How long [`EventRecorder::shutdown`] waits for what is still to be sent.
const FLUSH: Duration = Duration::from_secs(10);

/// Reports what happens to objects, as `kubectl describe` shows it. Cheap to clone; all clones share one queue and one background task.
///
/// Repeats of an event become a series of one Event object: equal in everything, the note included. Events that differ by their note alone are taken
/// together from the tenth within ten minutes on. One object can cause 25 requests at once and one per 5 minutes after that; what is more is counted but
/// not sent (client-go's correlator).
///
/// Needs `create` and `patch` on `events` of the group `events.k8s.io`.
#[derive(Clone)]
pub struct EventRecorder {
    inner: Arc<Inner>,
}

struct Inner {
    queue: Mutex<Option<mpsc::Sender<Occurrence>>>,
    task: tokio::sync::Mutex<Option<JoinHandle<()>>>,
    dropped: AtomicU64,
}

/// Something that happened to an object.
#[derive(Clone, Debug)]
pub(crate) struct Occurrence {
    regarding: ObjectReference,
    related: Option<ObjectReference>,
    type_: EventType,
    reason: String,
    action: String,
    note: String,
}

impl EventRecorder {
    /// A recorder that reports in the name of `reporter`: the controller's name, or a [`Reporter`] with an instance of its own (by default the host's name).
    ///
    /// # Panics
    /// Outside of a Tokio runtime, like `tokio::spawn`.
    pub fn new(client: Client, reporter: impl Into<Reporter>) -> Self {
        let (sender, mut receiver) = mpsc::channel(QUEUE);
        let mut sink = Sink::new(client, reporter.into());
        let task = tokio::spawn(async move {
            while let Some(occurrence) = receiver.recv().await {
                sink.record(occurrence).await;
            }
        });
        Self {
            inner: Arc::new(Inner {
                queue: Mutex::new(Some(sender)),
                task: tokio::sync::Mutex::new(Some(task)),
                dropped: AtomicU64::new(0),
            }),
        }
    }

    /// Reports an event about `regarding` (see `kube::Resource::object_ref`) and returns at once.
    ///
    /// `reason` (why, `PascalCase`) and `action` (what was done) are at most 128 characters, `note` (for people) at most 1,024 bytes; more is cut off.
    /// Events about cluster-scoped objects go to the namespace `default`.
    pub fn event(
        &self,
        regarding: &ObjectReference,
        type_: EventType,
        reason: impl Into<String>,
        action: impl Into<String>,
        note: impl Into<String>,
    ) {
        self.publish(
            regarding,
            None,
            type_,
            reason.into(),
            action.into(),
            note.into(),
        );
    }

    /// Like [`event`](Self::event), and names a second object that it is about.
    pub fn event_with_related(
        &self,
        regarding: &ObjectReference,
        related: &ObjectReference,
        type_: EventType,
        reason: impl Into<String>,
        action: impl Into<String>,
        note: impl Into<String>,
    ) {
        self.publish(
            regarding,
            Some(related.clone()),
            type_,
            reason.into(),
            action.into(),
            note.into(),
        );
    }

    fn publish(
        &self,
        regarding: &ObjectReference,
        related: Option<ObjectReference>,
        type_: EventType,
        reason: String,
        action: String,
        note: String,
    ) {
        let name = regarding.name.as_deref().unwrap_or_default();
        match type_ {
            EventType::Normal => info!(kind = regarding.kind, name, reason, "{note}"),
            EventType::Warning => warn!(kind = regarding.kind, name, reason, "{note}"),
        }
        let occurrence = Occurrence {
            regarding: regarding.clone(),
            related,
            type_,
            reason,
            action,
            note,
        };
        let queue = self.inner.queue.lock();
        if queue
            .as_ref()
            .is_none_or(|queue| queue.try_send(occurrence).is_err())
        {
            self.inner.dropped.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Events that were dropped because too many waited, or because the recorder was shut down.
    pub fn dropped(&self) -> u64 {
        self.inner.dropped.load(Ordering::Relaxed)
    }

    /// Takes no more events and waits until those that wait are sent, for 10 seconds at most. Without it, they are sent in the background after the last
    /// recorder is dropped, as long as the runtime lives.
    pub async fn shutdown(&self) {
        self.inner.queue.lock().take();
        if let Some(mut task) = self.inner.task.lock().await.take()
            && timeout(FLUSH, &mut task).await.is_err()
        {
            warn!("not all events could be sent before the shutdown");
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
