//! Enumerates all orders and faults of a small world, depth first. States that were seen are not continued, and orders of moves that commute
//! count as one.

use std::{
    collections::{BTreeSet, HashMap},
    sync::{Arc, Mutex, PoisonError},
    time::Instant,
};

use super::{
    learn::{Known, learn},
    shrink::shrink,
    summary::{Exhaustion, Summary},
};
use crate::{
    faults::Fault,
    oracles::Oracle,
    plural::counted,
    print::Found,
    run::{Choice, Decide, Move, run_steered},
    schedule::{Decision, Schedule},
    settings::{Budget, Setup, Workload},
};

/// One thing that can happen next: a move, and a fault at it.
type Alternative = (Move, Option<Fault>);

/// A state on the way of the current run, with what can happen next in it.
struct Branch {
    alternatives: Vec<Alternative>,
    /// The alternative of the current run.
    current: usize,
    /// Moves that other runs have made here, and that make no difference until something happens that does not commute with them.
    asleep: BTreeSet<Move>,
    faults: usize,
}

impl Branch {
    /// Returns the moves that are asleep after the current alternative.
    fn asleep_after(&self) -> BTreeSet<Move> {
        let (chosen, fault) = &self.alternatives[self.current];
        if fault.is_some() {
            return BTreeSet::new();
        }
        let done = self.alternatives[..self.current].iter();
        let done = done.filter(|(_, fault)| fault.is_none()).map(|(it, _)| it);
        let commuting = |it: &&Move| it.commutes(chosen);
        self.asleep
            .iter()
            .chain(done)
            .filter(commuting)
            .cloned()
            .collect()
    }

    fn faults_after(&self) -> usize {
        self.faults + usize::from(self.alternatives[self.current].1.is_some())
    }
}

/// A depth-first search, over several runs.
#[derive(Default)]
struct Search {
    path: Vec<Branch>,
    /// How many choices the current run has made.
    depth: usize,
    most_faults: usize,
    /// States, each with the number of faults before it, and what was asleep.
    visited: HashMap<u64, Vec<(usize, BTreeSet<Move>)>>,
    /// The choices of the current run, for a replay.
    order: Vec<usize>,
    /// Whether a run did not follow the path of the one before.
    diverged: bool,
}

impl Search {
    /// Returns whether the state needs no continuation.
    fn is_known(&mut self, state: u64, faults: usize, asleep: &BTreeSet<Move>) -> bool {
        let known = self.visited.entry(state).or_default();
        let covers = |(before, slept): &(usize, BTreeSet<Move>)| {
            *before <= faults && slept.is_subset(asleep)
        };
        if known.iter().any(covers) {
            return true;
        }
        known.push((faults, asleep.clone()));
        false
    }

    /// Goes on to the next alternative of the deepest state that has one; `false` if all were tried.
    fn next_path(&mut self) -> bool {
        while let Some(branch) = self.path.last_mut() {
            branch.current += 1;
            if branch.current < branch.alternatives.len() {
                return true;
            }
            self.path.pop();
        }
        false
    }
}

/// Returns the object of the user whose moves are next, if all moves are known to concern one: those of different objects commute, so that the
/// others can wait. Also around a crash, each object goes through all histories of its own, but not through all combinations with those of
/// the others.
fn next_family<'a>(moves: &'a [Move], asleep: &BTreeSet<Move>) -> Option<&'a str> {
    if moves.iter().any(|it| it.family.is_none()) {
        return None;
    }
    let awake = moves.iter().filter(|it| !asleep.contains(it));
    let families = |it: &'a Move| it.family.as_deref();
    awake
        .filter_map(families)
        .min()
        .or_else(|| moves.iter().filter_map(families).min())
}

impl Decide for Search {
    fn decide(
        &mut self,
        moves: &[Move],
        state: &mut dyn FnMut() -> u64,
        faults_at: &dyn Fn(&Move) -> Vec<Fault>,
    ) -> Option<Choice> {
        if self.depth == self.path.len() {
            let last = self.path.last();
            let asleep = last.map(Branch::asleep_after).unwrap_or_default();
            let faults = last.map_or(0, Branch::faults_after);
            if self.is_known(state(), faults, &asleep) {
                return None;
            }
            let family = next_family(moves, &asleep);
            let moves = moves
                .iter()
                .filter(|it| family.is_none_or(|family| it.family.as_deref() == Some(family)));
            let awake = moves.clone().filter(|it| !asleep.contains(it));
            let mut alternatives: Vec<Alternative> = awake.map(|it| (it.clone(), None)).collect();
            if faults < self.most_faults {
                for it in moves {
                    let faults = faults_at(it).into_iter();
                    alternatives.extend(faults.map(|fault| (it.clone(), Some(fault))));
                }
            }
            if alternatives.is_empty() {
                return None;
            }
            self.path.push(Branch {
                alternatives,
                current: 0,
                asleep,
                faults,
            });
        }
        let branch = &self.path[self.depth];
        let (chosen, fault) = &branch.alternatives[branch.current];
        let Some(index) = moves.iter().position(|it| it == chosen) else {
            self.diverged = true;
            return None;
        };
        self.depth += 1;
        self.order.push(index);
        Some((index, fault.clone()))
    }
}

/// Tries all orders with no fault, with one, and so on.
pub(crate) fn exhaust(
    setup: &Arc<Setup>,
    workloads: &[Workload],
    seed: u64,
    budget: Budget,
    most_faults: usize,
) -> Result<Summary, Box<Found>> {
    let mut known = Vec::new();
    for workload in workloads {
        known.push(learn(setup, workload, seed, &mut |_| {})?);
    }
    let begin = Instant::now();
    let mut progress = Summary {
        known: known.iter().map(|known| known.points.len()).sum(),
        ..Summary::default()
    };
    let mut exhaustion = Exhaustion {
        states: 0,
        faults: 0,
        complete: true,
    };
    for faults in 0..=most_faults {
        exhaustion.faults = faults;
        exhaustion.states = 0;
        for of in &mut known {
            let name = &of.workload.name;
            let most = counted(faults, "fault");
            setup.progress.show(format!(
                "all orders of workload \"{name}\", with up to {most}"
            ));
            let (states, complete) = search(setup, of, seed, faults, &mut progress, |schedules| {
                let Budget::Coverage(_) = budget else {
                    return budget.is_spent(schedules, 0, begin);
                };
                // Single faults are no measure of orders.
                false
            })?;
            exhaustion.states += states;
            exhaustion.complete &= complete;
        }
        if !exhaustion.complete {
            break;
        }
    }
    progress.exhaustion = Some(exhaustion);
    progress.time = begin.elapsed();
    Ok(progress)
}

/// Returns the number of states, and whether all were visited.
fn search(
    setup: &Arc<Setup>,
    of: &mut Known<'_>,
    seed: u64,
    most_faults: usize,
    progress: &mut Summary,
    is_spent: impl Fn(u64) -> bool,
) -> Result<(u64, bool), Box<Found>> {
    let search = Arc::new(Mutex::new(Search {
        most_faults,
        ..Search::default()
    }));
    loop {
        let schedule = Schedule {
            seed,
            workload: of.workload.name.clone(),
            ..Schedule::default()
        };
        let outcome = run_steered(
            setup,
            of.workload,
            &schedule,
            of.reference.basis(),
            search.clone(),
        );
        progress.schedules += 1;
        progress.virtual_time += outcome.time;
        let mut search = search.lock().unwrap_or_else(PoisonError::into_inner);
        if outcome.failure.is_some() {
            let schedule = Schedule {
                decisions: decisions(&search.path[..search.depth]),
                order: Some(search.order.clone()),
                ..schedule
            };
            let found = shrink(setup, of, schedule, outcome, progress.schedules);
            if found.oracle != Oracle::Counts || !found.schedule.decisions.is_empty() {
                return Err(found);
            }
            // The order alone changes how often the object is created.
            of.reference.ignore_counts(&found.failure.object);
        }
        let states = search.visited.len() as u64;
        if search.diverged || is_spent(progress.schedules) {
            return Ok((states, false));
        }
        search.depth = 0;
        search.order.clear();
        if !search.next_path() {
            return Ok((states, true));
        }
    }
}

/// Returns the faults of a run.
fn decisions(path: &[Branch]) -> Vec<Decision> {
    let chosen = path
        .iter()
        .map(|branch| &branch.alternatives[branch.current]);
    chosen
        .filter_map(|(it, fault)| {
            let (at, fault) = (it.point.clone(), fault.clone()?);
            Some(Decision { at, fault })
        })
        .collect()
}
