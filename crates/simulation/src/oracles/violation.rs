//! What an oracle has found.

use std::{collections::BTreeMap, ops::Deref};

use super::Oracle;
use crate::{
    experiment::{Experiment, Shown},
    point::Verb,
    state::Difference,
    timeline::Rejection,
};

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
    Rejected,
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
    /// New objects with the same specs have others: it is those of the changed ones that are wrong.
    Recreated,
    /// What differs from the earlier state differs between two runs without faults, too.
    Random,
    /// An object lacks a child that the same object in another namespace had.
    Namespace,
}

/// What an operator makes of a violation when it starts once more, with a fresh cache: an experiment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AfterRestart {
    /// It puts the state right: it had missed, or forgotten, something.
    Right,
    /// It leaves the state as it is, although it sees all of it.
    AsBefore,
    /// It writes another value into the same field each time.
    Writes,
    /// It goes on with something else each time.
    GoesOn,
}

/// A request that the server rejects each time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Rejected {
    pub(crate) verb: Verb,
    pub(crate) status: u16,
    pub(crate) why: Rejection,
}

/// A violation that an oracle found, as returned by [`Check`](super::Check).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// What was found, in a sentence.
    pub(crate) message: String,
    pub(crate) variety: Variety,
    pub(crate) differences: Vec<Difference>,
    /// What the server rejects each time.
    pub(crate) rejected: Option<Rejected>,
    /// The object whose creates and deletes were counted.
    pub(crate) object: String,
}

impl Violation {
    /// Creates a violation. The message is a sentence that says what was found: which object, which field, its value, and the value it
    /// must have.
    pub fn new(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            variety: Variety::default(),
            differences: Vec::new(),
            rejected: None,
            object: String::new(),
        }
    }

    pub(crate) fn of(self, variety: Variety) -> Self {
        Self { variety, ..self }
    }

    pub(crate) fn with(self, differences: Vec<Difference>) -> Self {
        Self {
            differences,
            ..self
        }
    }

    pub(crate) fn by(self, oracle: Oracle) -> Failure {
        Failure {
            oracle,
            after_restart: None,
            experiments: BTreeMap::new(),
            shown: None,
            violation: self,
        }
    }
}

/// A violation, with the oracle that has found it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Failure {
    pub(crate) oracle: Oracle,
    /// What a restart changes; `None` where it was not tried.
    pub(crate) after_restart: Option<AfterRestart>,
    /// What each experiment has shown, as far as they were tried.
    pub(crate) experiments: BTreeMap<Experiment, Shown>,
    /// What the experiment of this run has shown.
    pub(crate) shown: Option<Shown>,
    pub(crate) violation: Violation,
}

impl Deref for Failure {
    type Target = Violation;

    fn deref(&self) -> &Violation {
        &self.violation
    }
}
