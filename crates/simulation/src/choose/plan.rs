//! Chooses faults: each single one at each choice point, and random combinations.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use fastrand::Rng;

use super::learn::Known;
use crate::{
    run::Passed,
    schedule::{Decision, Fault, PointKind, Schedule},
    settings::Setup,
};

/// Returns what can go wrong at a point.
fn faults(setup: &Setup, of: &Known<'_>, at: &Passed) -> Vec<Fault> {
    let (point, kind) = (&at.point, at.kind);
    if at.report {
        return vec![Fault::Error(500), Fault::Disconnect];
    }
    let mut faults = match kind {
        PointKind::Read => vec![Fault::Error(500), Fault::Disconnect, Fault::Error(429)],
        PointKind::Write => vec![
            Fault::CrashAfter,
            Fault::CrashBefore,
            Fault::LostAnswer,
            Fault::StaleRestart,
            Fault::Touch,
            Fault::Error(500),
            Fault::Error(409),
            Fault::Error(429),
            Fault::ErrorAfter(504),
        ],
        PointKind::Event => vec![
            Fault::Hold(3_000),
            Fault::Miss(5_000),
            Fault::Cut,
            Fault::Expire,
            Fault::Hold(60),
        ],
    };
    if kind == PointKind::Write {
        // One child for each point, so that the number of schedules stays linear.
        let turn = point.what.len() + point.occurrence as usize;
        if let Some(child) = of.children.get(turn % of.children.len().max(1)) {
            faults.push(Fault::Delete(child.path.clone()));
            if child.drifts {
                faults.push(Fault::Drift(child.path.clone()));
            }
        }
    }
    if setup.replicas > 1 {
        faults.push(Fault::Pause(40_000));
    }
    faults
}

/// The rank of what is tried last.
const LATE: u8 = 3;

/// How early a fault is tried: those that find most come first.
fn rank(fault: &Fault) -> u8 {
    match fault {
        Fault::CrashAfter
        | Fault::Error(409)
        | Fault::Miss(_)
        | Fault::LostAnswer
        | Fault::Hold(_)
        | Fault::Delete(_)
        | Fault::Drift(_)
        | Fault::Pause(_) => 0,
        Fault::CrashBefore | Fault::StaleRestart | Fault::Error(429 | 500) | Fault::Disconnect => 1,
        _ => 2,
    }
}

/// Returns the verb, the resource and the result of a write, or the type and the resource of an event.
fn kind_of(passed: &Passed) -> String {
    let words = if passed.kind == PointKind::Event {
        3
    } else {
        2
    };
    let what: Vec<_> = passed.point.what.split(' ').take(words).collect();
    let creates = if passed.child.is_some() {
        ", created"
    } else {
        ""
    };
    format!("{}{creates}", what.join(" "))
}

/// Returns what the operator writes in each phase: phases in which it writes the same are alike.
fn written(of: &Known<'_>) -> Vec<BTreeSet<String>> {
    let mut written = vec![BTreeSet::new(); of.workload.phases.len()];
    for passed in of.points.iter().filter(|it| it.effect && !it.report) {
        if passed.kind == PointKind::Write {
            written[passed.phase].insert(kind_of(passed));
        }
    }
    written
}

/// Returns the class of a fault: faults of one class look alike to most operators.
fn class(fault: &Fault) -> u8 {
    match fault {
        Fault::Error(409) => 0,
        Fault::Error(_) | Fault::Disconnect => 1,
        Fault::LostAnswer | Fault::ErrorAfter(_) => 2,
        Fault::CrashBefore => 3,
        Fault::CrashAfter => 4,
        Fault::StaleRestart => 5,
        Fault::Hold(_) => 6,
        Fault::Cut | Fault::Expire | Fault::Miss(_) => 7,
        Fault::Pause(_) => 8,
        Fault::Touch => 9,
        Fault::Delete(_) => 10,
        Fault::Drift(_) => 11,
    }
}

/// A schedule with what decides when it is tried.
struct Single {
    /// What it has in common with others.
    kind: String,
    rank: u8,
    turn: u32,
    workload: usize,
    schedule: Schedule,
}

/// Returns schedules of one fault at each choice point, and of phases that follow each other in a hurry: each class of faults once at each kind of
/// request and event of each kind of phase, then each once more at another point, and so on; the most promising more often.
pub(crate) fn singles(
    setup: &Setup,
    known: &[Known<'_>],
    seed: u64,
    random: &mut Rng,
) -> Vec<(usize, Schedule)> {
    let mut singles = Vec::new();
    // Many phases are alike: what was tried in one comes last in the others.
    let mut tried = HashSet::new();
    for (index, of) in known.iter().enumerate() {
        let mut add = |kind, rank, from: usize, decisions: Vec<Decision>, hurry| {
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
                let what = match &fault {
                    // Its kind matters more than the moment.
                    Fault::Delete(child) | Fault::Drift(child) => {
                        let kind = child.rsplit_once('/').map_or("", |(kind, _)| kind);
                        kind.to_owned()
                    }
                    _ => kind_of(passed),
                };
                let kind = format!("{} at {what} in {phase:?}", class(&fault));
                let new = tried.insert((phase.clone(), at.clone(), fault.to_string()));
                let late = passed.report || !new;
                let rank = if late { LATE } else { rank(&fault) };
                let decisions = vec![Decision { at, fault }];
                add(kind, rank, passed.phase, decisions, BTreeMap::new());
            }
        }
        for phase in 0..of.workload.phases.len().saturating_sub(1) {
            for time in [0, 5, 40, 400] {
                let kind = format!("{:?} before {:?}", written[phase], written[phase + 1]);
                add(kind, 0, phase, Vec::new(), BTreeMap::from([(phase, time)]));
            }
        }
    }
    singles.sort_by_key(|it| (it.rank, it.turn));
    let mut rounds: HashMap<String, u32> = HashMap::new();
    let mut ordered: Vec<_> = singles
        .into_iter()
        .map(|single| {
            let round = rounds.entry(single.kind).or_default();
            *round += 1;
            // The most promising have more rounds than the others.
            let turn = *round * u32::from(single.rank + 2);
            let last = single.rank == LATE;
            ((last, turn), (single.workload, single.schedule))
        })
        .collect();
    ordered.sort_by_key(|(turn, _)| *turn);
    ordered.into_iter().map(|(_, single)| single).collect()
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
            let fault = faults[random.usize(..faults.len())].clone();
            let at = passed.point.clone();
            decisions.push(Decision { at, fault });
        }
    }
    let mut hurry = BTreeMap::new();
    for phase in phases.start..phases.end.min(of.workload.phases.len() - 1) {
        if random.u8(..4) == 0 {
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
