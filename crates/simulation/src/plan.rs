//! Chooses faults: each single one at each choice point, and random combinations.

use std::collections::{BTreeMap, HashSet};

use fastrand::Rng;

use crate::{
    reference::Known,
    schedule::{Decision, Fault, PointKind, Schedule},
    simulation::Setup,
    world::Passed,
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
            faults.push(Fault::Delete(child.clone()));
            faults.push(Fault::Drift(child.clone()));
        }
    }
    if setup.replicas > 1 {
        faults.push(Fault::Pause(40_000));
    }
    faults
}

/// How early a fault is tried: those that find most come first.
fn rank(fault: &Fault) -> u8 {
    match fault {
        Fault::CrashAfter | Fault::Error(409) | Fault::Miss(_) | Fault::LostAnswer => 0,
        Fault::Hold(_) | Fault::CrashBefore | Fault::StaleRestart | Fault::Pause(_) => 1,
        _ => 2,
    }
}

/// Returns schedules of one fault at each choice point, and of phases that follow each other in a hurry: the most promising first.
pub(crate) fn singles(
    setup: &Setup,
    known: &[Known<'_>],
    seed: u64,
    random: &mut Rng,
) -> Vec<(usize, Schedule)> {
    let mut singles = Vec::new();
    // All workloads begin alike: what was tried in one comes last in the others.
    let mut tried = HashSet::new();
    for (index, of) in known.iter().enumerate() {
        let mut add = |rank: u8, from: usize, decisions: Vec<Decision>, hurry| {
            let schedule = Schedule {
                seed: seed.wrapping_add(singles.len() as u64),
                workload: of.workload.name.clone(),
                from,
                decisions,
                hurry,
                ..Schedule::default()
            };
            singles.push((rank, random.u32(..), index, schedule));
        };
        for passed in &of.points {
            for fault in faults(setup, of, passed) {
                let at = passed.point.clone();
                let new = tried.insert((at.clone(), fault.to_string()));
                let late = passed.report || !new;
                let rank = if late { 3 } else { rank(&fault) };
                let decisions = vec![Decision { at, fault }];
                add(rank, passed.phase, decisions, BTreeMap::new());
            }
        }
        for phase in 0..of.workload.phases.len().saturating_sub(1) {
            for time in [0, 5, 40, 400] {
                add(0, phase, Vec::new(), BTreeMap::from([(phase, time)]));
            }
        }
    }
    singles.sort_by_key(|(rank, turn, _, _)| (*rank, *turn));
    singles
        .into_iter()
        .map(|(_, _, index, schedule)| (index, schedule))
        .collect()
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
