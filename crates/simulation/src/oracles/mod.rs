//! What must hold in every run.
//!
//! Each oracle is one file that implements [`Check`], and one row of the table below: the file watches a run and says what it has found, and the row makes it
//! a variant of [`Oracle`], by which authors switch it off. Their own oracles implement the same trait. All see a run by what `run` tells them: each
//! response of the server, the state at rest after each phase, the end. They do not see how the operator works, nor the faults that are to come.
//!
//! The first violation ends a run. Where one moment violates several oracles, the first one in the order of the table names the failure.

mod check;
mod demands;
mod violation;

mod accepted;
mod always;
mod conditions;
mod counts;
mod deletion;
mod end_state;
mod eventually;
mod gaps;
mod history;
mod idempotence;
mod leader;
mod metadata;
mod observed_generation;
mod own;
mod owner_references;
mod panics;
mod preconditions;
mod requests;
mod rest;
mod strangers;
mod truth;

use std::{collections::BTreeSet, fmt};

use serde::{Deserialize, Serialize};

pub use check::{Answer, AtRest, Check, End, Run};
pub(crate) use check::{MakeCheck, Moment, Notice};
pub(crate) use demands::{Demands, Truth, UserKind};
pub(crate) use end_state::touched;
pub(crate) use history::wrong_history;
pub use violation::Violation;
pub(crate) use violation::{AfterRestart, Failure, Rejected, Variety};

macro_rules! oracles {
    ($($(#[$doc:meta])* $oracle:ident = $module:ident;)*) => {
        /// A property that every run of an operator must have.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[serde(rename_all = "camelCase")]
        #[non_exhaustive]
        pub enum Oracle {
            $($(#[$doc])* $oracle,)*
        }

        impl Oracle {
            /// Returns what the oracle demands.
            pub fn demands(self) -> &'static str {
                match self {
                    $(Self::$oracle => $module::DEMANDS,)*
                }
            }

            /// The oracles of a run, but for those that are switched off.
            pub(crate) fn all(without: &BTreeSet<Self>) -> Vec<(Self, Box<dyn Check>)> {
                let mut all: Vec<(Self, Box<dyn Check>)> =
                    vec![$((Self::$oracle, Box::<$module::$oracle>::default()),)*];
                all.retain(|(oracle, _)| !without.contains(oracle));
                all
            }
        }
    };
}

oracles! {
    /// The operator comes to rest: after some time it writes nothing more.
    Rest = rest;
    /// Nothing panics, and the operator does not end by itself.
    Panics = panics;
    /// The number of requests per object and minute is limited.
    Requests = requests;
    /// A reconcile of a state at rest, after a restart, writes nothing.
    Idempotence = idempotence;
    /// A condition of the user that holds at rest.
    Eventually = eventually;
    /// `status.observedGeneration`, and that of each condition, reaches `metadata.generation`.
    ObservedGeneration = observed_generation;
    /// The end state equals that of the run without faults.
    EndState = end_state;
    /// The same spec gives the same children, whatever was there before.
    History = history;
    /// Objects are created and deleted as often as in the run without faults.
    Counts = counts;
    /// Objects of others keep their content, and are not deleted: those that have the name of a child, and are not owned by the operator's object.
    Strangers = strangers;
    /// Labels, annotations and finalizers that others have set on an object stay: a merge patch of `metadata.finalizers` with the operator's own
    /// finalizer alone removes those of others. [`Scenario::Metadata`](crate::Scenario::Metadata) tries it.
    Metadata = metadata;
    /// A delete has a uid or a resourceVersion as precondition, so that it cannot hit a new object of the same name.
    Preconditions = preconditions;
    /// Children have an owner reference where they can have one.
    OwnerReferences = owner_references;
    /// Only the holder of the Lease writes.
    Leader = leader;
    /// A field of the status says what is at rest, and at no time what has never been: [`Simulation::truth`](crate::Simulation::truth).
    Truth = truth;
    /// The status of a condition does not flap.
    Conditions = conditions;
    /// An invariant of the user.
    Always = always;
    /// After the deletion of its objects, nothing that the operator created is left, and no finalizer.
    Deletion = deletion;
    /// No child is deleted and created again by a change for which an update does.
    Gaps = gaps;
    /// Without faults, the server accepts what the operator sends. Requests of one verb for one kind that are all rejected violate it, such as each
    /// update without a resourceVersion (422): runs with faults would show nothing then. What is rejected now and then is one of the
    /// [doubts](crate::Summary::doubts).
    Accepted = accepted;
    /// An oracle of the user: [`Simulation::oracle`](crate::Simulation::oracle).
    Own = own;
}

/// Returns what the oracles of a simulation say about something that has happened besides requests, without a run.
pub(crate) fn judged(demands: &Demands, moment: Moment<'_>) -> Option<Failure> {
    let notice = Notice(moment);
    let oracles = Oracle::all(&demands.without).into_iter();
    let mut found = oracles.filter_map(|(oracle, check)| Some(check.noticed(&notice)?.by(oracle)));
    found.next()
}

impl fmt::Display for Oracle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.demands())
    }
}
