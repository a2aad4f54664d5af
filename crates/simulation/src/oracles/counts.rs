//! Counts creates and deletes: an end state does not show that a child was made twice, or that a Job has run again.

use std::collections::BTreeSet;

use super::{
    check::{AtRest, Check, End, Run},
    violation::Violation,
};
use crate::{
    judge::{Counts as Counted, Reference, done_again},
    plural::counted,
    schedule::Schedule,
};

pub(super) const DEMANDS: &str =
    "objects are created and deleted as often as in the run without faults";

#[derive(Default)]
pub(super) struct Counts;

impl Check for Counts {
    fn rested(&self, _: &Run<'_>, rest: &AtRest<'_>) -> Vec<Violation> {
        let absent = rest.workload.phases[rest.states.len()].absent.iter();
        let again = absent.filter(|key| done_again(rest.current, key));
        let again = again.map(|key| {
            Violation::new(format!("{key} has ended and was removed by its time to live, and was created again, although the status of its owner says that it is done"))
        });
        again.collect()
    }

    fn ended(&self, _: &Run<'_>, end: &End<'_>) -> Vec<Violation> {
        let found = compare_counts(end.counts, end.schedule, end.reference);
        found.into_iter().collect()
    }
}

/// Returns an object that was created or deleted more or less often than without faults.
fn compare_counts(
    counts: &Counted,
    schedule: &Schedule,
    reference: &Reference,
) -> Option<Violation> {
    let comparable = schedule.hurry.is_empty()
        && !schedule
            .decisions
            .iter()
            .any(|decision| decision.fault.act().changes_counts());
    if !comparable {
        return None;
    }
    let keys = reference.counts.keys().chain(counts.keys());
    for key in keys.collect::<BTreeSet<_>>() {
        let expected = reference.counts.get(key).copied().unwrap_or_default();
        let found = counts.get(key).copied().unwrap_or_default();
        if expected != found && !reference.uncounted.contains(key) {
            let message = format!(
                "{key} was created {} and deleted {}; without faults {} and {}",
                counted(found.0, "time"),
                counted(found.1, "time"),
                expected.0,
                expected.1
            );
            let object = key.clone();
            return Some(Violation {
                object,
                ..Violation::new(message)
            });
        }
    }
    None
}
