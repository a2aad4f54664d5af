//! Chooses schedules: each single fault at each choice point first, then random combinations; and shrinks what fails.

use std::{
    collections::HashSet,
    fmt,
    sync::Arc,
    time::{Duration, Instant},
};

use super::{
    exhaust::Exhaustion,
    learn::{Known, learn},
    plan,
};
use crate::{
    judge::Reference,
    oracle::Oracle,
    print::Found,
    run::{Outcome, run},
    schedule::Schedule,
    settings::{Budget, Setup, Workload},
    timeline::Entry,
};

/// The statistics of a simulation without violations.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Summary {
    /// How many schedules ran.
    pub schedules: u64,
    /// Choice points at which a fault happened in some schedule.
    pub covered: usize,
    /// Choice points of the runs without faults.
    pub known: usize,
    /// Whether each single fault at each choice point was tried.
    pub singles: bool,
    /// Virtual time of all runs.
    pub virtual_time: Duration,
    /// Time of the system's clock.
    pub time: Duration,
    /// What [`Simulation::exhaustive`](crate::Simulation::exhaustive) has shown.
    pub exhaustion: Option<Exhaustion>,
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = self.time.as_secs_f64();
        #[expect(clippy::cast_precision_loss, reason = "a rate for people")]
        let rate = self.schedules as f64 / seconds.max(0.001);
        if let Some(exhaustion) = self.exhaustion {
            return write!(
                f,
                "{exhaustion}, {} schedules in {seconds:.1} s ({rate:.0} per second)",
                self.schedules
            );
        }
        write!(
            f,
            "{} schedules in {seconds:.1} s ({rate:.0} per second), {} hours of virtual time, faults at {} of {} choice points{}",
            self.schedules,
            self.virtual_time.as_secs() / 3600,
            self.covered,
            self.known,
            if self.singles {
                ", each single fault tried"
            } else {
                ", not each single fault tried"
            }
        )
    }
}

/// Runs schedules until the budget is spent or an oracle is violated.
pub(crate) fn explore(
    setup: &Arc<Setup>,
    workloads: &[Workload],
    seed: u64,
    budget: Budget,
    watch: &mut dyn FnMut(&[Entry]),
) -> Result<Summary, Box<Found>> {
    let begin = Instant::now();
    let mut schedules = 0;
    let mut virtual_time = Duration::ZERO;
    let mut known = Vec::new();
    for workload in workloads {
        known.push(learn(setup, workload, seed, schedules)?);
        schedules += 2;
    }
    let points: usize = known.iter().map(|known| known.points.len()).sum();
    let mut covered = HashSet::new();
    let mut random = fastrand::Rng::with_seed(seed);
    let mut singles = plan::singles(setup, &known, seed, &mut random).into_iter();
    while !budget.is_spent(schedules, begin) {
        let (index, schedule) = match singles.next() {
            Some(single) => single,
            None => plan::combination(setup, &known, &mut random),
        };
        let of = &known[index];
        let outcome = run(setup, of.workload, &schedule, Some(&of.reference));
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
        singles: singles.next().is_none(),
        virtual_time,
        time: begin.elapsed(),
        exhaustion: None,
    })
}

/// Runs one schedule.
pub(crate) fn replay(
    setup: &Arc<Setup>,
    workloads: &[Workload],
    schedule: &Schedule,
) -> Result<Summary, Box<Found>> {
    let begin = Instant::now();
    let workload = workloads
        .iter()
        .find(|workload| workload.name == schedule.workload)
        .or(workloads.first());
    let Some(workload) = workload else {
        unreachable!("there is a workload")
    };
    let known = learn(setup, workload, schedule.seed, 0)?;
    let schedule = &Schedule {
        detailed: true,
        ..schedule.clone()
    };
    let outcome = run(setup, workload, schedule, Some(&known.reference));
    match &outcome.failure {
        Some(failure) => Err(Found::new(
            setup,
            schedule.clone(),
            failure.clone(),
            outcome.log,
            schedule.size(),
            1,
        )),
        None => Ok(Summary {
            schedules: 1,
            covered: outcome.applied,
            known: known.points.len(),
            singles: false,
            virtual_time: outcome.time,
            time: begin.elapsed(),
            exhaustion: None,
        }),
    }
}

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
            let again = run(setup, of.workload, &smaller, Some(&of.reference));
            if again.failure.as_ref().map(|failure| failure.oracle) == oracle {
                (schedule, outcome) = (smaller, again);
                continue 'smaller;
            }
        }
        break;
    }
    let outcome = detailed(setup, of.workload, &schedule, Some(&of.reference), outcome);
    let failure = outcome
        .failure
        .unwrap_or_else(|| unreachable!("the run has failed"));
    Found::new(setup, schedule, failure, outcome.log, faults, schedules)
}

/// Runs a schedule that has failed once more, for its timeline.
pub(crate) fn detailed(
    setup: &Arc<Setup>,
    workload: &Workload,
    schedule: &Schedule,
    reference: Option<&Reference>,
    outcome: Outcome,
) -> Outcome {
    let schedule = Schedule {
        detailed: true,
        ..schedule.clone()
    };
    let again = run(setup, workload, &schedule, reference);
    // An operator that is not deterministic may do something else.
    if again.failure.is_some() {
        again
    } else {
        outcome
    }
}
