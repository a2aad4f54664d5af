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
            /// Returns the requirement that the oracle checks.
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
    /// The operator comes to rest: after some time, it stops writing.
    Rest = rest;
    /// Nothing panics, and the operator does not exit by itself.
    Panics = panics;
    /// The operator sends few requests: at most 500 a second, and hardly any for an object at rest.
    Requests = requests;
    /// After a restart, reconciling a state at rest writes nothing.
    Idempotence = idempotence;
    /// A condition of yours that holds at rest: [`Simulation::eventually`](crate::Simulation::eventually).
    Eventually = eventually;
    /// `status.observedGeneration`, also in each condition, reaches `metadata.generation`.
    ObservedGeneration = observed_generation;
    /// The final state equals the one of the run without faults.
    EndState = end_state;
    /// The same spec gives the same children, whatever was there before.
    History = history;
    /// Objects are created and deleted as often as in the run without faults.
    Counts = counts;
    /// Objects of other clients that have the name of a child, but are not owned by the operator's object, keep their content and are not
    /// deleted.
    Strangers = strangers;
    /// Labels, annotations and finalizers that other clients set on an object are preserved. For example, a merge patch that sets
    /// `metadata.finalizers` to only the operator's own finalizer removes all others. [`Scenario::Metadata`](crate::Scenario::Metadata)
    /// tests this.
    Metadata = metadata;
    /// A delete has the uid or the resourceVersion as a precondition, so that it cannot hit a new object of the same name.
    Preconditions = preconditions;
    /// Children have an owner reference where they can have one.
    OwnerReferences = owner_references;
    /// Only the holder of the Lease writes.
    Leader = leader;
    /// A status field is correct at rest, and never shows a value that was never true: [`Simulation::truth`](crate::Simulation::truth).
    Truth = truth;
    /// The status of a condition does not flap.
    Conditions = conditions;
    /// An invariant of yours: [`Simulation::always`](crate::Simulation::always).
    Always = always;
    /// After its objects are deleted, nothing that the operator created is left, and no finalizer.
    Deletion = deletion;
    /// No child is deleted and recreated for a change that an update could make.
    Gaps = gaps;
    /// Without faults, the server accepts the operator's requests. It is a violation if all requests with one verb for one kind are
    /// rejected, such as every update without a resourceVersion (422), because runs with faults would then show nothing. Occasional
    /// rejections are [doubts](crate::Summary::doubts).
    Accepted = accepted;
    /// An oracle of yours: [`Simulation::oracle`](crate::Simulation::oracle).
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
