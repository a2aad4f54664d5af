//! Which ranges this process reconciles at this moment, and which reconciles of each range run.
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use parking_lot::Mutex;
use tokio::{
    sync::watch,
    time::{Duration, timeout},
};

use super::ring::{Ring, ShardKey, hash};
use crate::{informer::Division, leader_election::Term};

/// The ranges of the ring, shared by the replica that holds their Leases and by the controllers that reconcile their objects.
pub(crate) struct ShardSet {
    key: ShardKey,
    ring: Ring,
    ranges: Mutex<Vec<Range>>,
    /// Number of caches that have the objects of this process's ranges alone.
    caches: AtomicUsize,
    /// Counts everything that controllers or a hand-over wait for.
    changes: watch::Sender<u64>,
}

#[derive(Default)]
struct Range {
    /// The term for which this process holds the range, until it hands it over.
    term: Option<Term>,
    /// The value of the counter when the term began.
    taken: u64,
    /// The caches that do not have the objects of the range yet.
    missing: BTreeSet<usize>,
    /// The value of the counter when reconciles could start.
    since: u64,
    /// Number of reconciles that run.
    running: usize,
}

impl Range {
    /// Returns the term while reconciles may start: the Lease is held, and the caches have the objects.
    fn open(&self) -> Option<&Term> {
        self.term.as_ref().filter(|_| self.missing.is_empty())
    }
}

impl ShardSet {
    pub(super) fn new(key: ShardKey, ring: Ring) -> Arc<Self> {
        let ranges = (0..ring.ranges).map(|_| Range::default()).collect();
        Arc::new(Self {
            key,
            ring,
            ranges: Mutex::new(ranges),
            caches: AtomicUsize::new(0),
            changes: watch::Sender::new(0),
        })
    }

    pub(super) fn key(&self) -> ShardKey {
        self.key
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
        let term = ranges.get(usize::from(range)).and_then(Range::open);
        term.is_some_and(Term::is_active)
    }

    /// Begins a reconcile of an object of the range, unless another process may reconcile it. It has ended when the returned value is dropped.
    pub(crate) fn enter(self: &Arc<Self>, range: u16) -> Option<Entered> {
        let mut ranges = self.ranges.lock();
        let state = ranges.get_mut(usize::from(range))?;
        let term = state.open().filter(|term| term.is_active())?.clone();
        state.running += 1;
        Some(Entered {
            set: Arc::clone(self),
            range,
            term,
        })
    }

    /// Lets reconciles of the range start, in the term for which its Lease is held, once the caches have its objects.
    pub(super) fn open(&self, range: u16, term: Term) {
        let mut ranges = self.ranges.lock();
        self.notify();
        if let Some(state) = ranges.get_mut(usize::from(range)) {
            state.term = Some(term);
            state.taken = *self.changes.borrow();
            state.since = state.taken;
            state.missing = (0..self.caches.load(Ordering::Acquire)).collect();
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
            .filter(|(range, _)| range.open().is_some() && range.since > seen);
        opened.map(|(_, number)| number).collect()
    }

    /// Returns the number of open ranges.
    pub(super) fn open_ranges(&self) -> usize {
        self.ranges
            .lock()
            .iter()
            .filter(|range| range.open().is_some())
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

impl Division for ShardSet {
    fn range_of(&self, uid: &str, namespace: &str) -> u16 {
        self.ring.range_of(hash(match self.key {
            ShardKey::Uid => uid,
            ShardKey::Namespace => namespace,
        }))
    }

    fn selector(&self, ranges: &BTreeSet<u16>) -> String {
        self.ring.selector(ranges, self.key)
    }

    /// Reconciles that end read the caches, too.
    fn wanted(&self) -> BTreeMap<u16, u64> {
        let ranges = self.ranges.lock();
        let numbered = (0..).zip(ranges.iter());
        numbered
            .filter(|(_, range)| range.term.is_some() || range.running > 0)
            .map(|(number, range)| (number, range.taken))
            .collect()
    }

    fn changes(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }

    fn add_cache(&self) -> usize {
        self.caches.fetch_add(1, Ordering::AcqRel)
    }

    fn loaded(&self, cache: usize, range: u16, taken: u64) {
        let mut ranges = self.ranges.lock();
        self.notify();
        if let Some(state) = ranges.get_mut(usize::from(range))
            && state.taken == taken
            && state.missing.remove(&cache)
            && state.missing.is_empty()
        {
            state.since = *self.changes.borrow();
        }
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
