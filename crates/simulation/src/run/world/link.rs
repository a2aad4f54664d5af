//! What passes between the operator and the server: which faults are still to happen, and how often each thing has happened.

use std::{
    collections::{BTreeMap, HashMap},
    hash::Hasher as _,
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use fnv::FnvHasher;

use crate::{
    faults::Fault,
    request::Seen,
    schedule::{Decision, Point},
};

/// A list whose second page is to expire, and that is still to come.
struct Cut {
    replica: usize,
    resource: String,
    /// Of the fault.
    point: Point,
}

#[derive(Default)]
struct Inner {
    decisions: HashMap<Point, Vec<Fault>>,
    /// The decisions, while no fault may happen.
    held: HashMap<Point, Vec<Fault>>,
    cuts: Vec<Cut>,
    /// How many decisions found their point.
    applied: usize,
    /// The phase of the last fault.
    struck: usize,
    occurrences: HashMap<Point, u32>,
    /// Requests that have failed in this phase, as far as the operator knows.
    failed: u32,
    /// Whether an event was hidden from the operator.
    hidden: bool,
    /// Requests in the current second, against loops that take no time.
    second: (u64, u32),
    /// Requests by object since the last change.
    requests: BTreeMap<String, u32>,
}

pub(crate) struct Link {
    seed: u64,
    inner: Mutex<Inner>,
}

impl Link {
    pub(super) fn new(seed: u64, decided: &[Decision]) -> Self {
        let mut inner = Inner::default();
        for Decision { at, fault } in decided {
            let faults = inner.decisions.entry(at.clone()).or_default();
            faults.push(fault.clone());
        }
        Self {
            seed,
            inner: Mutex::new(inner),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts an arrival at a choice point, whose occurrence is not known yet, and returns what is decided there.
    pub(super) fn arrive(&self, point: &mut Point, phase: usize) -> Vec<Fault> {
        let mut inner = self.lock();
        let occurrence = inner.occurrences.entry(point.clone()).or_default();
        *occurrence += 1;
        point.occurrence = *occurrence;
        let faults = inner.decisions.remove(point).unwrap_or_default();
        let now = faults.iter().filter(|it| !it.act().happens_later());
        inner.applied += now.count();
        if !faults.is_empty() {
            inner.struck = phase;
        }
        faults
    }

    /// Notes a fault that was decided at the turn of a point.
    pub(super) fn strike(&self) {
        self.lock().applied += 1;
    }

    /// Holds back the faults that have not happened yet, or lets them happen again.
    pub(crate) fn hold_faults(&self, hold: bool) {
        let inner = &mut *self.lock();
        if hold {
            inner.held = std::mem::take(&mut inner.decisions);
        } else {
            inner.decisions = std::mem::take(&mut inner.held);
        }
    }

    /// Returns how many decisions found their point.
    pub(crate) fn applied(&self) -> usize {
        self.lock().applied
    }

    /// Returns the points of the decisions that found none.
    pub(crate) fn missed(&self) -> Vec<Point> {
        let inner = self.lock();
        let left = inner.decisions.keys().chain(inner.held.keys());
        let cuts = inner.cuts.iter().map(|cut| &cut.point);
        left.chain(cuts).cloned().collect()
    }

    /// Whether all faults of the schedule have struck, before this phase.
    pub(super) fn is_spent(&self, phase: usize) -> bool {
        let inner = self.lock();
        inner.decisions.is_empty() && inner.struck < phase
    }

    /// Whether a fault of the schedule has not happened yet.
    pub(crate) fn lacks_fault(&self) -> bool {
        !self.lock().decisions.is_empty()
    }

    /// How often each thing has happened.
    pub(super) fn occurrences(&self) -> HashMap<Point, u32> {
        self.lock().occurrences.clone()
    }

    /// Numbers the choice points as in the run that this one continues.
    pub(crate) fn count_from(&self, occurrences: &HashMap<Point, u32>) {
        self.lock().occurrences.clone_from(occurrences);
    }

    /// Returns a delay that depends on the seed and the point only: 0 to 3 ms.
    pub(crate) fn latency(&self, point: &Point, salt: u64) -> Duration {
        let key = self.seed ^ salt.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let mut hash = FnvHasher::with_key(key);
        let number = u64::from(point.occurrence) + point.replica as u64 * 1000;
        hash.write(point.what().to_string().as_bytes());
        hash.write(&number.to_le_bytes());
        Duration::from_millis((hash.finish() >> 32) & 3)
    }

    /// Notes that a request has failed, as far as the operator knows.
    pub(crate) fn fails_request(&self) {
        self.lock().failed += 1;
    }

    pub(crate) fn has_failed_requests(&self) -> bool {
        self.lock().failed > 0
    }

    /// Notes that the operator may never see an event: that an object was there, or that it is gone.
    pub(crate) fn hides_events(&self) {
        self.lock().hidden = true;
    }

    pub(crate) fn has_hidden_events(&self) -> bool {
        self.lock().hidden
    }

    /// Forgets the failures of the phase before; after a `hopeless` one, the operator may wait before it tries again what it could not do.
    pub(super) fn begin_phase(&self, after_hopeless: bool) {
        self.lock().failed = after_hopeless.into();
    }

    /// Counts a request in this second, and one for an object while nothing changes. Returns how many there were in this second.
    pub(super) fn count(&self, second: u64, object: Option<String>) -> u32 {
        let mut inner = self.lock();
        if inner.second.0 != second {
            inner.second = (second, 0);
        }
        inner.second.1 += 1;
        if let Some(object) = object {
            *inner.requests.entry(object).or_default() += 1;
        }
        inner.second.1
    }

    /// Forgets the requests by object: something has changed.
    pub(super) fn forget_requests(&self) {
        self.lock().requests.clear();
    }

    /// Takes the requests by object since the last change.
    pub(crate) fn take_requests(&self) -> BTreeMap<String, u32> {
        std::mem::take(&mut self.lock().requests)
    }

    /// Lets the next list of a resource have pages of one object, the second of which expires.
    pub(crate) fn cut_list(&self, replica: usize, resource: &str, point: &Point) {
        self.lock().cuts.push(Cut {
            replica,
            resource: resource.to_owned(),
            point: point.clone(),
        });
    }

    /// Returns the path and the query of a list with pages of one object, if its second page is to expire.
    pub(crate) fn cut(&self, replica: usize, seen: &Seen) -> Option<String> {
        let inner = self.lock();
        let is_this = |cut: &Cut| cut.replica == replica && cut.resource == seen.resource;
        inner.cuts.iter().find(|cut| is_this(cut))?;
        seen.with_small_pages()
    }

    /// Notes that the second page of a list has expired.
    pub(crate) fn has_cut(&self, replica: usize, seen: &Seen) {
        let mut inner = self.lock();
        let is_other = |cut: &Cut| cut.replica != replica || cut.resource != seen.resource;
        let before = inner.cuts.len();
        inner.cuts.retain(is_other);
        inner.applied += before - inner.cuts.len();
    }
}
