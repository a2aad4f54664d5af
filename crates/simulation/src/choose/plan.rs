//! Chooses faults: each kind once at each kind of choice point, then at the others, and random combinations.
//!
//! The order is what a small budget gets: a fault that is unlike all others teaches more than the same one at the next object, or in the next phase. So
//! the first of each class at each verb and kind comes before any second one. A chosen fault may not happen, because the run took another path. Then
//! another schedule of its kind replaces it, and as a last resort the run that showed the point.

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};

use fastrand::Rng;

use super::{
    learn::Known,
    offer::{Alike, Sort, Written, faults},
};
use crate::{
    faults::{FaultKind, Rank},
    schedule::{Decision, Schedule},
    settings::Setup,
};

/// Returns what the operator writes in each phase.
fn written(of: &Known<'_>) -> Vec<Written> {
    let mut written = vec![Written::new(); of.workload.phases.len()];
    for passed in of.points.iter().filter(|it| it.effect && !it.report) {
        if passed.point.verb.is_write() {
            written[passed.phase].insert(Sort::of(passed));
        }
    }
    written
}

/// A schedule of one fault, with what decides when it is tried.
pub(crate) struct Single {
    /// What it has in common with others.
    pub(super) kind: Alike,
    /// Whether an Event or a Lease is written: a new process may have none to write where the one before it had.
    report: bool,
    rank: Rank,
    turn: u32,
    pub(crate) workload: usize,
    pub(crate) schedule: Schedule,
}

impl Single {
    /// Returns the same fault in the run without faults that has shown its point, which gets there for certain.
    fn in_first_run(&self, seed: u64) -> Option<Self> {
        let schedule = Schedule {
            seed,
            from: 0,
            ..self.schedule.clone()
        };
        let kind = self.kind.clone();
        let is_needed = !schedule.decisions.is_empty() && !self.report;
        is_needed.then_some(Self {
            kind,
            schedule,
            ..*self
        })
    }
}

/// The schedules of one fault each, in the order in which they are tried.
pub(crate) struct Singles {
    /// The kinds that were not tried, each with one of its schedules in words; those of reports need none.
    untried: BTreeMap<Alike, Option<String>>,
    next: VecDeque<Single>,
    /// Those of a kind that was tried before them.
    later: VecDeque<Single>,
    /// The kinds of the schedules that were chosen and have no result yet.
    chosen: HashSet<Alike>,
    /// Those of a chosen kind: they come next if that schedule does not get to its fault.
    waiting: Vec<Single>,
    /// One of each kind in the run that has shown its point, for the kinds of which no other schedule gets to its fault. What comes with the age
    /// of a process, such as the end of a watch, is in no run that begins with the phase.
    in_first_run: VecDeque<Single>,
}

impl Singles {
    pub(crate) fn new(setup: &Setup, known: &[Known<'_>], seed: u64, random: &mut Rng) -> Self {
        let next = singles(setup, known, seed, random);
        let mut untried = BTreeMap::new();
        let mut in_first_run = VecDeque::new();
        for single in &next {
            let words = || (!single.report).then(|| words(&single.schedule));
            untried.entry(single.kind.clone()).or_insert_with(|| {
                in_first_run.extend(single.in_first_run(seed));
                words()
            });
        }
        Self {
            untried,
            next: next.into(),
            later: VecDeque::new(),
            chosen: HashSet::new(),
            waiting: Vec::new(),
            in_first_run,
        }
    }

    /// Returns the next schedule of a kind that was neither tried nor chosen.
    pub(crate) fn of_new_kind(&mut self) -> Option<Single> {
        while let Some(single) = self.next.pop_front() {
            if !self.untried.contains_key(&single.kind) {
                self.later.push_back(single);
            } else if self.chosen.insert(single.kind.clone()) {
                return Some(single);
            } else {
                self.waiting.push(single);
            }
        }
        if self.waits() {
            return None;
        }
        let untried = &self.untried;
        let chosen = &mut self.chosen;
        self.in_first_run
            .retain(|it| untried.contains_key(&it.kind));
        let mut singles = self.in_first_run.iter();
        let next = singles.position(|it| chosen.insert(it.kind.clone()))?;
        self.in_first_run.remove(next)
    }

    /// Whether a result decides if a schedule is needed.
    pub(crate) fn waits(&self) -> bool {
        !self.waiting.is_empty()
    }

    /// Begins to choose schedules again, all those chosen before having a result.
    pub(crate) fn begin_batch(&mut self) {
        self.chosen.clear();
        for single in self.waiting.drain(..).rev() {
            self.next.push_front(single);
        }
    }

    /// Notes that a schedule of this kind was chosen again.
    pub(super) fn has_chosen(&mut self, kind: &Alike) {
        self.chosen.insert(kind.clone());
    }

    /// Returns the next schedule of a kind that was tried.
    pub(crate) fn of_known_kind(&mut self) -> Option<Single> {
        self.later.pop_front()
    }

    pub(super) fn has_tried(&mut self, kind: &Alike) {
        self.untried.remove(kind);
    }

    /// Returns what was not tried, in words.
    pub(crate) fn missed(self) -> Vec<String> {
        self.untried.into_values().flatten().collect()
    }

    /// Returns the number of kinds that were not tried.
    pub(crate) fn untried(&self) -> usize {
        self.untried.values().flatten().count()
    }
}

/// Describes a schedule of one fault.
fn words(schedule: &Schedule) -> String {
    let Schedule { workload, from, .. } = schedule;
    match schedule.decisions.first() {
        Some(decision) => format!(
            "{}: at {} (workload \"{workload}\", phase {from})",
            decision.fault, decision.at
        ),
        None => format!("the user does not wait after phase {from} of workload \"{workload}\""),
    }
}

/// Returns schedules of one fault at each choice point, and of phases that follow each other in a hurry: each class of faults once at each kind of
/// request and event, then in each kind of phase, then each once more at another point, and so on; the most promising more often.
fn singles(setup: &Setup, known: &[Known<'_>], seed: u64, random: &mut Rng) -> Vec<Single> {
    let mut singles = Vec::new();
    // Many phases are alike: what was tried in one comes last in the others.
    let mut tried = HashSet::new();
    for (index, of) in known.iter().enumerate() {
        let mut add = |kind, report, rank, from: usize, decisions: Vec<Decision>, hurry| {
            let schedule = Schedule {
                seed: seed.wrapping_add(singles.len() as u64),
                workload: of.workload.name.clone(),
                from,
                decisions,
                hurry,
                ..Schedule::default()
            };
            singles.push(Single {
                kind,
                report,
                rank,
                turn: random.u32(..),
                workload: index,
                schedule,
            });
        };
        let written = written(of);
        for passed in &of.points {
            for fault in faults(setup, of, passed) {
                let at = passed.point.clone();
                let phase = &written[passed.phase];
                let kind = Alike::of(&fault, passed, phase);
                let new = tried.insert((phase.clone(), at.clone(), fault.clone()));
                let late = passed.report || !new;
                let rank = if late { Rank::Last } else { fault.act().rank() };
                let decisions = vec![Decision { at, fault }];
                add(
                    kind,
                    passed.report,
                    rank,
                    passed.phase,
                    decisions,
                    BTreeMap::new(),
                );
            }
        }
        let phases = of.workload.phases.len().saturating_sub(1);
        let phases = if hurries(setup) { phases } else { 0 };
        for phase in 0..phases {
            for time in [0, 5, 40, 400] {
                let kind = Alike::Hurry {
                    before: written[phase].clone(),
                    after: written[phase + 1].clone(),
                };
                add(
                    kind,
                    false,
                    Rank::First,
                    phase,
                    Vec::new(),
                    BTreeMap::from([(phase, time)]),
                );
            }
        }
    }
    singles.sort_by_key(|it| (it.rank, it.turn));
    let mut rounds: HashMap<Alike, u32> = HashMap::new();
    // The first fault of its class at a request of its verb and kind teaches more than the same in another phase.
    let mut tried_kinds = HashSet::new();
    let mut ordered: Vec<_> = singles
        .into_iter()
        .map(|single| {
            let round = rounds.entry(single.kind.clone()).or_default();
            *round += 1;
            // The most promising have more rounds than the others.
            let turn = *round * (single.rank as u32 + 2);
            let last = single.rank == Rank::Last;
            let is_known = !tried_kinds.insert(single.kind.in_any_phase());
            ((last, is_known, turn), single)
        })
        .collect();
    ordered.sort_by_key(|(turn, _)| *turn);
    ordered.into_iter().map(|(_, single)| single).collect()
}

/// Whether users begin a phase before the operator is at rest.
fn hurries(setup: &Setup) -> bool {
    !setup.without_faults.contains(&FaultKind::Hurry)
}

/// Returns a random schedule of several faults. Most begin with what the phases before have left, and have their faults in two phases: faults
/// act together when they are near each other.
pub(crate) fn combination(
    setup: &Setup,
    known: &[Known<'_>],
    random: &mut Rng,
) -> (usize, Schedule) {
    let index = random.usize(..known.len());
    let of = &known[index];
    let phases = of.workload.phases.len();
    let phases = if phases < 2 || random.u8(..6) == 0 {
        0..phases
    } else {
        let from = random.usize(1..phases);
        from..phases.min(from + 2)
    };
    let points = of.points.iter();
    let points: Vec<_> = points.filter(|it| phases.contains(&it.phase)).collect();
    let mut decisions = Vec::new();
    if !points.is_empty() {
        for _ in 0..random.usize(1..=setup.most_faults.max(1)) {
            let passed = points[random.usize(..points.len())];
            let faults = faults(setup, of, passed);
            if let Some(fault) = faults.get(random.usize(..faults.len().max(1))) {
                let (at, fault) = (passed.point.clone(), fault.clone());
                decisions.push(Decision { at, fault });
            }
        }
    }
    let mut hurry = BTreeMap::new();
    // A create that takes effect after the deletion of all that it belongs to: no operator can clean up then.
    let is_late = |decision: &Decision| decision.fault.act().outlasts_phases();
    let may_hurry = hurries(setup) && !decisions.iter().any(is_late);
    for phase in phases.start..phases.end.min(of.workload.phases.len() - 1) {
        if random.u8(..4) == 0 && may_hurry {
            hurry.insert(phase, random.u64(..1_000));
        }
    }
    let schedule = Schedule {
        seed: random.u64(..),
        workload: of.workload.name.clone(),
        from: phases.start,
        decisions,
        hurry,
        restart_at_rest: random.u8(..8) == 0,
        ..Schedule::default()
    };
    (index, schedule)
}
