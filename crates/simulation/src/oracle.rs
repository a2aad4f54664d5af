//! What must hold in every run, and how a violation reads.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::{schedule::Verb, state::Difference, timeline::Rejection};

/// A property that every run of an operator must have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum Oracle {
    /// The operator comes to rest: after some time it writes nothing more.
    Rest,
    /// A reconcile of a state at rest, after a restart, writes nothing.
    Idempotence,
    /// The end state equals that of the run without faults.
    EndState,
    /// Objects are created and deleted as often as in the run without faults.
    Counts,
    /// The same spec gives the same children, whatever was there before.
    History,
    /// After the deletion of its objects, nothing that the operator created is left, and no finalizer.
    Deletion,
    /// A delete has a uid or a resourceVersion as precondition, so that it cannot hit a new object of the same name.
    Preconditions,
    /// Children have an owner reference where they can have one.
    OwnerReferences,
    /// `status.observedGeneration`, and that of each condition, reaches `metadata.generation`.
    ObservedGeneration,
    /// The status of a condition does not flap.
    Conditions,
    /// Nothing panics, and the operator does not end by itself.
    Panics,
    /// The number of requests per object and minute is limited.
    Requests,
    /// Only the holder of the Lease writes.
    Leader,
    /// Objects of others keep their content, and are not deleted: those that have the name of a child, and are not owned by the operator's object.
    Strangers,
    /// A field of the status says what is at rest, and at no time what has never been: [`Simulation::truth`](crate::Simulation::truth).
    Truth,
    /// No child is deleted and created again by a change for which an update does.
    Gaps,
    /// Without faults, the server accepts what the operator sends. Requests of one verb for one kind that are all rejected violate it, such as each
    /// update without a resourceVersion (422): runs with faults would show nothing then. What is rejected now and then is one of the
    /// [doubts](crate::Summary::doubts).
    Accepted,
    /// Labels, annotations and finalizers that others have set on an object stay: a merge patch of `metadata.finalizers` with the operator's own
    /// finalizer alone removes those of others. [`Scenario::Metadata`](crate::Scenario::Metadata) tries it.
    Metadata,
    /// An invariant of the user.
    Always,
    /// A condition of the user that holds at rest.
    Eventually,
}

impl Oracle {
    /// Returns what the oracle demands.
    pub fn demands(self) -> &'static str {
        match self {
            Self::Rest => "the operator comes to rest",
            Self::Idempotence => "a restart at rest writes nothing",
            Self::EndState => "the end state equals that of the run without faults",
            Self::Counts => "objects are created and deleted as often as in the run without faults",
            Self::History => "the same spec gives the same children, whatever was there before",
            Self::Deletion => "nothing is left after the deletion of the objects",
            Self::Preconditions => "a delete has a uid or a resourceVersion as precondition",
            Self::OwnerReferences => "children have an owner reference",
            Self::ObservedGeneration => "status.observedGeneration reaches metadata.generation",
            Self::Conditions => "conditions do not flap",
            Self::Panics => "the operator neither panics nor ends",
            Self::Requests => "the number of requests is limited",
            Self::Leader => "only the holder of the Lease writes",
            Self::Strangers => "objects of others stay as they are",
            Self::Truth => "the status says what is",
            Self::Gaps => "a change replaces no child that could be updated",
            Self::Accepted => "without faults, the server accepts what the operator sends",
            Self::Metadata => "labels, annotations and finalizers of others stay",
            Self::Always => "the invariant holds at any time",
            Self::Eventually => "the condition holds at rest",
        }
    }
}

impl fmt::Display for Oracle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.demands())
    }
}

/// Which of its violations an oracle has found, where it has several with different causes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Variety {
    #[default]
    Usual,
    /// An owner reference has the uid of another object.
    UidOfAnother,
    /// An owner reference has a uid that no object has.
    UnknownUid,
    /// The server rejects the same writes again and again.
    Refused,
    /// An object has two states in turn.
    TwoStates,
    /// Reconciles follow each other.
    Repeated,
    /// A new process writes what is there.
    Restart,
    /// An object of another client was changed, not deleted.
    TakenOver,
    /// There are more or fewer children than of other objects.
    Number,
}

/// What an operator makes of a violation when it starts once more, with a fresh cache: an experiment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AfterRestart {
    /// It puts the state right: it had missed, or forgotten, something.
    Right,
    /// It leaves the state as it is, although it sees all of it.
    AsBefore,
    /// It writes something else each time.
    Writes,
}

/// A request that the server rejects each time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Rejected {
    pub(crate) verb: Verb,
    pub(crate) status: u16,
    pub(crate) why: Rejection,
}

/// A violation of an oracle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Failure {
    pub(crate) oracle: Oracle,
    pub(crate) variety: Variety,
    /// What was found, in a sentence.
    pub(crate) message: String,
    pub(crate) differences: Vec<Difference>,
    /// What a restart changes; `None` where it was not tried.
    pub(crate) after_restart: Option<AfterRestart>,
    /// What the server rejects each time.
    pub(crate) rejected: Option<Rejected>,
    /// The object whose creates and deletes were counted.
    pub(crate) object: String,
}

impl Failure {
    pub(crate) fn new(oracle: Oracle, message: impl Into<String>) -> Self {
        Self {
            oracle,
            variety: Variety::default(),
            message: message.into(),
            differences: Vec::new(),
            after_restart: None,
            rejected: None,
            object: String::new(),
        }
    }

    pub(crate) fn of(self, variety: Variety) -> Self {
        Self { variety, ..self }
    }

    pub(crate) fn with(mut self, differences: Vec<Difference>) -> Self {
        self.differences = differences;
        self
    }
}
