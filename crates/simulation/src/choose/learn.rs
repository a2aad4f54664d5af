//! Runs a workload without faults: the other runs are compared with it.

use std::{collections::BTreeSet, sync::Arc};

use super::pages::pages;
use crate::{
    judge::{Basis, Reference, wrong_history},
    names::Names,
    oracle::Oracle,
    print::Found,
    run::{Child, Outcome, Passed, run},
    schedule::Schedule,
    settings::{Setup, Workload},
    state::{Mask, differences, pull_policies},
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
    /// The resources whose lists have a second page, if pages have one object: after each phase.
    pub(crate) pages: Vec<BTreeSet<String>>,
}

/// Runs a workload twice without faults: what differs between the two runs is compared in no other. Where names differ, this happens again, with
/// what was learned about them.
pub(crate) fn learn<'a>(
    setup: &Arc<Setup>,
    workload: &'a Workload,
    seed: u64,
    watch: &mut dyn FnMut(&[Entry]),
) -> Result<Known<'a>, Box<Found>> {
    let calm = |seed: u64, restart_at_rest: bool| Schedule {
        seed,
        workload: workload.name.clone(),
        restart_at_rest,
        ..Schedule::default()
    };
    let both = [calm(seed, false), calm(seed.wrapping_add(1), true)];
    let mut names = Names::default();
    let (first, other) = loop {
        let mut outcomes = Vec::new();
        for schedule in &both {
            let basis = basis(&names, schedule);
            let outcome = run(setup, workload, schedule, basis);
            watch(&outcome.log);
            if let Some(failure) = outcome.failure.clone() {
                let outcome = detailed(setup, workload, schedule, basis, outcome);
                // With details, it says more.
                let failure = outcome.failure.unwrap_or(failure);
                let found = Found::new(setup, schedule.clone(), failure, outcome.log);
                return Err(found.learned_with(seed));
            }
            outcomes.push(outcome);
        }
        let (Some(other), Some(first)) = (outcomes.pop(), outcomes.pop()) else {
            unreachable!("both runs have ended")
        };
        let mut learned = names.clone();
        for (one, other) in first.states.iter().zip(&other.states) {
            if let (Some(one), Some(other)) = (one, other) {
                learned.learn(one, other);
            }
        }
        if learned == names {
            break (first, other);
        }
        names = learned;
    };
    let states: Vec<_> = first.states.iter().flatten().cloned().collect();
    let policies = pull_policies(&states);
    let pairs = states.iter().zip(other.states.iter().flatten());
    let differing: Vec<Mask> = pairs
        .map(|(one, two)| {
            let found = differences(one, two, &policies).into_iter();
            let places = found.map(|it| (it.object, it.path));
            places.chain(policies.iter().cloned()).collect()
        })
        .collect();
    let counts = first.counts;
    let uncounted = counts
        .iter()
        .filter(|(key, count)| other.counts.get(*key) != Some(count))
        .map(|(key, _)| key.clone())
        .collect();
    // Without an owner, a child need not be watched; then it is left as others make it.
    let watched = first.passed.iter().filter_map(|passed| {
        let rest = passed.point.what.strip_prefix("watch ")?;
        rest.split(' ').next()
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
    children.retain(|child| is_kept(child) && !child.expires);
    let reference = Reference {
        seed,
        names,
        states,
        counts,
        rested: first.rested,
        mask: differing.iter().flatten().cloned().collect(),
        uncounted,
        refused: first.refused,
    };
    for (states, schedule) in [first.states, other.states].iter().zip(both) {
        let wrong = wrong_history(workload, states, &differing, &reference.states);
        let is_checked = !setup.without.contains(&Oracle::History);
        if let Some((phase, failure)) = wrong.filter(|_| is_checked) {
            let details = Schedule {
                detailed: true,
                ..schedule.clone()
            };
            let basis = basis(&reference.names, &schedule);
            let outcome = run(setup, workload, &details, basis);
            let mut log = outcome.log;
            log.truncate(outcome.logged.get(phase).copied().unwrap_or(log.len()));
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
    })
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
    let again = run(setup, workload, &schedule, basis);
    // An operator that is not deterministic may do something else.
    if again.failure.is_some() {
        again
    } else {
        outcome
    }
}
