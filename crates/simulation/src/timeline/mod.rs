//! The timeline of a run: what happened, when, and to whom.
//!
//! Each entry is data: causes, pictures and other programs read its parts. `text` makes of them what people read, and `json` what other programs do.

mod json;
mod text;

use std::time::Duration;

use serde::Deserialize;

use crate::{
    faults::Fault,
    schedule::{Point, Verb},
    state::Difference,
};

/// One line of the timeline.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) at: Duration,
    pub(crate) what: Happening,
}

/// A replica of the operator, and whether it is one of several.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Replica {
    Only,
    Number(usize),
}

/// What happens in a run. The comments show the text of an example.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Happening {
    /// A phase of the workload begins: `begins phase 1: change`.
    Phase { index: usize, name: String },
    /// The user, or another client, does something: `deletes /api/v1/namespaces/default/configmaps/a → 200`.
    User(Act),
    /// A process of the operator starts or ends: `has crashed`.
    Process(Replica, Process),
    /// A request of the operator, and its response: `patch configmaps default/a → 200 (changes data.text)`.
    Request(Replica, Answered),
    /// A watch event reaches the operator: `event MODIFIED configmaps default/a (resourceVersion 3)`.
    Event {
        replica: Replica,
        point: Point,
        version: String,
    },
    /// What the caches of a replica lack, just before it writes: `lacks Deployment default/a`.
    Cache(Replica, Lags),
    /// A controller of the cluster changes an object: `apps/Deployment default/a is ready`.
    Cluster { object: String, what: &'static str },
    /// Something outside of the cluster changes: `machines a appears: {"size":1}`.
    Outside(Outside),
    /// Something goes wrong: `the server answers 409, without effect: patch configmaps default/a`.
    Fault { fault: Fault, at: Point },
    /// What the simulation itself does: `restarts the operator, which is at rest`.
    Simulation(Note),
    /// What a replica has sent or received.
    Bytes(Replica, String),
}

/// What a user has done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Act {
    pub(crate) deed: Deed,
    /// The object; empty for what concerns none.
    pub(crate) path: String,
    /// For people.
    pub(crate) text: String,
    /// Of the response; 0 where there was no request.
    pub(crate) status: u16,
}

impl Act {
    /// Whether the server has found the object invalid.
    pub(crate) fn is_invalid(&self) -> bool {
        self.status == 422
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Deed {
    Creates,
    Changes,
    Deletes,
    Other,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Process {
    Starts,
    Crashes,
    /// By itself, for this reason.
    Ends(String),
}

/// A change of a system outside of the cluster. Who has made it, the system does not say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Outside {
    /// The system and the key of the entry, with `*` for what differs from run to run.
    pub(crate) object: String,
    pub(crate) change: Change,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Change {
    /// With this content.
    Appears(String),
    /// From what is expected in each difference to what is found.
    Changes(Vec<Difference>),
    Disappears,
}

/// A request of the operator and the status of its response.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Answered {
    pub(crate) point: Point,
    pub(crate) status: u16,
    /// Whether it writes an Event, a Lease or another object that no oracle compares.
    pub(crate) is_report: bool,
    /// What a Warning Event says, if it writes one.
    pub(crate) warning: Option<Warning>,
    pub(crate) effect: Effect,
    /// The owner of the object that is written, if it is being deleted.
    pub(crate) deleted_owner: Option<String>,
}

/// A Warning Event: an operator reports with it that a reconcile has failed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub(crate) struct Warning {
    reason: String,
    #[serde(alias = "message")]
    note: String,
    #[serde(rename = "type")]
    kind: String,
}

impl Warning {
    /// Reads an Event; `None` if it is no Warning.
    pub(crate) fn read(event: &[u8]) -> Option<Self> {
        let read: Self = serde_json::from_slice(event).ok()?;
        (read.kind == "Warning").then_some(read)
    }
}

/// What a request has led to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Effect {
    /// Nothing is known: a read, or a run without details.
    Unknown,
    /// The server says why it rejects the request.
    Rejected(Rejection),
    /// The object is as it was before.
    None,
    /// These fields have changed, and this number of others.
    Changes(Vec<String>, usize),
}

/// Why the server rejects a request, as its `Status` says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Rejection {
    /// In one line, for people.
    pub(crate) message: String,
    pub(crate) causes: Vec<Cause>,
}

/// What is wrong with a field.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub(crate) struct Cause {
    /// A word such as `FieldValueDuplicate`.
    reason: String,
    field: String,
    message: String,
}

/// The part of a `Status` that says why.
#[derive(Deserialize)]
struct Failed {
    message: String,
    #[serde(default)]
    details: Option<Details>,
}

#[derive(Deserialize)]
struct Details {
    #[serde(default)]
    causes: Vec<Cause>,
}

impl Rejection {
    /// Reads the body of a response; `None` if the status is none with which a server rejects what a request says.
    pub(crate) fn read(status: u16, answer: &[u8]) -> Option<Self> {
        if !matches!(status, 400 | 403 | 405 | 409 | 415 | 422) {
            return None;
        }
        let failed: Failed = serde_json::from_slice(answer).ok()?;
        let letters: Vec<char> = failed.message.replace('\n', " ").chars().collect();
        // The end says what is wrong.
        let message = match letters.len() {
            0..=160 => letters.iter().collect(),
            length => [&letters[..90], &[' ', '…', ' '], &letters[length - 65..]]
                .concat()
                .iter()
                .collect(),
        };
        let causes = failed.details.map(|it| it.causes).unwrap_or_default();
        Some(Self { message, causes })
    }

    /// Whether an update lacks the resourceVersion of the object that it replaces.
    pub(crate) fn lacks_version(&self) -> bool {
        self.causes
            .iter()
            .any(|it| it.field == "metadata.resourceVersion")
    }

    /// Whether an apply without `force` changes a field of another manager.
    pub(crate) fn is_of_managers(&self) -> bool {
        self.has("FieldManagerConflict")
    }

    /// Whether a list has an entry twice.
    pub(crate) fn is_of_duplicates(&self) -> bool {
        self.has("FieldValueDuplicate")
    }

    /// Whether a field cannot change. A server has no word for that but its message.
    pub(crate) fn is_of_immutables(&self) -> bool {
        let is_it = |it: &Cause| it.message.contains("immutable");
        self.causes.iter().any(is_it)
    }

    fn has(&self, reason: &str) -> bool {
        self.causes.iter().any(|it| it.reason == reason)
    }
}

/// How the caches of a replica differ from the server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Lags {
    pub(crate) shown: Vec<Lag>,
    pub(crate) more: usize,
}

/// An object that a cache does not show as it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Lag {
    pub(crate) kind: String,
    pub(crate) place: String,
    pub(crate) how: Lagging,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Lagging {
    Lacks,
    /// Another object of the same name.
    Former,
    Older {
        shown: String,
        newest: String,
    },
    /// It is deleted.
    Gone,
}

/// What the simulation does besides what a cluster does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Note {
    /// Waits for a later attempt, after a request has failed, or else after an event was hidden.
    Waits {
        failed: bool,
    },
    /// Has waited for these seconds in vain.
    Waited(u64),
    Restarts,
    /// In a report: the last lines have followed each other more often.
    Repeats {
        lines: usize,
        more: usize,
        until: Duration,
    },
    /// In a picture: what was found.
    Finds(String),
}

impl Outside {
    /// Whether it may be about the object with this key of a state, which has a number in the place of what differs from run to run.
    pub(crate) fn is_about(&self, key: &str) -> bool {
        let rest = key.strip_prefix(self.object.as_str());
        rest.is_some_and(|rest| {
            rest.is_empty()
                || self.object.contains('*') && rest.bytes().all(|it| it.is_ascii_digit())
        })
    }
}

impl Answered {
    pub(crate) fn verb(&self) -> Verb {
        self.point.verb
    }

    /// Whether two requests of one replica ask for the same, at different times.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        let (one, other) = (&self.point, &other.point);
        one.replica == other.replica && one.target() == other.target()
    }

    /// Whether the request wrote something that oracles compare.
    pub(crate) fn is_write(&self) -> bool {
        self.verb().is_write() && !self.is_report
    }

    pub(crate) fn is_accepted(&self) -> bool {
        (200..300).contains(&self.status)
    }

    /// Whether a write has changed an object, as far as is known.
    pub(crate) fn has_changed(&self) -> bool {
        self.is_write() && self.is_accepted() && self.effect != Effect::None
    }
}

impl Lag {
    /// Returns the lag without versions, which differ from line to line.
    pub(crate) fn general(&self) -> Self {
        let mut lag = self.clone();
        if let Lagging::Older { shown, newest } = &mut lag.how {
            shown.clear();
            newest.clear();
        }
        lag
    }
}

impl Entry {
    pub(crate) fn is_fault(&self) -> bool {
        matches!(self.what, Happening::Fault { .. })
    }

    /// Returns the replica of the operator that does it, or to which it happens.
    pub(crate) fn replica(&self) -> Option<Replica> {
        match &self.what {
            Happening::Process(replica, _)
            | Happening::Request(replica, _)
            | Happening::Event { replica, .. }
            | Happening::Cache(replica, _)
            | Happening::Bytes(replica, _) => Some(*replica),
            Happening::Phase { .. }
            | Happening::User(_)
            | Happening::Cluster { .. }
            | Happening::Outside(_)
            | Happening::Fault { .. }
            | Happening::Simulation(_) => None,
        }
    }

    /// Returns the request that it is, if it is one.
    pub(crate) fn answered(&self) -> Option<&Answered> {
        let Happening::Request(_, answered) = &self.what else {
            return None;
        };
        Some(answered)
    }

    /// Returns the change outside of the cluster that it is, if it is one.
    pub(crate) fn outside(&self) -> Option<&Outside> {
        let Happening::Outside(outside) = &self.what else {
            return None;
        };
        Some(outside)
    }

    /// Returns what the user does, if it is that.
    pub(crate) fn act(&self) -> Option<&Act> {
        let Happening::User(act) = &self.what else {
            return None;
        };
        Some(act)
    }

    /// Returns the entry without what differs from run to run.
    pub(crate) fn general(&self) -> Happening {
        let mut what = self.what.clone();
        match &mut what {
            Happening::Request(_, answered) => {
                answered.effect = Effect::Unknown;
                answered.point.occurrence = 0;
            }
            Happening::Event { point, version, .. } => {
                version.clear();
                point.occurrence = 0;
            }
            Happening::Cache(_, lags) => {
                for lag in &mut lags.shown {
                    *lag = lag.general();
                }
            }
            Happening::Phase { .. }
            | Happening::User(_)
            | Happening::Process(..)
            | Happening::Cluster { .. }
            | Happening::Outside(_)
            | Happening::Fault { .. }
            | Happening::Simulation(_)
            | Happening::Bytes(..) => {}
        }
        what
    }
}
