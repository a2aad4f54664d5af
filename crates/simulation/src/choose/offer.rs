//! What can go wrong at a choice point, how early it is tried, and which faults are alike.

use std::collections::BTreeSet;

use super::learn::Known;
use crate::{
    fault::Fault,
    run::{Asked, Passed},
    schedule::PointKind,
    settings::Setup,
};

/// Returns what can go wrong at a point.
pub(super) fn faults(setup: &Setup, of: &Known<'_>, at: &Passed) -> Vec<Fault> {
    let (point, kind) = (&at.point, at.kind);
    let mut faults = match kind {
        _ if at.report => vec![Fault::Error(500), Fault::Disconnect],
        PointKind::Read => vec![
            Fault::Error(500),
            Fault::Disconnect,
            Fault::Error(429),
            Fault::CrashBefore,
        ],
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
            Fault::LateEffect(3_000),
            Fault::StaleReconnect,
        ],
        PointKind::Event => vec![
            Fault::Hold(3_000),
            Fault::Miss(5_000),
            Fault::Cut,
            Fault::Expire,
            Fault::Hold(60),
            Fault::Stall(45_000),
            Fault::Merge,
            Fault::Double,
        ],
    };
    if at.child.is_some() || point.what.starts_with("create ") {
        // A child with a random name that comes later than its successor: an operator can only look for such twins.
        faults.retain(|fault| !matches!(fault, Fault::LateEffect(_)));
    }
    if point.what.starts_with("event DELETED ") {
        // A child of an owner that is deleted would be created, and collected, for as long.
        faults.retain(|fault| !matches!(fault, Fault::Stall(_)));
    }
    if kind == PointKind::Write && !at.report {
        // One child for each point, so that the number of schedules stays linear.
        let turn = point.what.len() + point.occurrence as usize;
        if let Some(child) = of.children.get(turn % of.children.len().max(1)) {
            faults.push(Fault::Delete(child.path.clone()));
            if child.drifts {
                faults.push(Fault::Drift(child.path.clone()));
            }
        }
    }
    if has_second_page(of, at) {
        faults.push(Fault::ExpirePage);
    }
    if setup.replicas > 1 && !at.report {
        faults.push(Fault::Pause(40_000));
    }
    if setup.replicas > 1 && kind == PointKind::Write && point.what.contains(" leases ") {
        faults.extend([Fault::Skew(60_000), Fault::Skew(-60_000)]);
    }
    faults.retain(|fault| !setup.without_faults.contains(&fault.kind()));
    faults
}

/// Whether a list at this point, or the one that follows where the watch expires, has a second page if pages have one object.
fn has_second_page(of: &Known<'_>, at: &Passed) -> bool {
    if let Some(Asked::Pages { several, .. }) = at.asked {
        return several;
    }
    let before = at.phase.checked_sub(1).and_then(|it| of.pages.get(it));
    let (Some(before), Some(after)) = (before, of.pages.get(at.phase)) else {
        return false;
    };
    let resource = at.point.what.split(' ').nth(2).unwrap_or_default();
    at.kind == PointKind::Event && before.contains(resource) && after.contains(resource)
}

/// The rank of what is tried last.
pub(super) const LATE: u8 = 3;

/// How early a fault is tried: those that find most come first.
pub(super) fn rank(fault: &Fault) -> u8 {
    match fault {
        Fault::CrashAfter
        | Fault::Error(409)
        | Fault::Miss(_)
        | Fault::LostAnswer
        | Fault::Hold(_)
        | Fault::Delete(_)
        | Fault::Drift(_)
        | Fault::Pause(_)
        | Fault::Skew(_)
        | Fault::LateEffect(_) => 0,
        Fault::CrashBefore | Fault::StaleRestart | Fault::Error(429 | 500) | Fault::Disconnect => 1,
        _ => 2,
    }
}

/// Returns the verb, the resource and the result of a write, or the type and the resource of an event.
pub(super) fn kind_of(passed: &Passed) -> String {
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

/// Names what a fault has in common with others that need not be tried, too: its class, the point, and what the operator writes in the phase.
pub(super) fn common(fault: &Fault, passed: &Passed, written: &BTreeSet<String>) -> String {
    let class = class(fault);
    match fault {
        // Its kind matters more than the moment.
        Fault::Delete(child) | Fault::Drift(child) => {
            let kind = child.rsplit_once('/').map_or("", |(kind, _)| kind);
            format!("{class} at {kind} in {written:?}")
        }
        // What is listed matters, not when.
        Fault::ExpirePage => {
            let resource = passed.point.what.split(' ').rev().nth(1);
            format!(
                "{class} at {:?} of {}",
                passed.kind,
                resource.unwrap_or_default()
            )
        }
        _ => format!("{class} at {} in {written:?}", kind_of(passed)),
    }
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
        Fault::LateEffect(_) => 12,
        Fault::StaleReconnect => 13,
        Fault::Stall(_) => 14,
        Fault::Merge => 15,
        Fault::Double => 16,
        Fault::Skew(_) => 17,
        Fault::ExpirePage => 18,
    }
}
