//! Schedules: what is decided at which choice point of a run.

use std::{collections::BTreeMap, fmt};

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// A moment of a run at which a fault can happen: a request of the operator, or a watch event on its way to the operator.
///
/// Points are named by what happens, and by how often it has happened before, so that a decision stays at its place when
/// other decisions of the schedule are removed.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Point {
    /// The replica of the operator, from 0.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub replica: usize,
    /// Such as `patch widgets/status default/a`, or `event MODIFIED widgets default/a`.
    pub what: String,
    /// From 1.
    pub occurrence: u32,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "the signature that serde expects"
)]
fn is_zero(number: &usize) -> bool {
    *number == 0
}

impl fmt::Display for Point {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (occurrence {}", self.what, self.occurrence)?;
        if self.replica > 0 {
            write!(f, ", replica {}", self.replica)?;
        }
        f.write_str(")")
    }
}

/// The kind of a choice point; it decides which faults are possible.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum PointKind {
    Read,
    Write,
    Event,
}

/// What goes wrong at a choice point.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum Fault {
    /// The operator crashes before the request reaches the server, and starts again.
    CrashBefore,
    /// The operator crashes after the effect of the request, before the answer, and starts again.
    CrashAfter,
    /// As `CrashAfter`; for 20 seconds, lists and watches of the new process show the state before this request, as from an API server
    /// that lags behind. Only requests with `resourceVersion=0` are answered from that state, as by a real server.
    StaleRestart,
    /// The connection breaks before the request reaches the server.
    Disconnect,
    /// The connection breaks after the effect of the request.
    LostAnswer,
    /// The server answers with this status; the request has no effect.
    Error(u16),
    /// The server answers with this status after the effect of the request.
    ErrorAfter(u16),
    /// This event and those after it arrive later by this time, in milliseconds.
    Hold(u64),
    /// The watch ends before this event.
    Cut,
    /// The watch ends before this event with 410 Expired; the next list shows only the last state.
    Expire,
    /// Nothing arrives for this time, in milliseconds; then the watch ends with 410 Expired.
    Miss(u64),
    /// The replica stops for this time, in milliseconds, as under SIGSTOP: its requests wait.
    Pause(u64),
    /// Just before the request, another client sets a label of the object, which raises its resourceVersion.
    Touch,
    /// Just before the request, another client deletes this object.
    Delete(String),
    /// Just before the request, another client changes the spec or the data of this object.
    Drift(String),
}

impl Fault {
    /// Whether the fault adds or removes objects itself, so that creates and deletes cannot be compared.
    pub(crate) fn changes_counts(&self) -> bool {
        matches!(self, Self::Delete(_))
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::CrashBefore => f.write_str("the operator crashes before this request"),
            Self::CrashAfter => f.write_str("the operator crashes after this request"),
            Self::StaleRestart => f.write_str(
                "the operator crashes after this request, and starts with a view from before it",
            ),
            Self::Disconnect => f.write_str("the connection breaks before this request"),
            Self::LostAnswer => f.write_str("the answer to this request is lost"),
            Self::Error(code) => write!(f, "the server answers {code}, without effect"),
            Self::ErrorAfter(code) => write!(f, "the server answers {code}, after the effect"),
            Self::Hold(ms) => write!(f, "this event arrives {ms} ms later"),
            Self::Cut => f.write_str("the watch ends before this event"),
            Self::Expire => f.write_str("the watch expires (410) before this event"),
            Self::Miss(ms) => write!(f, "the watch stalls for {ms} ms, then expires (410)"),
            Self::Pause(ms) => write!(f, "the replica stops for {ms} ms"),
            Self::Touch => f.write_str("another client has just changed the object"),
            Self::Delete(id) => write!(f, "another client deletes {id}"),
            Self::Drift(id) => write!(f, "another client changes {id}"),
        }
    }
}

/// A fault and its place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Decision {
    /// Where it happens.
    pub at: Point,
    /// What happens.
    pub fault: Fault,
}

/// All decisions of a run. The same schedule gives the same run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Schedule {
    /// Decides latencies and the random numbers of the operator.
    pub seed: u64,
    /// Name of the workload.
    pub workload: String,
    /// The phase to begin with: the operator starts on what the phases before it have left without faults.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub from: usize,
    /// The faults.
    #[serde(default)]
    pub decisions: Vec<Decision>,
    /// Phases that do not wait until the operator is at rest, with the time until the next phase in milliseconds.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub hurry: BTreeMap<usize, u64>,
    /// Whether the operator is restarted at rest, to see that it writes nothing more.
    #[serde(default)]
    pub restart_at_rest: bool,
    /// What happens next, each time, of that which can happen: a position in the order in which it has waited, 0 where the list ends. Without
    /// it, latencies decide.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub order: Option<Vec<usize>>,
    /// Whether the timeline shows what the caches lack.
    #[serde(skip)]
    pub(crate) detailed: bool,
}

impl Schedule {
    /// Returns every schedule with one decision less.
    pub(crate) fn smaller(&self) -> Vec<Self> {
        let mut smaller = Vec::new();
        for index in 0..self.decisions.len() {
            let mut schedule = self.clone();
            schedule.decisions.remove(index);
            smaller.push(schedule);
        }
        for phase in self.hurry.keys() {
            let mut schedule = self.clone();
            schedule.hurry.remove(phase);
            smaller.push(schedule);
        }
        for order in self.order.iter().flat_map(|order| shorter(order)) {
            smaller.push(Self {
                order: Some(order),
                ..self.clone()
            });
        }
        if self.restart_at_rest {
            smaller.push(Self {
                restart_at_rest: false,
                ..self.clone()
            });
        }
        smaller
    }

    /// How many faults the schedule has.
    pub(crate) fn size(&self) -> usize {
        self.decisions.len() + self.hurry.len() + usize::from(self.restart_at_rest)
    }
}

/// Returns orders that differ less from the one in which things happen as they come.
fn shorter(order: &[usize]) -> Vec<Vec<usize>> {
    let Some(last) = order.iter().rposition(|index| *index > 0) else {
        return if order.is_empty() {
            Vec::new()
        } else {
            vec![Vec::new()]
        };
    };
    let mut orders = vec![
        Vec::new(),
        order[..last / 2].to_vec(),
        order[..last].to_vec(),
    ];
    for index in (0..last).filter(|index| order[*index] > 0) {
        let mut order = order[..=last].to_vec();
        order[index] = 0;
        orders.push(order);
    }
    orders
}

/// Returns the patch of [`Fault::Drift`]: of something that users change in objects of an operator.
pub(crate) fn drift(object: &Value) -> Option<Value> {
    if let Some(replicas) = object.pointer("/spec/replicas").and_then(Value::as_i64) {
        return Some(json!({"spec": {"replicas": replicas + 3}}));
    }
    let data = object.get("data").or_else(|| object.get("stringData"));
    let (name, _) = data?.as_object()?.iter().next()?;
    // Valid in a ConfigMap, and as base64 in a Secret.
    Some(json!({"data": {name: "ZHJpZnQ="}}))
}
