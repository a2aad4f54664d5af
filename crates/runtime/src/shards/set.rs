//! Which ranges this process reconciles at this moment, and which reconciles of each range run.
use std::sync::Arc;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use parking_lot::Mutex;
use tokio::{
    sync::watch,
    time::{Duration, timeout},
};

use super::ring::{Ring, ShardKey, hash};
use crate::leader_election::Term;

/// The ranges of the ring, shared by the replica that holds their Leases and by the controllers that reconcile their objects.
pub(crate) struct ShardSet {
    key: ShardKey,
    ring: Ring,
    ranges: Mutex<Vec<Range>>,
    /// Counts everything that controllers or a hand-over wait for.
    changes: watch::Sender<u64>,
}

#[derive(Default)]
struct Range {
    /// The term for which this process holds the range, while reconciles may start.
    term: Option<Term>,
    /// The value of the counter at which the term began.
    since: u64,
    /// Number of reconciles that run.
    running: usize,
}

impl ShardSet {
    pub(super) fn new(key: ShardKey, ring: Ring) -> Arc<Self> {
        let ranges = (0..ring.ranges).map(|_| Range::default()).collect();
        Arc::new(Self {
            key,
            ring,
            ranges: Mutex::new(ranges),
            changes: watch::Sender::new(0),
        })
    }

    /// Returns the range of the object with this metadata.
    pub(crate) fn range_of(&self, meta: &ObjectMeta) -> u16 {
        self.ring.range_of(self.key.hash(meta))
    }

    /// Returns the range of an object of which only the namespace is known; `None` if that does not decide it.
    pub(crate) fn range_in(&self, namespace: Option<&str>) -> Option<u16> {
        match self.key {
            ShardKey::Namespace => Some(self.ring.range_of(hash(namespace.unwrap_or_default()))),
            ShardKey::Uid => None,
        }
    }

    /// Whether reconciles of the range may start.
    pub(crate) fn owns(&self, range: u16) -> bool {
        let ranges = self.ranges.lock();
        let term = ranges
            .get(usize::from(range))
            .and_then(|range| range.term.as_ref());
        term.is_some_and(Term::is_active)
    }

    /// Begins a reconcile of an object of the range, unless another process may reconcile it. It has ended when the returned value is dropped.
    pub(crate) fn enter(self: &Arc<Self>, range: u16) -> Option<Entered> {
        let mut ranges = self.ranges.lock();
        let state = ranges.get_mut(usize::from(range))?;
        let term = state.term.clone().filter(Term::is_active)?;
        state.running += 1;
        Some(Entered {
            set: Arc::clone(self),
            range,
            term,
        })
    }

    /// Lets reconciles of the range start, in the term for which its Lease is held.
    pub(super) fn open(&self, range: u16, term: Term) {
        let mut ranges = self.ranges.lock();
        self.notify();
        if let Some(state) = ranges.get_mut(usize::from(range)) {
            state.term = Some(term);
            state.since = *self.changes.borrow();
        }
    }

    /// Lets no more reconciles of the range start.
    pub(super) fn close(&self, range: u16) {
        if let Some(state) = self.ranges.lock().get_mut(usize::from(range)) {
            state.term = None;
        }
        self.notify();
    }

    /// Waits until no reconcile of the range runs, but not longer than `limit`.
    pub(super) async fn drained(&self, range: u16, limit: Duration) {
        let mut changes = self.changes.subscribe();
        let drained = async {
            loop {
                changes.borrow_and_update();
                let running = self
                    .ranges
                    .lock()
                    .get(usize::from(range))
                    .map(|range| range.running);
                if running.is_none_or(|running| running == 0) || changes.changed().await.is_err() {
                    return;
                }
            }
        };
        // What still runs then is dropped at the end of the term.
        let _ = timeout(limit, drained).await;
    }

    /// Returns a counter that changes with the ranges.
    pub(crate) fn changes(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }

    /// Returns the open ranges whose term began after the counter had the value `seen`.
    pub(crate) fn opened_after(&self, seen: u64) -> Vec<u16> {
        // With the lock, which `open` has until the term is stored.
        let ranges = self.ranges.lock();
        let opened = ranges
            .iter()
            .zip(0..)
            .filter(|(range, _)| range.term.is_some() && range.since > seen);
        opened.map(|(_, number)| number).collect()
    }

    /// Returns the number of open ranges.
    pub(super) fn open_ranges(&self) -> usize {
        self.ranges
            .lock()
            .iter()
            .filter(|range| range.term.is_some())
            .count()
    }

    /// Returns the number of all ranges.
    pub(super) fn ranges(&self) -> usize {
        usize::from(self.ring.ranges)
    }

    fn notify(&self) {
        self.changes.send_modify(|count| *count += 1);
    }
}

/// A running reconcile of an object of a range.
pub(crate) struct Entered {
    set: Arc<ShardSet>,
    range: u16,
    /// The term in which it may write.
    pub(crate) term: Term,
}

impl Drop for Entered {
    fn drop(&mut self) {
        if let Some(state) = self.set.ranges.lock().get_mut(usize::from(self.range)) {
            state.running -= 1;
        }
        self.set.notify();
    }
}
