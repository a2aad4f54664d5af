//! What can go wrong at a choice point.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

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
    /// After the request, all watches expire; for 20 seconds, lists with `resourceVersion=0` and watches show the state before it, as from a second
    /// API server that lags behind.
    StaleReconnect,
    /// The connection breaks before the request reaches the server.
    Disconnect,
    /// The connection breaks after the effect of the request.
    LostAnswer,
    /// The server answers with this status; the request has no effect.
    Error(u16),
    /// The server answers with this status after the effect of the request.
    ErrorAfter(u16),
    /// The server answers 504, and the request takes effect after this time, in milliseconds.
    LateEffect(u64),
    /// This event and those after it arrive later by this time, in milliseconds.
    Hold(u64),
    /// Nothing arrives on this watch for this time, in milliseconds, and then all that has happened; other watches go on.
    Stall(u64),
    /// This event and the next one of the same object arrive as one.
    Merge,
    /// This event arrives twice.
    Double,
    /// The watch ends before this event.
    Cut,
    /// The watch ends before this event with 410 Expired; the next list shows only the last state.
    Expire,
    /// This list has pages of one object, and its second page expires (410). At an event, the watch expires before it, and so does the second page of
    /// the list that follows.
    ExpirePage,
    /// Nothing arrives for this time, in milliseconds; then the watch ends with 410 Expired.
    Miss(u64),
    /// The replica stops for this time, in milliseconds, as under SIGSTOP: its requests wait.
    Pause(u64),
    /// From this request for a Lease on, the clock of the replica is ahead by this time, in milliseconds.
    Skew(i64),
    /// Just before the request, another client sets a label of the object, which raises its resourceVersion.
    Touch,
    /// Just before the request, another client deletes this object.
    Delete(String),
    /// Just before the request, another client changes the spec or the data of this object.
    Drift(String),
}

/// A fault without its details, as [`Simulation::without_fault`](crate::Simulation::without_fault) switches it off.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum FaultKind {
    /// [`Fault::CrashBefore`]
    CrashBefore,
    /// [`Fault::CrashAfter`]
    CrashAfter,
    /// [`Fault::StaleRestart`]
    StaleRestart,
    /// [`Fault::StaleReconnect`]
    StaleReconnect,
    /// [`Fault::Disconnect`]
    Disconnect,
    /// [`Fault::LostAnswer`]
    LostAnswer,
    /// [`Fault::Error`] with 409: a conflict.
    Conflict,
    /// [`Fault::Error`] with another status.
    Error,
    /// [`Fault::ErrorAfter`]
    ErrorAfter,
    /// [`Fault::LateEffect`]
    LateEffect,
    /// [`Fault::Hold`]
    Hold,
    /// [`Fault::Stall`]
    Stall,
    /// [`Fault::Merge`]
    Merge,
    /// [`Fault::Double`]
    Double,
    /// [`Fault::Cut`]
    Cut,
    /// [`Fault::Expire`]
    Expire,
    /// [`Fault::ExpirePage`]
    ExpirePage,
    /// [`Fault::Miss`]
    Miss,
    /// [`Fault::Pause`]
    Pause,
    /// [`Fault::Skew`]
    Skew,
    /// [`Fault::Touch`]
    Touch,
    /// [`Fault::Delete`]
    Delete,
    /// [`Fault::Drift`]
    Drift,
    /// The user does not wait until the operator is at rest.
    Hurry,
}

impl FaultKind {
    /// All kinds, in the order above. With all of them switched off, a simulation tries only what happens [around the operator](crate::Scenario):
    ///
    /// ```
    /// # use kube_codegen_simulation::{FaultKind, Simulation};
    /// # fn example(simulation: Simulation) -> Simulation {
    /// let faults = FaultKind::ALL.iter();
    /// faults.fold(simulation, |simulation, kind| simulation.without_fault(*kind))
    /// # }
    /// ```
    pub const ALL: &[Self] = &[
        Self::CrashBefore,
        Self::CrashAfter,
        Self::StaleRestart,
        Self::StaleReconnect,
        Self::Disconnect,
        Self::LostAnswer,
        Self::Conflict,
        Self::Error,
        Self::ErrorAfter,
        Self::LateEffect,
        Self::Hold,
        Self::Stall,
        Self::Merge,
        Self::Double,
        Self::Cut,
        Self::Expire,
        Self::ExpirePage,
        Self::Miss,
        Self::Pause,
        Self::Skew,
        Self::Touch,
        Self::Delete,
        Self::Drift,
        Self::Hurry,
    ];
}

const _: () = assert!(FaultKind::ALL.len() == FaultKind::Hurry as usize + 1);

impl Fault {
    /// Returns the kind of the fault.
    pub fn kind(&self) -> FaultKind {
        match self {
            Self::CrashBefore => FaultKind::CrashBefore,
            Self::CrashAfter => FaultKind::CrashAfter,
            Self::StaleRestart => FaultKind::StaleRestart,
            Self::StaleReconnect => FaultKind::StaleReconnect,
            Self::Disconnect => FaultKind::Disconnect,
            Self::LostAnswer => FaultKind::LostAnswer,
            Self::Error(409) => FaultKind::Conflict,
            Self::Error(_) => FaultKind::Error,
            Self::ErrorAfter(_) => FaultKind::ErrorAfter,
            Self::LateEffect(_) => FaultKind::LateEffect,
            Self::Hold(_) => FaultKind::Hold,
            Self::Stall(_) => FaultKind::Stall,
            Self::Merge => FaultKind::Merge,
            Self::Double => FaultKind::Double,
            Self::Cut => FaultKind::Cut,
            Self::Expire => FaultKind::Expire,
            Self::ExpirePage => FaultKind::ExpirePage,
            Self::Miss(_) => FaultKind::Miss,
            Self::Pause(_) => FaultKind::Pause,
            Self::Skew(_) => FaultKind::Skew,
            Self::Touch => FaultKind::Touch,
            Self::Delete(_) => FaultKind::Delete,
            Self::Drift(_) => FaultKind::Drift,
        }
    }

    /// Whether the operator may never see an event: that an object was there, or that it is gone.
    pub(crate) fn hides_events(&self) -> bool {
        matches!(
            self,
            Self::Expire | Self::ExpirePage | Self::Miss(_) | Self::Merge | Self::StaleReconnect
        )
    }

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
            Self::StaleReconnect => f.write_str(
                "the operator is connected to a server that lags: it shows the state before this request",
            ),
            Self::Disconnect => f.write_str("the connection breaks before this request"),
            Self::LostAnswer => f.write_str("the answer to this request is lost"),
            Self::Error(code) => write!(f, "the server answers {code}, without effect"),
            Self::ErrorAfter(code) => write!(f, "the server answers {code}, after the effect"),
            Self::LateEffect(ms) => write!(
                f,
                "the server answers 504, and this request takes effect {ms} ms later"
            ),
            Self::Hold(ms) => write!(f, "this event arrives {ms} ms later"),
            Self::Stall(ms) => write!(f, "nothing arrives on this watch for {ms} ms"),
            Self::Merge => {
                f.write_str("this event and the next one of the object arrive as one")
            }
            Self::Double => f.write_str("this event arrives twice"),
            Self::Cut => f.write_str("the watch ends before this event"),
            Self::Expire => f.write_str("the watch expires (410) before this event"),
            Self::ExpirePage => f.write_str("the second page of the list expires (410)"),
            Self::Miss(ms) => write!(f, "the watch stalls for {ms} ms, then expires (410)"),
            Self::Pause(ms) => write!(f, "the replica stops for {ms} ms"),
            Self::Skew(ms) => write!(f, "the clock of the replica is {ms} ms ahead"),
            Self::Touch => f.write_str("another client has just changed the object"),
            Self::Delete(id) => write!(f, "another client deletes {id}"),
            Self::Drift(id) => write!(f, "another client changes {id}"),
        }
    }
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

/// Whether other clients can change the object so: the server refuses any change of the data of a revision, and of what is marked as immutable.
pub(crate) fn drifts(object: &Value) -> bool {
    let is_fixed = object["kind"] == "ControllerRevision" || object["immutable"] == true;
    !is_fixed && drift(object).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_the_server_lets_change_drifts() {
        let data = json!({"kind": "ConfigMap", "data": {"a": "b"}});
        assert_eq!(drift(&data), Some(json!({"data": {"a": "ZHJpZnQ="}})));
        assert!(drifts(&data));
        let immutable = json!({"kind": "ConfigMap", "data": {"a": "b"}, "immutable": true});
        assert!(!drifts(&immutable));
        let revision = json!({"kind": "ControllerRevision", "data": {"spec": {}}, "revision": 1});
        assert!(!drifts(&revision));
        // A stranger's revision has other contents from the start.
        assert!(drift(&revision).is_some());
    }
}
