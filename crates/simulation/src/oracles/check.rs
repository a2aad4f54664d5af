//! [`Check`]: what an oracle is to a run, and what it sees.

use std::{collections::BTreeMap, sync::Arc};

use kube_codegen_testing::ApiServer;
use serde_json::Value;

use super::{
    demands::Demands,
    violation::{Rejected, Violation},
};
use crate::{
    judge::{Counts, Reference},
    point::{Point, PointKind},
    request::Seen,
    schedule::Schedule,
    state::State,
    timeline::Rejection,
    workload::Workload,
};

/// An oracle: observes a run and reports violations. Each run has its own instance, so an oracle can remember what it has seen.
///
/// Add yours with [`Simulation::oracle`](crate::Simulation::oracle). All methods have a default that reports nothing. The run ends with
/// the first violation.
pub trait Check: Send {
    /// Called at the start of a run. The server already holds the objects that exist before the operator starts.
    fn begins(&mut self, _run: &Run<'_>) {}

    /// Called at the start of a phase of the workload, before the user acts.
    fn begins_phase(&mut self, _run: &Run<'_>) {}

    /// Called when something may have changed, because a user, a controller of the cluster or the operator has written.
    fn changed(&mut self, _run: &Run<'_>) {}

    /// Called when the server has answered a request of the operator, which may not have received the response yet.
    fn answered(&mut self, _run: &Run<'_>, _answer: &Answer<'_>) -> Vec<Violation> {
        Vec::new()
    }

    /// Called when the operator is at rest after a phase. This can happen several times, until the operator has had time to correct what
    /// is wrong.
    fn rested(&self, _run: &Run<'_>, _rest: &AtRest<'_>) -> Vec<Violation> {
        Vec::new()
    }

    /// Called after all phases.
    fn ended(&self, _run: &Run<'_>, _end: &End<'_>) -> Vec<Violation> {
        Vec::new()
    }

    /// Called for everything else that happens, such as the end of a process.
    #[doc(hidden)]
    fn noticed(&self, _notice: &Notice<'_>) -> Option<Violation> {
        None
    }
}

/// Makes an oracle for a run.
pub(crate) type MakeCheck = Arc<dyn Fn() -> Box<dyn Check> + Send + Sync>;

/// A run, as oracles see it.
pub struct Run<'a> {
    pub(crate) demands: &'a Demands,
    /// The oracles of the test, each with its name.
    pub(crate) own: &'a [(String, MakeCheck)],
    pub(crate) replicas: usize,
    pub(crate) server: &'a ApiServer,
    pub(crate) phase: usize,
    pub(crate) is_hopeless: bool,
    /// Whether the run is the one for the report.
    pub(crate) is_detailed: bool,
}

impl Run<'_> {
    /// Returns the server, with its current objects.
    pub fn server(&self) -> &ApiServer {
        self.server
    }

    /// Returns the current phase of the workload, from 0.
    pub fn phase(&self) -> usize {
        self.phase
    }

    /// Whether the operator cannot do its work in this phase, for example because no write is permitted.
    pub fn is_hopeless(&self) -> bool {
        self.is_hopeless
    }
}

/// A request of the operator, and the server's response.
pub struct Answer<'a> {
    pub(crate) point: &'a Point,
    pub(crate) seen: &'a Seen,
    pub(crate) status: u16,
    pub(crate) effect: bool,
    pub(crate) rejection: Option<&'a Rejection>,
    pub(crate) object: &'a Value,
    /// The object by its kind and its place, without what differs from run to run; of creates and deletes.
    pub(crate) key: &'a str,
    /// Whether it writes what the operator may write at any time.
    pub(crate) is_free: bool,
    /// Whether the object that was created is collected at once.
    pub(crate) is_collected: bool,
}

impl Answer<'_> {
    /// Returns the request: its replica, verb, resource and place.
    pub fn point(&self) -> &Point {
        self.point
    }

    /// Returns the HTTP status of the response.
    pub fn status(&self) -> u16 {
        self.status
    }

    /// Whether this was a write that changed an object.
    pub fn has_effect(&self) -> bool {
        self.effect
    }

    /// Returns the object in the response if this was an accepted write, or null otherwise.
    pub fn object(&self) -> &Value {
        self.object
    }

    /// Whether it writes something other than Events and Leases.
    pub(crate) fn is_write(&self) -> bool {
        self.point.kind() == PointKind::Write && !self.seen.is_report()
    }

    /// Whether it has changed something that counts as a change.
    pub(crate) fn is_change(&self) -> bool {
        let is_accepted = self.effect && self.status < 300;
        self.is_write() && is_accepted && !self.is_collected && !self.is_free
    }

    /// Whether it has created an object.
    pub(crate) fn has_created(&self) -> bool {
        self.is_write() && self.status == 201 && self.effect
    }
}

/// The state of the cluster when the operator is at rest.
pub struct AtRest<'a> {
    pub(crate) workload: &'a Workload,
    pub(crate) schedule: &'a Schedule,
    /// `None` in a run without faults.
    pub(crate) reference: Option<&'a Reference>,
    /// After each phase before.
    pub(crate) states: &'a [Option<Arc<State>>],
    pub(crate) current: &'a State,
    /// Without what was there before the operator and that this run has not touched.
    pub(crate) judged: &'a State,
    /// The state before the operator and the users.
    pub(crate) before: &'a dyn Fn() -> State,
    /// Objects of others, by their keys.
    pub(crate) strangers: BTreeMap<String, Value>,
    /// What others have set in the metadata of objects, by their keys.
    pub(crate) marks: BTreeMap<String, Value>,
    pub(crate) has_failed_requests: bool,
    /// Whether an object is of a namespace in which the operator watches its objects.
    pub(crate) is_in_reach: &'a dyn Fn(&Value) -> bool,
    /// Whether the answer is the last one about this phase.
    pub(crate) is_final: bool,
}

impl AtRest<'_> {
    /// Returns all objects by group, kind and place, such as `apps/Deployment default/a`. Values that differ from run to run are removed:
    /// versions, uids and times.
    pub fn objects(&self) -> &BTreeMap<String, Value> {
        self.current
    }

    /// Returns the objects at the end of an earlier phase; `None` if the user did not wait until the operator was at rest.
    pub fn objects_after(&self, phase: usize) -> Option<&BTreeMap<String, Value>> {
        self.states.get(phase)?.as_deref()
    }

    /// Returns the objects at the end of the same phase in a run without faults; `None` in that run itself.
    pub fn objects_without_faults(&self) -> Option<&BTreeMap<String, Value>> {
        let phase = self.states.len();
        self.reference?.states.get(phase).map(Arc::as_ref)
    }

    /// Returns the name of the phase.
    pub fn phase_name(&self) -> &str {
        &self.workload.phases[self.states.len()].name
    }

    /// Returns the faults of the run.
    pub fn schedule(&self) -> &Schedule {
        self.schedule
    }
}

/// The end of a run with faults.
pub struct End<'a> {
    pub(crate) schedule: &'a Schedule,
    pub(crate) reference: &'a Reference,
    pub(crate) counts: &'a Counts,
}

impl End<'_> {
    /// Returns the faults of the run.
    pub fn schedule(&self) -> &Schedule {
        self.schedule
    }
}

/// An event of a run other than a request.
pub struct Notice<'a>(pub(crate) Moment<'a>);

pub(crate) enum Moment<'a> {
    /// The operator does not come to rest: the sentence says how long, or how often it has written.
    Restless(&'a str),
    /// The operator wakes, or computes, again and again without any change: the sentence says how often.
    Wakes(&'a str),
    /// The operator has sent more requests in one second than this; the last one is named.
    Storm {
        limit: u32,
        last: String,
    },
    /// The operator has sent so many requests for an object in these last seconds, without any change.
    Repeats {
        count: u32,
        object: &'a str,
        seconds: u64,
    },
    /// The operator was at rest, and has written after a restart; the last request is named.
    Wrote {
        last: String,
        before: &'a State,
        after: &'a State,
    },
    /// A process of the operator has ended too often, for this reason.
    Ended(&'a str),
    Panicked(&'a str),
    /// A change has replaced a child by this object, and the server would have accepted an update.
    Replaced(&'a Value),
    /// Without any fault, the server has rejected all requests of one sort: the sentence says which.
    AllRejected {
        sentence: String,
        rejected: Rejected,
    },
}
