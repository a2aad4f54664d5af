//! The state of one run: the server, the decisions, the log and what the oracles count.

mod around;
mod checks;
mod nodes;
mod pages;
mod points;
mod replicas;
mod rested;
mod snapshot;
mod steer;
mod truths;
mod view;

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use kube_codegen_testing::ApiServer;
use serde_json::Value;
use tokio::{
    sync::{Notify, mpsc},
    time::Instant,
};

use crate::{
    faults::Fault,
    judge::{Basis, Counts, Rested},
    names::Names,
    oracle::{AfterRestart, Failure},
    schedule::{Point, Schedule},
    settings::{Phase, Setup},
    timeline::{Entry, Happening, Rejection},
};
use around::Around;
use nodes::Nodes;
pub(crate) use nodes::Pods;
pub(crate) use pages::Asked;
use pages::Cut;
use replicas::Replica;
pub(crate) use steer::{Choice, Decide, Follow, Move, Steering};

/// A choice point that a run passed.
#[derive(Clone, Debug)]
pub(crate) struct Passed {
    pub(crate) point: Point,
    /// Of the workload.
    pub(crate) phase: usize,
    /// Whether a write changed the server.
    pub(crate) effect: bool,
    /// Of the response; 0 where there was none.
    pub(crate) status: u16,
    /// Why the server rejected it; only in a run without faults.
    pub(crate) rejection: Option<Rejection>,
    /// Whether only an Event or a Lease is written.
    pub(crate) report: bool,
    /// What a write created.
    pub(crate) child: Option<Child>,
    /// How a list or a watch asked for objects; only in a run without faults.
    pub(crate) asked: Option<Asked>,
}

/// An object that the operator has created.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Child {
    pub(crate) path: String,
    /// Whether the operator has set what [`Fault::Drift`] changes. What it has left to others, such as the replicas of a Deployment that an
    /// autoscaler sets, it need not put back.
    pub(crate) drifts: bool,
    pub(crate) is_owned: bool,
    /// Whether the cluster removes it when it has ended, so that it need not be put back.
    pub(crate) expires: bool,
}

impl Child {
    /// Returns the key of a Job in a state.
    pub(crate) fn key(&self) -> Option<String> {
        let (namespace, name) = self
            .path
            .strip_prefix("/apis/batch/v1/namespaces/")?
            .split_once("/jobs/")?;
        Some(format!("batch/Job {namespace}/{name}"))
    }

    /// Returns the plural of its kind.
    pub(crate) fn plural(&self) -> &str {
        self.path.rsplit('/').nth(1).unwrap_or_default()
    }
}

#[derive(Debug)]
pub(crate) struct Inner {
    decisions: HashMap<Point, Vec<Fault>>,
    /// The decisions, while no fault may happen.
    held: HashMap<Point, Vec<Fault>>,
    /// The lists whose second page is to expire.
    cuts: Vec<Cut>,
    occurrences: HashMap<Point, u32>,
    /// Requests that have failed in this phase, as far as the operator knows.
    failed: u32,
    /// The objects with fields that the operator may write at any time, without these.
    fixed: HashMap<String, Value>,
    replicas: Vec<Replica>,
    /// The last change, failure or restart; in the future while something is delayed.
    active: Instant,
    /// Requests in the current second, against loops that take no time.
    second: (u64, u32),
    /// Requests by object since the last change.
    requests: BTreeMap<String, u32>,
    /// Replica of each holder of a Lease.
    holders: HashMap<String, usize>,
    /// Status of each condition, and how often it has changed.
    conditions: HashMap<(String, String), (String, u32)>,
    generated: HashMap<String, String>,
    pub(crate) passed: Vec<Passed>,
    pub(crate) log: Vec<Entry>,
    pub(crate) counts: Counts,
    /// How often an object was created and collected at once, and the owner that it names.
    pub(super) collected: BTreeMap<String, (usize, String)>,
    /// How often the server has refused a write since the last change, and the last one with the reason.
    pub(super) refused: (u32, String),
    pub(crate) failure: Option<Failure>,
    /// Whether an event was hidden from the operator.
    hidden: bool,
    /// The namespaces whose objects the operator watches. An empty name means all namespaces.
    watched: BTreeSet<String>,
    /// The rest of the run is known.
    stopped: bool,
    /// Whether the run goes on after a failure, for an experiment.
    probes: bool,
    /// The phase of the last fault.
    struck: usize,
    /// The phase of the workload.
    pub(crate) phase: usize,
    pub(crate) applied: usize,
    /// Writes of the operator that changed the server, without reports.
    pub(crate) changes: usize,
    /// The last states of each object that the operator has written, the newest last, and how often; only with details.
    pub(super) versions: BTreeMap<String, (usize, Vec<Value>)>,
    /// The paths of requests for resources that the server does not have.
    pub(crate) unknown: BTreeSet<String>,
    /// Warning Events that the operator wrote; counted in runs without faults.
    pub(crate) warnings: usize,
    around: Around,
    truths: truths::Truths,
}

impl Inner {
    /// Returns the points of the decisions that found none.
    pub(crate) fn missed(&self) -> Vec<Point> {
        let left = self.decisions.keys().chain(self.held.keys());
        let cuts = self.cuts.iter().map(|cut| &cut.point);
        left.chain(cuts).cloned().collect()
    }
}

/// One run.
pub(crate) struct World {
    pub(crate) server: ApiServer,
    pub(crate) setup: Arc<Setup>,
    seed: u64,
    start: Instant,
    /// The virtual time before the start.
    before: Duration,
    /// Notifies the supervisor of each replica that its process has crashed.
    crashes: Vec<mpsc::UnboundedSender<()>>,
    /// Whether the timeline shows what the caches lack; this takes time.
    detailed: bool,
    /// Whether there is a timeline.
    logs: bool,
    /// Whether other runs are compared with this one.
    is_reference: bool,
    names: Names,
    /// Orders what happens; without it, latencies do.
    pub(crate) steering: Option<Steering>,
    /// Notified when the run ends before the end of the workload.
    pub(crate) ended: Notify,
    /// Notified when the nodes change.
    pub(crate) nodes_change: Notify,
    inner: Mutex<Inner>,
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
        let mut decisions: HashMap<Point, Vec<Fault>> = HashMap::new();
        for decision in &schedule.decisions {
            decisions
                .entry(decision.at.clone())
                .or_default()
                .push(decision.fault.clone());
        }
        let now = Instant::now();
        let server = before.map_or(&setup.server, |it| &it.server).fork();
        // Many requests are of users and faults.
        server.set_request_limit(0);
        if before.is_none() {
            server.set_seed(basis.seed);
        }
        Self {
            server,
            seed: schedule.seed,
            start: now,
            before: before.map_or(Duration::ZERO, |it| it.time),
            crashes,
            detailed: schedule.detailed,
            logs: schedule.detailed || setup.logs,
            is_reference: basis.reference.is_none(),
            names: basis.names.clone(),
            steering,
            ended: Notify::new(),
            nodes_change: Notify::new(),
            inner: Mutex::new(Inner {
                decisions,
                held: HashMap::new(),
                cuts: Vec::new(),
                occurrences: HashMap::new(),
                failed: 0,
                fixed: HashMap::new(),
                replicas: (0..setup.replicas).map(|_| Replica::default()).collect(),
                active: now,
                second: (0, 0),
                requests: BTreeMap::new(),
                holders: HashMap::new(),
                conditions: HashMap::new(),
                generated: before.map(|it| it.generated.clone()).unwrap_or_default(),
                passed: Vec::new(),
                log: Vec::new(),
                counts: before.map(|it| it.counts.clone()).unwrap_or_default(),
                collected: BTreeMap::new(),
                failure: None,
                hidden: false,
                watched: BTreeSet::new(),
                stopped: false,
                probes: false,
                struck: 0,
                phase: 0,
                applied: 0,
                changes: 0,
                versions: BTreeMap::new(),
                unknown: BTreeSet::new(),
                warnings: 0,
                refused: (0, String::new()),
                around: Around::default(),
                truths: BTreeMap::new(),
            }),
            setup,
        }
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn elapsed(&self) -> Duration {
        self.before + self.start.elapsed()
    }

    /// Adds what happens to the timeline, where one is kept.
    pub(crate) fn log(&self, what: impl FnOnce() -> Happening) {
        if !self.logs {
            return;
        }
        let (at, what) = (self.elapsed(), what());
        let mut inner = self.lock();
        // What happens later does not explain the failure.
        if inner.failure.is_none() {
            inner.log.push(Entry { at, what });
        }
    }

    /// Adds what a replica has sent or received, where the timelines of all runs are kept.
    pub(crate) fn verbatim(&self, replica: usize, bytes: &[u8]) {
        if self.setup.logs && !bytes.is_empty() {
            let text = String::from_utf8_lossy(bytes).into_owned();
            self.log(|| Happening::Bytes(self.name(replica), text));
        }
    }

    /// Records the first violation of an oracle that is switched on.
    pub(crate) fn fail(&self, failure: Failure) {
        if !self.is_checked(&failure) {
            return;
        }
        let mut inner = self.lock();
        if inner.failure.is_none() {
            inner.failure = Some(failure);
            self.ended.notify_one();
        }
    }

    /// Whether the oracle of a failure is switched on.
    pub(crate) fn is_checked(&self, failure: &Failure) -> bool {
        !self.setup.without.contains(&failure.oracle)
    }

    /// Ends the run: the rest is known.
    pub(crate) fn stop(&self) {
        self.lock().stopped = true;
        self.ended.notify_one();
    }

    /// Whether the run has ended before the end of the workload.
    pub(crate) fn has_ended(&self) -> bool {
        let inner = self.lock();
        !inner.probes && (inner.failure.is_some() || inner.stopped)
    }

    /// Begins or ends an experiment after a failure, of which the timeline shows nothing.
    pub(crate) fn probe(&self, begins: bool) {
        self.lock().probes = begins;
        self.hold_faults(begins);
    }

    /// Whether an experiment is worth its time: once, for the report.
    pub(crate) fn may_probe(&self) -> bool {
        let inner = self.lock();
        self.detailed && inner.failure.is_some() && !inner.stopped && self.steering.is_none()
    }

    /// Notes what an experiment has shown about the failure.
    pub(crate) fn note_probe(&self, shown: AfterRestart) {
        if let Some(failure) = &mut self.lock().failure {
            failure.after_restart = Some(shown);
        }
    }

    /// Whether all faults of the schedule have struck, before this phase.
    pub(crate) fn is_spent(&self, phase: usize) -> bool {
        let inner = self.lock();
        inner.decisions.is_empty() && inner.struck < phase && self.steering.is_none()
    }

    /// Whether a fault of the schedule has not happened yet.
    pub(crate) fn lacks_fault(&self) -> bool {
        !self.lock().decisions.is_empty()
    }

    /// Returns a hash of the objects of the server.
    pub(crate) fn server_hash(&self) -> u64 {
        let hashes = self.server.filter_map(|object| Some(steer::hash(object)));
        hashes.iter().fold(0, |all, hash| all.rotate_left(5) ^ hash)
    }

    pub(crate) fn has_failed_requests(&self) -> bool {
        self.lock().failed > 0
    }

    pub(crate) fn has_hidden_events(&self) -> bool {
        self.lock().hidden
    }

    /// Notes that the operator may never see an event: that an object was there, or that it is gone.
    pub(crate) fn hides_events(&self) {
        self.lock().hidden = true;
    }

    /// Notes a request for a resource that the server does not have. Discovery of what may be absent is none.
    pub(crate) fn lacks_resource(&self, path: &str) {
        let parts: Vec<&str> = path.trim_matches('/').split('/').collect();
        let is_resource = matches!(parts.as_slice(), ["api", _, _, ..] | ["apis", _, _, _, ..]);
        if is_resource {
            self.lock().unknown.insert(path.to_owned());
        }
    }

    /// Notes that a request has failed, as far as the operator knows.
    pub(crate) fn fails_request(&self) {
        self.lock().failed += 1;
    }

    /// Returns what decides how the run goes on, besides the server and the operator.
    pub(crate) fn progress(&self) -> (usize, bool) {
        let inner = self.lock();
        (
            inner.phase,
            inner.replicas.iter().any(|it| it.stale.is_some()),
        )
    }

    pub(crate) fn touch(&self) {
        self.busy(Duration::ZERO);
        self.note_truths();
    }

    /// The run is not at rest before this time has passed.
    pub(crate) fn busy(&self, time: Duration) {
        let until = Instant::now() + time;
        let mut inner = self.lock();
        inner.active = inner.active.max(until);
        inner.requests.clear();
    }

    pub(crate) fn active(&self) -> Instant {
        self.lock().active
    }

    /// Returns the requests by object since the last change.
    pub(crate) fn take_requests(&self) -> BTreeMap<String, u32> {
        std::mem::take(&mut self.lock().requests)
    }

    /// The user acts: conditions may change.
    pub(crate) fn begin_phase(&self, index: usize, phases: &[Phase]) {
        let is_hopeless = |index: usize| phases.get(index).is_some_and(|phase| phase.hopeless);
        let mut inner = self.lock();
        inner.conditions.clear();
        inner.around.fired.clear();
        inner.around.is_hopeless = is_hopeless(index);
        // The operator may wait before it tries again what it could not do.
        inner.failed = index.checked_sub(1).is_some_and(is_hopeless).into();
        inner.phase = index;
        drop(inner);
        let name = phases.get(index).map(|phase| phase.name.clone());
        self.log(|| Happening::Phase {
            index,
            name: name.unwrap_or_default(),
        });
    }
}
