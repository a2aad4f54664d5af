//! The writes of one controller, so that it can ignore the changes that they cause.
use std::{
    collections::{BTreeMap, HashMap},
    sync::Arc,
};

use bytes::Bytes;
use http::{Method, StatusCode};
use parking_lot::Mutex;
use serde_json::Value;
use tokio::time::{Duration, Instant};

/// How long the watch may take to deliver a write that is recognized as such.
const REMEMBERED: Duration = Duration::from_secs(300);
/// Time between two searches for older writes.
const SWEEP: Duration = Duration::from_secs(10);

tokio::task_local! {
    static CURRENT: Arc<Writer>;
}

/// The writes of one controller. Requests belong to the controller whose reconcile sends them, from its own task.
pub(crate) struct Writer(Mutex<WriterState>);

struct WriterState {
    /// The versions that this controller wrote, by uid and version.
    done: HashMap<(String, String), Instant>,
    /// The paths of requests that wait for their response, in the order in which they were sent.
    in_flight: BTreeMap<u64, String>,
    sent: u64,
    held: Vec<HeldChange>,
    swept: Instant,
}

/// A change that may be the effect of a request in flight.
struct HeldChange {
    change: (String, String),
    waits_for: Vec<u64>,
    release: Box<dyn FnOnce() + Send>,
}

impl Writer {
    pub(crate) fn new() -> Arc<Self> {
        Arc::new(Self(Mutex::new(WriterState {
            done: HashMap::new(),
            in_flight: BTreeMap::new(),
            sent: 0,
            held: Vec::new(),
            swept: Instant::now(),
        })))
    }

    /// Runs `reconcile` such that its requests count as this controller's.
    pub(crate) async fn scope<F: Future>(writer: Option<Arc<Self>>, reconcile: F) -> F::Output {
        match writer {
            Some(writer) => CURRENT.scope(writer, reconcile).await,
            None => reconcile.await,
        }
    }

    /// Returns the writer of the current task.
    pub(crate) fn current() -> Option<Arc<Self>> {
        CURRENT.try_with(Arc::clone).ok()
    }

    /// Calls `release`, now or later, unless the change of the object at `path` to `version` is one of these writes.
    ///
    /// If the object's requests in flight might be its cause, the decision waits for their responses.
    pub(crate) fn unless_own(
        &self,
        path: &str,
        uid: &str,
        version: &str,
        release: impl FnOnce() + Send + 'static,
    ) {
        let change = (uid.to_owned(), version.to_owned());
        let mut writes = self.0.lock();
        if writes.done.contains_key(&change) {
            return;
        }
        let in_flight = writes.in_flight.iter();
        let waits_for: Vec<_> = in_flight
            .filter(|(_, sent_to)| concerns(sent_to, path))
            .map(|(id, _)| *id)
            .collect();
        if waits_for.is_empty() {
            drop(writes);
            return release();
        }
        writes.held.push(HeldChange {
            change,
            waits_for,
            release: Box::new(release),
        });
    }

    /// Records that a request is being sent. Dropping the returned value records its end.
    pub(crate) fn send(self: &Arc<Self>, path: &str) -> InFlight {
        let mut sent = self.0.lock();
        sent.sent += 1;
        let id = sent.sent;
        sent.in_flight.insert(id, path.to_owned());
        InFlight {
            writer: Arc::clone(self),
            id,
        }
    }
}

/// Whether a request to `sent_to` may change the object at `path`: it is the object's, a subresource's or, for a creation, the collection's.
fn concerns(sent_to: &str, path: &str) -> bool {
    let sent_to_part = sent_to
        .strip_prefix(path)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
    let collection = path.rsplit_once('/').map(|(collection, _)| collection);
    sent_to_part || collection == Some(sent_to)
}

/// A request that waits for its response.
pub(crate) struct InFlight {
    writer: Arc<Writer>,
    id: u64,
}

impl InFlight {
    /// Records that the request wrote this version of the object with this uid.
    pub(crate) fn wrote(&self, uid: &str, version: &str) {
        let now = Instant::now();
        let mut writes = self.writer.0.lock();
        let written = (uid.to_owned(), version.to_owned());
        writes.done.insert(written, now);
        if now >= writes.swept + SWEEP {
            writes.swept = now;
            writes.done.retain(|_, at| now < *at + REMEMBERED);
        }
    }
}

impl Drop for InFlight {
    fn drop(&mut self) {
        let mut guard = self.writer.0.lock();
        let writes = &mut *guard;
        writes.in_flight.remove(&self.id);
        let mut released = Vec::new();
        for mut held in std::mem::take(&mut writes.held) {
            held.waits_for.retain(|id| *id != self.id);
            if writes.done.contains_key(&held.change) {
                continue;
            }
            if held.waits_for.is_empty() {
                released.push(held.release);
            } else {
                writes.held.push(held);
            }
        }
        drop(guard);
        for release in released {
            release();
        }
    }
}

/// Whether a successful request has certainly made a new version of its object: it created it, or it was for another version.
///
/// Other requests may have changed nothing. Then `version` is that of an earlier change, perhaps another client's.
pub(crate) fn is_new_version(
    method: &Method,
    request: &Bytes,
    status: StatusCode,
    version: &str,
) -> bool {
    if status == StatusCode::CREATED {
        return true;
    }
    if *method != Method::PUT && *method != Method::PATCH {
        return false;
    }
    let body: Value = serde_json::from_slice(request).unwrap_or_default();
    let merged = body.pointer("/metadata/resourceVersion");
    // A JSON patch tests the version, or sets it, which the server compares with the stored one.
    let mut operations = body.as_array().into_iter().flatten();
    let of_version = operations.find(|operation| {
        operation["op"] != "remove" && operation["path"] == "/metadata/resourceVersion"
    });
    let before = merged.or_else(|| of_version.map(|operation| &operation["value"]));
    before
        .and_then(Value::as_str)
        .is_some_and(|before| !before.is_empty() && before != version)
}
