//! Runs schedules until the budget is spent: each kind of fault first, then the others, and random combinations.
//!
//! Schedules are chosen in batches ([`BATCH`]), which run on all threads. Their results are read in the order in which they were chosen, and what follows
//! the first failure of a batch runs again: so a seed leads to the same search with any number of threads. A single fault counts as tried only if the
//! operator got to its point. Failures of a batch are shrunk at once, since the first one ends the search.

use std::{
    collections::{BTreeSet, HashSet, VecDeque},
    sync::Arc,
    time::{Duration, Instant},
};

use fastrand::Rng;

use super::{
    around::Scenarios,
    learn::Known,
    offer::Alike,
    plan::{self, Singles},
    shrink::{learn_all, shrink},
    summary::Summary,
    threads::on_threads,
};
use crate::{
    oracles::Oracle,
    plural::counted,
    print::Found,
    run::{Outcome, run},
    schedule::Schedule,
    settings::{Budget, Setup, Workload},
    timeline::Entry,
};

/// How many schedules are chosen before the first of them runs, with any number of threads: which they are depends on what those before have tried.
const BATCH: usize = 32;

/// A schedule of a workload, and what is tried if it is one of a single fault.
struct Next {
    workload: usize,
    schedule: Schedule,
    kind: Option<Alike>,
}

/// Which schedules come next.
struct Plan<'p> {
    setup: &'p Setup,
    budget: Budget,
    begin: Instant,
    random: Rng,
    singles: Singles,
    /// How many kinds of single faults there are.
    kinds: usize,
    /// How many schedules were chosen, and how many of them are random combinations.
    chosen: u64,
    combinations: u64,
    /// Whether the scenarios are still to be tried: after each kind of single fault, before the rest.
    waits_for_scenarios: bool,
    /// Chosen, but without a result that counts.
    again: VecDeque<Next>,
}

impl Plan<'_> {
    /// Returns the schedules that run next, which do not depend on each other.
    fn batch(&mut self, known: &[Known<'_>]) -> Vec<Next> {
        self.singles.begin_batch();
        let mut batch: Vec<Next> = self.again.drain(..).collect();
        for kind in batch.iter().filter_map(|next| next.kind.as_ref()) {
            self.singles.has_chosen(kind);
        }
        while batch.len() < BATCH {
            let Some(next) = self.choose(known) else {
                break;
            };
            self.chosen += 1;
            batch.push(next);
        }
        batch
    }

    fn choose(&mut self, known: &[Known<'_>]) -> Option<Next> {
        let is_coverage = matches!(self.budget, Budget::Coverage(_));
        // Of a coverage, the single faults are part however many there are.
        let is_spent = self
            .budget
            .is_spent(self.chosen, self.combinations, self.begin);
        if is_spent && !is_coverage {
            return None;
        }
        let mut single = self.singles.of_new_kind();
        if single.is_none() && self.waits_for_scenarios {
            return None;
        }
        if single.is_none() && !is_coverage {
            single = self.singles.of_known_kind();
        }
        if let Some(single) = single {
            return Some(Next {
                workload: single.workload,
                schedule: single.schedule,
                kind: Some(single.kind),
            });
        }
        if is_spent || self.singles.waits() {
            return None;
        }
        self.combinations += 1;
        let (workload, schedule) = plan::combination(self.setup, known, &mut self.random);
        Some(Next {
            workload,
            schedule,
            kind: None,
        })
    }

    /// Whether it is the turn of the scenarios.
    fn begins_scenarios(&mut self) -> bool {
        let is_coverage = matches!(self.budget, Budget::Coverage(_));
        let is_spent = self
            .budget
            .is_spent(self.chosen, self.combinations, self.begin);
        std::mem::take(&mut self.waits_for_scenarios) && (is_coverage || !is_spent)
    }

    /// How much of the budget is spent, for people.
    fn done(&self, schedules: u64) -> String {
        let kinds = self.kinds;
        let tried = kinds - self.singles.untried();
        let singles = format!("{tried} of {} tried", counted(kinds, "single fault"));
        let schedules = match self.budget {
            Budget::Schedules(most) => format!("{schedules} of {}", counted(most, "schedule")),
            Budget::Time(time) => format!(
                "{} in {} of {}",
                counted(schedules, "schedule"),
                self.begin.elapsed().as_secs(),
                counted(time.as_secs(), "second")
            ),
            Budget::Coverage(_) => counted(schedules, "schedule"),
        };
        let combinations = match self.budget {
            Budget::Coverage(most) => {
                format!("{} of {}", self.combinations, counted(most, "combination"))
            }
            Budget::Time(_) | Budget::Schedules(_) => counted(self.combinations, "combination"),
        };
        format!("{schedules}, {singles}, {combinations}")
    }

    /// Whether a schedule that was chosen need not run any more.
    fn is_late(&self) -> bool {
        matches!(self.budget, Budget::Time(_)) && self.budget.is_spent(0, 0, self.begin)
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
    let progress = &setup.progress;
    progress.show("each workload without faults");
    let threads = setup.threads(workloads);
    let mut known = learn_all(setup, workloads, seed, threads, watch)?;
    let begin = Instant::now();
    progress.show("each scenario once");
    let mut scenarios = first_look(setup, &known, (seed, budget), threads, watch)?;
    let mut schedules = scenarios.runs;
    let mut virtual_time = Duration::ZERO;
    let points: usize = known.iter().map(|known| known.points.len()).sum();
    let mut covered = HashSet::new();
    let mut random = Rng::with_seed(seed);
    let singles = Singles::new(setup, &known, seed, &mut random);
    let kinds = singles.untried();
    let mut plan = Plan {
        setup,
        budget,
        begin,
        random,
        singles,
        kinds,
        chosen: 0,
        combinations: 0,
        waits_for_scenarios: true,
        again: VecDeque::new(),
    };
    loop {
        let batch = plan.batch(&known);
        if batch.is_empty() && plan.begins_scenarios() {
            progress.show(format!(
                "{}; each scenario, with restarts",
                plan.done(schedules)
            ));
            let before = scenarios.runs;
            scenarios
                .try_all(setup, seed, threads, watch)
                .map_err(|found| found.after(schedules, 0))?;
            schedules += scenarios.runs - before;
            continue;
        }
        if batch.is_empty() {
            break;
        }
        progress.show(plan.done(schedules));
        let one = |next: &Next| {
            let of = &known[next.workload];
            let run = || run(setup, of.workload, &next.schedule, of.reference.basis());
            (!plan.is_late()).then(run)
        };
        let is_end = |outcome: &Option<Outcome>| {
            let outcome = outcome.as_ref();
            outcome.is_none_or(|it| it.failure.is_some())
        };
        let outcomes = on_threads(threads, &batch, one, is_end);
        let mut batch = batch.into_iter();
        for (outcome, next) in outcomes.into_iter().zip(&mut batch) {
            let Some(outcome) = outcome else { break };
            let (index, schedule) = (next.workload, next.schedule);
            schedules += 1;
            virtual_time += outcome.time;
            watch(&outcome.log);
            if outcome.applied > 0 {
                let decisions = schedule.decisions.iter();
                covered.extend(decisions.map(|it| (index, it.at.clone())));
            }
            if let Some(kind) = next.kind
                && (outcome.applied > 0 || schedule.decisions.is_empty())
            {
                plan.singles.has_tried(&kind);
            }
            if outcome.failure.is_some() {
                let of = &known[index];
                let found = shrink(setup, of, schedule, outcome, schedules);
                if found.oracle != Oracle::Counts || found.schedule.size() > 0 {
                    return Err(found);
                }
                // Latencies alone change how often the object is created: nothing to compare.
                known[index].reference.ignore_counts(&found.failure.object);
            }
        }
        // Those after a failure are compared with something else.
        plan.again.extend(batch);
        if plan.is_late() {
            break;
        }
    }
    Ok(Summary {
        schedules,
        covered: covered.len().min(points),
        known: points,
        kinds,
        missed: plan.singles.missed(),
        virtual_time,
        time: begin.elapsed(),
        scenarios: scenarios.tried.into_iter().collect(),
        doubts: doubts(setup, &known),
        taken_over: scenarios.taken_over,
        exhaustion: None,
    })
}

/// Runs each scenario once: most errors around an operator show in one run of their scenario, which is less than one for each single fault.
fn first_look(
    setup: &Arc<Setup>,
    known: &[Known<'_>],
    (seed, budget): (u64, Budget),
    threads: usize,
    watch: &mut dyn FnMut(&[Entry]),
) -> Result<Scenarios, Box<Found>> {
    let mut scenarios = Scenarios::new(setup, known);
    let may_look = match budget {
        Budget::Schedules(number) => number > scenarios.len() as u64,
        Budget::Coverage(_) | Budget::Time(_) => true,
    };
    if may_look {
        scenarios.glance(setup, seed, threads, watch)?;
    }
    Ok(scenarios)
}

/// Returns what may be an error of the operator without any fault.
fn doubts(setup: &Setup, known: &[Known<'_>]) -> Vec<String> {
    let mut doubts: BTreeSet<String> = BTreeSet::new();
    doubts.extend(known.iter().flat_map(|it| it.doubts.iter().cloned()));
    // Who has a kind of their own writes something for it; a watcher of the kinds of Kubernetes may not.
    let has_kind = !setup.crds.is_empty() && setup.outside.is_empty();
    let is_silent = has_kind && known.iter().all(|it| !it.writes);
    if is_silent && !setup.demands.without.contains(&Oracle::Accepted) {
        doubts.insert("the operator changed nothing in the runs without faults".to_owned());
    }
    doubts.into_iter().collect()
}
