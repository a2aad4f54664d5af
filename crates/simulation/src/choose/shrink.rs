//! Makes a schedule that fails smaller, as long as the same oracle is violated.
//!
//! Greedy, since each attempt is a whole run: faults go first, and the search starts again after each success; then objects, phases and fields of
//! the workload. A smaller workload has another reference, so it is learned again, which is why few of them are tried. The same oracle is the
//! condition, not the same message: a smaller schedule may fail at another object, for the same reason. What makes an object of a user invalid is not
//! left out: where the server rejects it, it is no wonder that its children are missing.

use std::{collections::BTreeMap, sync::Arc};

use super::{
    learn::{Known, detailed, learn},
    threads::on_threads,
};
use crate::{
    judge::{Basis, Reference},
    oracles::Oracle,
    plural::counted,
    print::Found,
    run::{Outcome, run},
    schedule::{Cut, Schedule},
    settings::{Setup, Workload},
    timeline::Entry,
};

/// Smaller workloads that are tried at most: each needs runs without faults.
const ATTEMPTS: usize = 20;
/// Where each run goes on until its patience ends.
const LONG_ATTEMPTS: usize = 3;

/// Removes decisions, and then objects, phases and fields of the workload, as long as the same oracle is violated.
pub(crate) fn shrink(
    setup: &Arc<Setup>,
    of: &Known<'_>,
    schedule: Schedule,
    outcome: Outcome,
    schedules: u64,
) -> Box<Found> {
    setup.progress.show(format!(
        "a failure after {}, made smaller",
        counted(schedules, "schedule")
    ));
    let faults = schedule.size();
    let (mut schedule, mut outcome) = (schedule, outcome);
    let oracle = outcome.failure.as_ref().map(|failure| failure.oracle);
    'smaller: loop {
        for smaller in schedule.smaller() {
            let again = run(setup, of.workload, &smaller, of.reference.basis());
            if again.failure.as_ref().map(|failure| failure.oracle) == oracle {
                (schedule, outcome) = (smaller, again);
                continue 'smaller;
            }
        }
        break;
    }
    let mut smallest: Option<(Workload, Reference)> = None;
    // What the server collects or counts without faults is not known of a smaller workload.
    if schedule.order.is_none() && oracle != Some(Oracle::Counts) {
        let before = outcome.invalid.clone();
        reduce(of.workload, oracle, |workload, cuts| {
            let known = learn(setup, workload, of.reference.seed, &mut |_| {}).ok()?;
            let smaller = Schedule {
                without: cuts.to_vec(),
                ..schedule.clone()
            };
            let again = run(setup, workload, &smaller, known.reference.basis());
            let fails = again.failure.as_ref().map(|failure| failure.oracle) == oracle;
            let fails = fails && again.invalid.is_subset(&before);
            fails.then(|| {
                (schedule, outcome) = (smaller, again);
                smallest = Some((workload.clone(), known.reference));
            })
        });
    }
    let (workload, reference) = match &smallest {
        Some((workload, reference)) => (workload, reference),
        None => (of.workload, &of.reference),
    };
    let outcome = detailed(setup, workload, &schedule, reference.basis(), outcome);
    let failure = outcome
        .failure
        .unwrap_or_else(|| unreachable!("the run has failed"));
    let calm = calm(setup, workload, &schedule, reference.basis());
    Found::new(setup, schedule, failure, outcome.log)
        .beside(calm)
        .learned_with(of.reference.seed)
        .after(schedules, faults)
}

/// Runs a schedule without its faults, for the timeline beside that of the failure.
pub(crate) fn calm(
    setup: &Arc<Setup>,
    workload: &Workload,
    schedule: &Schedule,
    basis: Basis<'_>,
) -> Vec<Entry> {
    let calm = Schedule {
        decisions: Vec::new(),
        hurry: BTreeMap::new(),
        order: None,
        detailed: true,
        ..schedule.clone()
    };
    if schedule.size() == 0 && schedule.order.is_none() {
        return Vec::new();
    }
    run(setup, workload, &calm, basis).log
}

/// Makes the workload of a failure without faults smaller.
pub(super) fn shrink_calm(
    setup: &Arc<Setup>,
    workload: &Workload,
    seed: u64,
    mut found: Box<Found>,
) -> Box<Found> {
    let (oracle, before) = (found.oracle, found.invalid());
    let name = &workload.name;
    setup
        .progress
        .show(format!("a failure of workload \"{name}\", made smaller"));
    reduce(workload, Some(oracle), |workload, cuts| {
        let mut smaller = learn(setup, workload, seed, &mut |_| {}).err()?;
        let is_as_valid = smaller.invalid().is_subset(&before);
        (smaller.oracle == oracle && is_as_valid).then(|| {
            smaller.schedule.without = cuts.to_vec();
            found = smaller;
        })
    });
    found
}

/// Leaves one part of a workload out after the other, where it still fails.
fn reduce(
    workload: &Workload,
    oracle: Option<Oracle>,
    mut fails: impl FnMut(&Workload, &[Cut]) -> Option<()>,
) {
    let mut cuts = Vec::new();
    let has_phases = oracle != Some(Oracle::History);
    let attempts = match oracle {
        Some(Oracle::Rest | Oracle::Requests) => LONG_ATTEMPTS,
        _ => ATTEMPTS,
    };
    for cut in workload.cuts(has_phases).into_iter().take(attempts) {
        cuts.push(cut);
        let reduced = workload.reduced(&cuts);
        if reduced.is_idle() || fails(&reduced, &cuts).is_none() {
            cuts.pop();
        }
    }
}

/// Runs each workload without faults; one that fails then is made smaller.
pub(crate) fn learn_all<'a>(
    setup: &Arc<Setup>,
    workloads: &'a [Workload],
    seed: u64,
    threads: usize,
    watch: &mut dyn FnMut(&[Entry]),
) -> Result<Vec<Known<'a>>, Box<Found>> {
    let workloads: Vec<&Workload> = workloads.iter().collect();
    let one = |workload: &&'a Workload| {
        let mut logs = Vec::new();
        let learned = learn(setup, workload, seed, &mut |log| logs.push(log.to_vec()));
        (learned, logs)
    };
    let mut known = Vec::new();
    let learned = on_threads(threads, &workloads, one, |(it, _)| it.is_err());
    for (workload, (learned, logs)) in workloads.iter().zip(learned) {
        for log in &logs {
            watch(log);
        }
        let learned = learned.map_err(|found| shrink_calm(setup, workload, seed, found));
        known.push(learned?);
    }
    Ok(known)
}
