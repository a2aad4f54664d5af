//! The world of one run: the server, and what is around the operator.
//!
//! Each part has its own state behind its own lock, and knows none of the others: the [`Clock`] says what time it is, the [`Link`] which faults are still
//! to happen and what passes, the [`History`] what has happened, the [`Judge`] what was wrong, the replicas which processes run, and `around` what others
//! do. What concerns several of them is a method of [`World`].

mod answered;
mod around;
mod clock;
mod history;
mod judge;
mod link;
mod nodes;
mod outside;
mod replicas;
mod snapshot;
mod steer;
mod view;

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use kube_codegen_testing::ApiServer;
use tokio::sync::{Notify, mpsc};

use crate::{
    faults::Fault,
    judge::{Basis, Rested},
    names::Names,
    oracles::{AtRest, End, Failure, Run},
    schedule::{Point, Schedule},
    settings::Setup,
    timeline::{Entry, Happening},
    workload::Phase,
};
use around::Around;
use clock::Clock;
use history::History;
pub(crate) use history::{Asked, Child, Passed};
use judge::Judge;
use link::Link;
use nodes::Nodes;
pub(crate) use nodes::Pods;
use outside::Outsides;
pub(super) use outside::look_before_time_passes;
use replicas::Replicas;
pub(crate) use steer::{Choice, Decide, Follow, Move, Steering};

/// One run.
pub(crate) struct World {
    pub(crate) server: ApiServer,
    pub(crate) setup: Arc<Setup>,
    pub(crate) clock: Clock,
    pub(crate) link: Link,
    pub(crate) history: History,
    pub(crate) judge: Judge,
    pub(crate) replicas: Replicas,
    around: Mutex<Around>,
    outside: Mutex<Outsides>,
    /// Whether the timeline shows what the caches lack; this takes time.
    detailed: bool,
    /// Whether there is a timeline.
    logs: bool,
    /// Whether other runs are compared with this one.
    is_reference: bool,
    names: Names,
    /// Orders what happens; without it, latencies do.
    pub(crate) steering: Option<Steering>,
    /// Notified when the nodes change.
    pub(crate) nodes_change: Notify,
}

impl World {
    pub(crate) fn new(
        setup: Arc<Setup>,
        schedule: &Schedule,
        basis: Basis<'_>,
        before: Option<&Rested>,
        crashes: Vec<mpsc::UnboundedSender<()>>,
        steering: Option<Steering>,
    ) -> Self {
        let server = before.map_or(&setup.server, |it| &it.server).fork();
        // Many requests are of users and faults.
        server.set_request_limit(0);
        if before.is_none() {
            server.set_seed(basis.seed);
        }
        let (counts, generated) = before
            .map(|it| (it.counts.clone(), it.generated.clone()))
            .unwrap_or_default();
        Self {
            server,
            clock: Clock::new(before.map_or(Duration::ZERO, |it| it.time)),
            link: Link::new(schedule.seed, &schedule.decisions),
            history: History::after(counts, generated),
            judge: Judge::new(&setup.demands),
            replicas: Replicas::new(crashes),
            around: Mutex::default(),
            outside: Mutex::default(),
            detailed: schedule.detailed,
            logs: schedule.detailed || setup.logs,
            is_reference: basis.reference.is_none(),
            names: basis.names.clone(),
            steering,
            nodes_change: Notify::new(),
            setup,
        }
    }

    fn around(&self) -> MutexGuard<'_, Around> {
        self.around.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The run as oracles see it.
    fn run(&self) -> Run<'_> {
        Run {
            demands: &self.setup.demands,
            own: &self.setup.own,
            replicas: self.setup.replicas,
            server: &self.server,
            phase: self.history.phase(),
            is_hopeless: self.is_hopeless(),
            is_detailed: self.detailed,
        }
    }

    /// Adds what happens to the timeline, where one is kept.
    pub(crate) fn log(&self, what: impl FnOnce() -> Happening) {
        if !self.logs {
            return;
        }
        let what = what();
        // What is done outside of the cluster has been done before, but what a user does there follows.
        let is_user = matches!(what, Happening::User(_));
        if !is_user {
            self.look_outside();
        }
        self.push(what);
        if is_user {
            self.look_outside();
        }
    }

    fn push(&self, what: Happening) {
        let at = self.clock.elapsed();
        // What happens later does not explain the failure.
        if self.judge.found().is_none() {
            self.history.lock().log.push(Entry { at, what });
        }
    }

    /// Adds what a replica has sent or received, where the timelines of all runs are kept.
    pub(crate) fn verbatim(&self, replica: usize, bytes: &[u8]) {
        if self.setup.logs && !bytes.is_empty() {
            let text = String::from_utf8_lossy(bytes).into_owned();
            self.log(|| Happening::Bytes(self.name(replica), text));
        }
    }

    /// Returns what does not hold at rest.
    pub(crate) fn broken(&self, rest: &AtRest<'_>) -> Vec<Failure> {
        self.judge.rested(&self.run(), rest)
    }

    /// Judges a run with faults as a whole.
    pub(crate) fn ends(&self, end: &End<'_>) {
        self.judge.ends(&self.run(), end);
    }

    /// Ends the run: the rest is known.
    pub(crate) fn stop(&self) {
        self.judge.stop();
    }

    /// Whether the run has ended before the end of the workload.
    pub(crate) fn has_ended(&self) -> bool {
        self.judge.has_ended()
    }

    /// Begins or ends an experiment after a failure, of which the timeline shows nothing.
    pub(crate) fn probe(&self, begins: bool) {
        self.judge.probe(begins);
        self.link.hold_faults(begins);
    }

    /// Whether an experiment is worth its time: once, for the report.
    pub(crate) fn may_probe(&self) -> bool {
        self.detailed && self.steering.is_none() && self.judge.may_probe()
    }

    /// Whether all faults of the schedule have struck, before this phase.
    pub(crate) fn is_spent(&self, phase: usize) -> bool {
        self.steering.is_none() && self.link.is_spent(phase)
    }

    /// Returns a hash of the objects of the server.
    pub(crate) fn server_hash(&self) -> u64 {
        let hashes = self.server.filter_map(|object| Some(steer::hash(object)));
        hashes.iter().fold(0, |all, hash| all.rotate_left(5) ^ hash)
    }

    /// Returns what decides how the run goes on, besides the server and the operator.
    pub(crate) fn progress(&self) -> (usize, bool) {
        (self.history.phase(), self.replicas.are_stale())
    }

    /// Notes a change that the operator may react to.
    pub(crate) fn touch(&self) {
        self.busy(Duration::ZERO);
        self.judge.changed(&self.run());
    }

    /// The run is not at rest before this time has passed.
    pub(crate) fn busy(&self, time: Duration) {
        self.clock.busy(time);
        self.link.forget_requests();
    }

    /// Notes what is there when the run begins.
    pub(crate) fn begin(self: &Arc<Self>) {
        self.begin_outside();
        self.judge.begins(&self.run());
    }

    /// The user acts.
    pub(crate) fn begin_phase(&self, index: usize, phases: &[Phase]) {
        let is_hopeless = |index: usize| phases.get(index).is_some_and(|phase| phase.hopeless);
        self.around().begin_phase(is_hopeless(index));
        let after_hopeless = index.checked_sub(1).is_some_and(is_hopeless);
        self.link.begin_phase(after_hopeless);
        self.history.lock().phase = index;
        self.judge.begins_phase(&self.run());
        let name = phases.get(index).map(|phase| phase.name.clone());
        self.log(|| Happening::Phase {
            index,
            name: name.unwrap_or_default(),
        });
    }

    /// Returns the faults that can happen at a move.
    pub(crate) fn faults_at(&self, next: &Move) -> Vec<Fault> {
        if next.answer || next.point.replica >= self.setup.replicas {
            return Vec::new();
        }
        Fault::enumerated(next.point.kind())
    }

    /// Counts an arrival at a choice point, whose occurrence is not known yet, and returns the point with what is decided there.
    pub(crate) fn arrive(&self, mut point: Point, report: bool) -> (Point, Vec<Fault>) {
        self.generalize(&mut point);
        let faults = self.link.arrive(&mut point, self.history.phase());
        self.history.passes(&point, report);
        for fault in &faults {
            self.show(&point, fault);
        }
        (point, faults)
    }

    /// Puts `*` in the place of what differs from run to run: the names of Events contain a time.
    fn generalize(&self, point: &mut Point) {
        let general = match point.place.rsplit_once('.') {
            Some((object, _)) if point.resource == "events" => Some(format!("{object}.*")),
            _ => self.names.general(&point.place),
        };
        if let Some(place) = general {
            point.place = place;
        }
    }

    fn show(&self, point: &Point, fault: &Fault) {
        self.log(|| Happening::Fault {
            fault: fault.clone(),
            at: point.clone(),
        });
        self.touch();
    }

    /// Shows a fault that was decided at the turn of a point.
    pub(crate) fn strike(&self, point: &Point, fault: &Fault) {
        self.link.strike();
        self.show(point, fault);
    }

    /// Returns what the run has led to so far, for runs that begin with it.
    pub(crate) fn rested(&self) -> Rested {
        let generated: HashMap<_, _> = self.history.lock().generated.clone();
        Rested {
            server: self.server.fork(),
            time: self.clock.elapsed(),
            counts: self.history.counts(),
            occurrences: self.link.occurrences(),
            generated,
            outside: self.outside(),
        }
    }
}
