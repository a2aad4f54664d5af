//! Runs schedules until the budget is spent: each kind of fault first, then the others, and random combinations.

use std::{
    collections::HashSet,
    sync::Arc,
    time::{Duration, Instant},
};

use super::{
    learn::learn,
    plan::{self, Singles},
    shrink::shrink,
    summary::Summary,
};
use crate::{
    oracle::Oracle,
    print::{Found, Progress},
    run::run,
    settings::{Budget, Setup, Workload},
    timeline::Entry,
};

/// Runs schedules until the budget is spent or an oracle is violated.
pub(crate) fn explore(
    setup: &Arc<Setup>,
    workloads: &[Workload],
    seed: u64,
    budget: Budget,
    watch: &mut dyn FnMut(&[Entry]),
) -> Result<Summary, Box<Found>> {
    let mut progress = Progress::new(&setup.name);
    let mut known = Vec::new();
    for workload in workloads {
        progress.show(|| format!("runs workload {:?} without faults", workload.name));
        known.push(learn(setup, workload, seed, watch)?);
    }
    let begin = Instant::now();
    let (mut schedules, mut combinations) = (0, 0);
    let mut virtual_time = Duration::ZERO;
    let points: usize = known.iter().map(|known| known.points.len()).sum();
    let mut covered = HashSet::new();
    let mut random = fastrand::Rng::with_seed(seed);
    let mut singles = Singles::new(setup, &known, seed, &mut random);
    let kinds = singles.untried();
    let is_coverage = matches!(budget, Budget::Coverage(_));
    loop {
        // Of a coverage, the single faults are part however many there are.
        let is_spent = budget.is_spent(schedules, combinations, begin);
        if is_spent && !is_coverage {
            break;
        }
        let known_kind = |singles: &mut Singles| singles.of_known_kind().filter(|_| !is_coverage);
        let single = singles.of_new_kind();
        let (index, schedule, kind) = match single.or_else(|| known_kind(&mut singles)) {
            Some(single) => (single.workload, single.schedule, Some(single.kind)),
            None if is_spent => break,
            None => {
                combinations += 1;
                let (index, schedule) = plan::combination(setup, &known, &mut random);
                (index, schedule, None)
            }
        };
        progress.show(|| {
            let tried = kinds - singles.untried();
            format!("schedule {schedules}, {tried} of {kinds} single faults tried, {combinations} combinations")
        });
        let of = &known[index];
        let outcome = run(setup, of.workload, &schedule, of.reference.basis());
        schedules += 1;
        virtual_time += outcome.time;
        watch(&outcome.log);
        if outcome.applied > 0 {
            covered.extend(
                schedule
                    .decisions
                    .iter()
                    .map(|decision| (index, decision.at.clone())),
            );
        }
        if let Some(kind) = kind
            && (outcome.applied > 0 || schedule.decisions.is_empty())
        {
            singles.has_tried(&kind);
        }
        if outcome.failure.is_some() {
            let found = shrink(setup, of, schedule, outcome, schedules);
            if found.oracle != Oracle::Counts || found.schedule.size() > 0 {
                return Err(found);
            }
            // Latencies alone change how often the object is created: nothing to compare.
            known[index].reference.ignore_counts(&found.failure.object);
        }
    }
    Ok(Summary {
        schedules,
        covered: covered.len().min(points),
        known: points,
        kinds,
        missed: singles.missed(),
        virtual_time,
        time: begin.elapsed(),
        exhaustion: None,
    })
}
