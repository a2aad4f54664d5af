//! Runs a workload without faults: the other runs are compared with it.

use std::{collections::BTreeSet, sync::Arc};

use super::{calm::Calm, experiments::experiments, pages::pages};
use crate::{
    judge::{Allocated, Basis, Reference, allocated, runs_once, without_allocated},
    names::Names,
    oracles::{AfterRestart, Failure, Oracle, Variety, wrong_history},
    print::Found,
    run::{Child, Outcome, Passed, run},
    schedule::{Point, Schedule, Verb},
    settings::{Setup, Workload},
    state::{Mask, State, differences, pull_policies},
    timeline::Entry,
};

/// A workload with what its runs without faults have shown.
pub(crate) struct Known<'a> {
    pub(crate) workload: &'a Workload,
    pub(crate) reference: Reference,
    /// The choice points of the first run.
    pub(crate) points: Vec<Passed>,
    /// What the operator created, and puts right where others change it.
    pub(crate) children: Vec<Child>,
    /// All that it created.
    pub(crate) created: Vec<Child>,
    /// What may be an error without any fault, in sentences.
    pub(crate) doubts: BTreeSet<String>,
    /// Whether the operator has written anything, also an Event.
    pub(crate) writes: bool,
    /// The resources whose lists have a second page, if pages have one object: after each phase.
    pub(crate) pages: Vec<BTreeSet<String>>,
}

/// The first run without faults, and the second one, in which the operator is restarted whenever it is at rest.
fn schedules(workload: &Workload, seed: u64) -> [Schedule; 2] {
    let schedule = |seed: u64, restart_at_rest: bool| Schedule {
        seed,
        workload: workload.name.clone(),
        restart_at_rest,
        ..Schedule::default()
    };
    [schedule(seed, false), schedule(seed.wrapping_add(1), true)]
}

/// Runs a workload once without faults, which shows most of what a scenario can show. [`learn_after`] goes on.
pub(crate) fn glance(
    setup: &Arc<Setup>,
    workload: &Workload,
    seed: u64,
    watch: &mut dyn FnMut(&[Entry]),
) -> Result<Outcome, Box<Found>> {
    let [schedule, _] = schedules(workload, seed);
    calm_run(setup, workload, &schedule, &Names::default(), seed, watch)
}

/// Runs a schedule without faults.
fn calm_run(
    setup: &Arc<Setup>,
    workload: &Workload,
    schedule: &Schedule,
    names: &Names,
    seed: u64,
    watch: &mut dyn FnMut(&[Entry]),
) -> Result<Outcome, Box<Found>> {
    let basis = basis(names, schedule);
    let outcome = run(setup, workload, schedule, basis);
    watch(&outcome.log);
    let Some(failure) = outcome.failure.clone() else {
        return Ok(outcome);
    };
    let outcome = detailed(setup, workload, schedule, basis, outcome);
    // With details, it says more.
    let failure = outcome.failure.unwrap_or(failure);
    let found = Found::new(setup, schedule.clone(), failure, outcome.log);
    Err(found.learned_with(seed))
}

/// Runs a workload twice without faults: what differs between the two runs is compared in no other. Where names differ, this happens again, with
/// what was learned about them.
pub(crate) fn learn<'a>(
    setup: &Arc<Setup>,
    workload: &'a Workload,
    seed: u64,
    watch: &mut dyn FnMut(&[Entry]),
) -> Result<Known<'a>, Box<Found>> {
    learn_after(setup, workload, seed, None, watch)
}

/// As [`learn`], after a first run.
pub(crate) fn learn_after<'a>(
    setup: &Arc<Setup>,
    workload: &'a Workload,
    seed: u64,
    first: Option<Outcome>,
    watch: &mut dyn FnMut(&[Entry]),
) -> Result<Known<'a>, Box<Found>> {
    let both = schedules(workload, seed);
    let (first, other, names) = run_both(setup, workload, &both, first, watch)?;
    let calm = Calm::of(setup, workload, &first);
    if let Some(failure) = calm.failure {
        let [schedule, _] = &both;
        let outcome = detailed(setup, workload, schedule, basis(&names, schedule), first);
        let found = Found::new(setup, schedule.clone(), failure, outcome.log);
        return Err(found.learned_with(seed));
    }
    let states: Vec<_> = first.states.iter().flatten().cloned().collect();
    let both_runs = states.iter().chain(other.states.iter().flatten());
    let allocated = allocated(
        |object| setup.demands.is_object_of_user(object),
        both_runs.map(Arc::as_ref),
    );
    let differing = differing(&states, &other, &allocated);
    let uncounted = first
        .counts
        .iter()
        .filter(|(key, count)| other.counts.get(*key) != Some(count))
        .map(|(key, _)| key.clone())
        .collect();
    let (children, created) = children(&first, &states);
    let reference = Reference {
        seed,
        names,
        states,
        counts: first.counts,
        rested: first.rested,
        mask: differing.iter().flatten().cloned().collect(),
        allocated,
        uncounted,
        rejected: first.rejected,
    };
    for (states, schedule) in [first.states, other.states].iter().zip(both) {
        let wrong = wrong_history(
            &reference.allocated,
            workload,
            states,
            &differing,
            &reference.states,
        );
        let is_checked = !setup.demands.without.contains(&Oracle::History);
        if let Some((phase, violation)) = wrong.filter(|_| is_checked) {
            let details = Schedule {
                detailed: true,
                ..schedule.clone()
            };
            let basis = basis(&reference.names, &schedule);
            let outcome = run(setup, workload, &details, basis);
            let mut log = outcome.log;
            log.truncate(outcome.logged.get(phase).copied().unwrap_or(log.len()));
            // The second run restarts the operator after each phase but the last, and nothing changes.
            let is_last = phase + 1 == workload.phases.len();
            let is_random = violation.differences.iter().all(|it| {
                let place = (it.object.clone(), it.path.clone());
                reference.mask.contains(&place)
            });
            let violation = if is_random {
                violation.of(Variety::Random)
            } else {
                violation
            };
            let mut failure = Failure {
                after_restart: (!is_last).then_some(AfterRestart::AsBefore),
                ..violation.by(Oracle::History)
            };
            let basis = reference.basis();
            experiments(setup, workload, &schedule, basis, &mut failure, &log);
            return Err(Found::new(setup, schedule, failure, log).learned_with(seed));
        }
    }
    Ok(Known {
        workload,
        pages: pages(setup, &first.passed, &reference.rested),
        reference,
        points: first.passed,
        children,
        created,
        doubts: calm.doubts,
        writes: calm.writes,
    })
}

/// Runs both schedules, until nothing more is learned about names.
fn run_both(
    setup: &Arc<Setup>,
    workload: &Workload,
    both: &[Schedule; 2],
    mut known: Option<Outcome>,
    watch: &mut dyn FnMut(&[Entry]),
) -> Result<(Outcome, Outcome, Names), Box<Found>> {
    let [one, two] = both;
    let mut names = Names::default();
    loop {
        let mut run = |schedule| calm_run(setup, workload, schedule, &names, one.seed, watch);
        let first = match known.take() {
            Some(first) => first,
            None => run(one)?,
        };
        let other = run(two)?;
        let mut learned = names.clone();
        for (one, other) in first.states.iter().zip(&other.states) {
            if let (Some(one), Some(other)) = (one, other) {
                learned.learn(one, other);
            }
        }
        if learned == names {
            return Ok((first, other, names));
        }
        names = learned;
    }
}

/// Returns the places that differ between two runs without faults, after each phase.
fn differing(states: &[Arc<State>], other: &Outcome, allocated: &Allocated) -> Vec<Mask> {
    let policies = pull_policies(states);
    let pairs = states.iter().zip(other.states.iter().flatten());
    pairs
        .map(|(one, two)| {
            let found = without_allocated(allocated, two, differences(one, two, &policies));
            let places = found.into_iter().map(|it| (it.object, it.path));
            places.chain(policies.iter().cloned()).collect()
        })
        .collect()
}

/// Returns the children that the operator puts right where others change them, and all that it has created.
fn children(first: &Outcome, states: &[Arc<State>]) -> (Vec<Child>, Vec<Child>) {
    // Without an owner, a child need not be watched; then it is left as others make it.
    let watched = first.passed.iter().filter_map(|passed| {
        let Point { verb, resource, .. } = &passed.point;
        (*verb == Verb::Watch).then_some(resource.as_str())
    });
    let watched: BTreeSet<&str> = watched.collect();
    let is_kept = |child: &Child| child.is_owned || watched.contains(child.plural());
    let created = first
        .passed
        .iter()
        .filter_map(|passed| passed.child.clone());
    let mut created: Vec<_> = created.collect();
    created.sort();
    created.dedup_by(|next, kept| next.path == kept.path);
    let mut children = created.clone();
    let runs_once = |child: &Child| {
        let mut states = states.iter();
        states.any(|state| child.key().is_some_and(|key| runs_once(state, &key)))
    };
    children.retain(|child| is_kept(child) && !child.expires && !runs_once(child));
    (children, created)
}

/// Returns the basis of a run without faults.
fn basis<'a>(names: &'a Names, schedule: &Schedule) -> Basis<'a> {
    Basis {
        names,
        seed: schedule.seed,
        reference: None,
    }
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
    let mut again = run(setup, workload, &schedule, basis);
    if let Some(failure) = &mut again.failure {
        experiments(setup, workload, &schedule, basis, failure, &again.log);
    }
    // An operator that is not deterministic may do something else.
    if again.failure.is_some() || outcome.failure.is_none() {
        again
    } else {
        outcome
    }
}
