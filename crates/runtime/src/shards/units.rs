//! What one replica holds, and the hand-over of ranges between replicas.
//!
//! The old holder of a range starts no more reconciles of its objects, waits for those that run, ends the term, and frees the Lease; only then the
//! next one takes it.
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use futures::{
    StreamExt,
    future::{BoxFuture, FutureExt},
    stream::FuturesUnordered,
};
use tokio::{
    sync::watch,
    time::{Duration, Instant, sleep, sleep_until},
};
use tracing::{debug, info, warn};

use super::{
    leases::{Leases, Unit},
    replicas::Replicas,
    set::ShardSet,
};
use crate::{
    client::describe,
    informer::{SharedInformer, is_earlier},
    leader_election::{AttemptError, LeaderStatus, Lease, TermControl},
};

/// The units of one replica.
pub(super) struct Units {
    pub(super) leases: Leases,
    pub(super) informer: SharedInformer<Lease>,
    pub(super) set: Arc<ShardSet>,
    pub(super) leader: Arc<TermControl>,
    pub(super) status: LeaderStatus,
    pub(super) timing: Timing,
    held: BTreeMap<Unit, HeldUnit>,
    /// Being taken, or handed over.
    moving: BTreeMap<Unit, Move>,
    moves: FuturesUnordered<BoxFuture<'static, Done>>,
    /// What has failed, or was handed over.
    paused: BTreeMap<Unit, Pause>,
    replicas: Replicas,
}

/// The durations of a replica.
#[derive(Clone, Copy)]
pub(super) struct Timing {
    pub(super) retry_period: Duration,
    /// How long a replica may go without a renewal, whatever its Lease says.
    pub(super) longest_lease: Duration,
    /// How long a write may be on its way.
    pub(super) longest_way: Duration,
    /// How long the reconciles of a range may take to end.
    pub(super) grace_period: Duration,
}

/// How long a unit is not taken: until the time has come, or its Lease is another than this.
struct Pause {
    until: Instant,
    version: Option<String>,
}

struct HeldUnit {
    control: Arc<TermControl>,
    /// The resource version with which the Lease was taken.
    version: String,
    /// Whether the cache has shown the Lease since.
    is_seen: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Move {
    Give,
    Take,
}

/// The end of a request, or of a hand-over.
enum Done {
    Given(Unit),
    Taken(Unit, Result<Option<String>, AttemptError>),
    Other(Result<(), AttemptError>),
}

impl Units {
    pub(super) fn new(
        leases: Leases,
        informer: SharedInformer<Lease>,
        set: Arc<ShardSet>,
        leader: Arc<TermControl>,
        status: LeaderStatus,
        timing: Timing,
    ) -> Self {
        Self {
            leases,
            informer,
            set,
            leader,
            status,
            timing,
            held: BTreeMap::new(),
            moving: BTreeMap::new(),
            moves: FuturesUnordered::new(),
            paused: BTreeMap::new(),
            replicas: Replicas::new(timing.retry_period, timing.longest_lease),
        }
    }

    /// Takes and hands over until the Lease of the leader is lost. Returns why. The terms end at `until`, which is later with each renewal.
    pub(super) async fn run(&mut self, mut until: watch::Receiver<Instant>) -> String {
        let mut events = self.informer.events();
        if self.informer.wait_synced().await.is_err() {
            return "the watch of the leases has ended".to_owned();
        }
        loop {
            let end = *until.borrow_and_update();
            if let Some(reason) = self.drop_lost() {
                return reason;
            }
            for held in self.held.values() {
                held.control.lead(end, None);
            }
            let next = self.round(end);
            tokio::select! {
                biased;
                Some(done) = self.moves.next(), if !self.moves.is_empty() => self.finish(done, end),
                _ = until.changed() => {}
                Some(_) = events.next() => {
                    // What else has arrived belongs to the same round.
                    while events.next().now_or_never().flatten().is_some() {}
                }
                () = sleep_until(next) => {}
            }
        }
    }

    /// Ends everything. Returns when the last write was sent that the server may still execute.
    pub(super) fn end(&mut self) -> Option<Instant> {
        self.moves.clear();
        self.moving.clear();
        self.leader.end();
        self.status.set_leader(false);
        let mut unanswered = self.leader.last_unanswered();
        for (unit, held) in std::mem::take(&mut self.held) {
            self.close(unit);
            held.control.end();
            unanswered = unanswered.max(held.control.last_unanswered());
        }
        unanswered
    }

    /// Starts what the Leases of the cache demand. Returns when to look again.
    fn round(&mut self, end: Instant) -> Instant {
        let now = Instant::now();
        let (view, leader, replicas) = self.leases.view(&self.informer.lister().all());
        let (expired, expiry) = self.replicas.expired(&replicas, now);
        for lease in expired {
            self.clear(lease);
        }
        let next = expiry.min(now + self.timing.retry_period);
        if now >= end {
            return next;
        }
        self.status.observe(leader.as_deref().unwrap_or_default());
        let is_led = leader.is_some_and(|leader| {
            leader != self.status.identity() && view.replicas.contains(&leader)
        });
        if !is_led && !self.held.contains_key(&Unit::Leader) {
            self.take(Unit::Leader, now);
        }
        let own = self.own_ranges();
        let moves = view.moves(self.status.identity(), &own);
        for range in moves.give {
            self.give(range);
        }
        for range in moves.take {
            self.take(Unit::Range(range), now);
        }
        next
    }

    /// Frees the Lease of a replica that does not renew it any more, or deletes a free one.
    fn clear(&self, lease: Arc<Lease>) {
        if lease.holder() == Some(self.status.identity()) {
            return;
        }
        info!(
            lease = lease.metadata.name,
            holder = lease.holder(),
            "the lease of a replica has expired"
        );
        let leases = self.leases.clone();
        let done = async move {
            Done::Other(match lease.holder() {
                Some(_) => leases.evict(&lease).await,
                None => leases.delete(&lease).await,
            })
        };
        self.moves.push(done.boxed());
    }

    /// The ranges that this replica holds or is about to take, without those that it hands over.
    fn own_ranges(&self) -> BTreeSet<u16> {
        let held = self
            .held
            .keys()
            .filter(|unit| self.moving.get(unit) != Some(&Move::Give));
        let taken = self
            .moving
            .iter()
            .filter(|(_, to)| **to == Move::Take)
            .map(|(unit, _)| unit);
        let range = |unit: &Unit| match unit {
            Unit::Range(range) => Some(*range),
            Unit::Leader => None,
        };
        held.chain(taken).filter_map(range).collect()
    }

    fn take(&mut self, unit: Unit, now: Instant) {
        if self.moving.contains_key(&unit) {
            return;
        }
        if let Some(pause) = self.paused.get(&unit)
            && now < pause.until
            && pause.version == self.version(unit)
        {
            return;
        }
        self.moving.insert(unit, Move::Take);
        let leases = self.leases.clone();
        self.moves
            .push(async move { Done::Taken(unit, leases.take(unit).await) }.boxed());
    }

    /// Does not take the unit for a while, unless another replica writes to its Lease.
    fn pause(&mut self, unit: Unit) {
        let pause = Pause {
            until: Instant::now() + self.timing.retry_period,
            version: self.version(unit),
        };
        self.paused.insert(unit, pause);
    }

    /// Returns the resource version of the Lease in the cache.
    fn version(&self, unit: Unit) -> Option<String> {
        let lease = self.informer.find(&self.leases.key(unit))?;
        lease.metadata.resource_version.clone()
    }

    fn give(&mut self, range: u16) {
        let unit = Unit::Range(range);
        let Some(held) = self.held.get(&unit) else {
            return;
        };
        if self.moving.insert(unit, Move::Give).is_some() {
            return;
        }
        info!(lease = self.leases.unit(unit), "handing the range over");
        self.set.close(range);
        let (set, leases, control, timing) = (
            Arc::clone(&self.set),
            self.leases.clone(),
            Arc::clone(&held.control),
            self.timing,
        );
        let given = async move {
            set.drained(range, timing.grace_period).await;
            control.end();
            // Reconciles are dropped at the end of the term. One that blocks its thread keeps the range.
            set.drained(range, Duration::MAX).await;
            if let Some(sent) = control.last_unanswered() {
                sleep_until(sent + timing.longest_way).await;
            }
            while let Err(error) = leases.release(unit).await {
                warn!(
                    lease = leases.unit(unit),
                    "cannot release the lease: {}",
                    describe(&error)
                );
                sleep(timing.retry_period).await;
            }
            Done::Given(unit)
        };
        self.moves.push(given.boxed());
    }

    fn finish(&mut self, done: Done, end: Instant) {
        match done {
            Done::Given(unit) => {
                self.moving.remove(&unit);
                self.held.remove(&unit);
                self.pause(unit);
            }
            Done::Taken(unit, result) => {
                self.moving.remove(&unit);
                match result {
                    Ok(Some(version)) => self.hold(unit, version, end),
                    // Its Lease in the cache will say who holds it.
                    Ok(None) => self.pause(unit),
                    Err(error) => {
                        debug!(
                            lease = self.leases.unit(unit),
                            "cannot take the lease: {}",
                            describe(&error)
                        );
                        self.pause(unit);
                    }
                }
            }
            Done::Other(Ok(())) => {}
            Done::Other(Err(error)) => {
                debug!("cannot free the lease of a replica: {}", describe(&error));
            }
        }
    }

    fn hold(&mut self, unit: Unit, version: String, end: Instant) {
        let lease = self.leases.unit(unit);
        let control = match unit {
            Unit::Leader => Arc::clone(&self.leader),
            Unit::Range(_) => Arc::new(TermControl::new(&lease)),
        };
        control.lead(end, version.parse().ok());
        info!(lease, "took the lease");
        match unit {
            Unit::Leader => self.status.set_leader(true),
            Unit::Range(range) => self.set.open(range, control.term()),
        }
        let held = HeldUnit {
            control,
            version,
            is_seen: false,
        };
        self.held.insert(unit, held);
    }

    /// Ends the terms of Leases that another program has changed or deleted. Returns why if it is the leader's.
    fn drop_lost(&mut self) -> Option<String> {
        let mut lost = Vec::new();
        for (unit, held) in &mut self.held {
            match self.informer.find(&self.leases.key(*unit)) {
                None if held.is_seen => lost.push(*unit),
                None => {}
                Some(lease) => {
                    let version = lease
                        .metadata
                        .resource_version
                        .as_deref()
                        .unwrap_or_default();
                    if is_earlier(version, &held.version) {
                        continue;
                    }
                    held.is_seen = true;
                    let is_given = self.moving.get(unit) == Some(&Move::Give);
                    if lease.holder() != Some(self.status.identity()) && !is_given {
                        lost.push(*unit);
                    }
                }
            }
        }
        for unit in &lost {
            warn!(lease = self.leases.unit(*unit), "the lease was taken away");
            self.close(*unit);
            if let Some(held) = self.held.remove(unit) {
                held.control.end();
            }
        }
        lost.contains(&Unit::Leader)
            .then(|| "it was taken away".to_owned())
    }

    fn close(&self, unit: Unit) {
        match unit {
            Unit::Leader => self.status.set_leader(false),
            Unit::Range(range) => self.set.close(range),
        }
    }
}
