//! Makes a schedule that fails smaller, as long as the same oracle is violated.

use std::sync::Arc;

use super::learn::Known;
use crate::{
    judge::Basis,
    print::Found,
    run::{Outcome, run},
    schedule::Schedule,
    settings::{Setup, Workload},
};

/// Removes decisions as long as the same oracle is violated.
pub(crate) fn shrink(
    setup: &Arc<Setup>,
    of: &Known<'_>,
    schedule: Schedule,
    outcome: Outcome,
    schedules: u64,
) -> Box<Found> {
    let faults = schedule.size();
    let (mut schedule, mut outcome) = (schedule, outcome);
    'smaller: loop {
        let oracle = outcome.failure.as_ref().map(|failure| failure.oracle);
        for smaller in schedule.smaller() {
            let again = run(setup, of.workload, &smaller, of.reference.basis());
            if again.failure.as_ref().map(|failure| failure.oracle) == oracle {
                (schedule, outcome) = (smaller, again);
                continue 'smaller;
            }
        }
        break;
    }
    let outcome = detailed(setup, of.workload, &schedule, of.reference.basis(), outcome);
    let failure = outcome
        .failure
        .unwrap_or_else(|| unreachable!("the run has failed"));
    Found::new(setup, schedule, failure, outcome.log)
        .learned_with(of.reference.seed)
        .after(schedules, faults)
}

/// Runs a schedule that has failed once more, for its timeline.
pub(crate) fn detailed(
    setup: &Arc<Setup>,
    workload: &Workload,
    schedule: &Schedule,
    basis: Basis<'_>,
    outcome: Outcome,
) -> Outcome {
    let schedule = Schedule {
        detailed: true,
        ..schedule.clone()
    };
    let again = run(setup, workload, &schedule, basis);
    // An operator that is not deterministic may do something else.
    if again.failure.is_some() {
        again
    } else {
        outcome
    }
}
