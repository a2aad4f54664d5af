//! What can go wrong at a choice point, how early it is tried, and which faults are alike.

use std::collections::BTreeSet;

use super::learn::Known;
use crate::{
    fault::Fault,
    run::{Asked, Passed},
    schedule::{Point, PointKind, Verb},
    settings::Setup,
};

/// Returns what can go wrong at a point.
pub(super) fn faults(setup: &Setup, of: &Known<'_>, at: &Passed) -> Vec<Fault> {
    let (point, kind) = (&at.point, at.point.kind());
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
    if at.child.is_some() || point.verb == Verb::Create {
        // A child with a random name that comes later than its successor: an operator can only look for such twins.
        faults.retain(|fault| !matches!(fault, Fault::LateEffect(_)));
    }
    if point.verb == Verb::Deleted {
        // A child of an owner that is deleted would be created, and collected, for as long.
        faults.retain(|fault| !matches!(fault, Fault::Stall(_)));
    }
    if kind == PointKind::Write && !at.report {
        // One child for each point, so that the number of schedules stays linear.
        let turn = point.what().to_string().len() + point.occurrence as usize;
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
    if setup.replicas > 1 && kind == PointKind::Write && point.resource == "leases" {
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
    let (kind, resource) = (at.point.kind(), &at.point.resource);
    kind == PointKind::Event && before.contains(resource) && after.contains(resource)
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
        Fault::Error(_)
        | Fault::ErrorAfter(_)
        | Fault::StaleReconnect
        | Fault::Stall(_)
        | Fault::Merge
        | Fault::Double
        | Fault::Cut
        | Fault::Expire
        | Fault::ExpirePage
        | Fault::Touch => 2,
    }
}

/// The verb, the resource and the result of a request, or the type and the resource of an event.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Sort {
    verb: Verb,
    resource: String,
    subresource: String,
    creates: bool,
}

impl Sort {
    pub(super) fn of(passed: &Passed) -> Self {
        let Point {
            verb,
            resource,
            subresource,
            ..
        } = &passed.point;
        Self {
            verb: *verb,
            resource: resource.clone(),
            subresource: subresource.clone(),
            creates: passed.child.is_some(),
        }
    }
}

/// What the operator writes in a phase: phases in which it writes the same are alike.
pub(super) type Written = BTreeSet<Sort>;

/// What a schedule of one fault has in common with others that need not be tried, too.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Alike {
    /// Of what another client does to a child, its collection matters more than the moment.
    Child {
        class: Class,
        collection: String,
        written: Written,
    },
    /// Of a list whose second page expires, what is listed matters, not when.
    Page { kind: PointKind, resource: String },
    /// A read that fails ends the reconcile, whatever is read: what follows in the phase matters, and not more than whether something does.
    Read {
        class: Class,
        at: Sort,
        writes: bool,
    },
    Point {
        class: Class,
        at: Sort,
        written: Written,
    },
    /// A user in a hurry, between two phases.
    Hurry { before: Written, after: Written },
}

impl Alike {
    pub(super) fn of(fault: &Fault, passed: &Passed, written: &Written) -> Self {
        let (class, written) = (Class::of(fault), written.clone());
        if passed.point.kind() == PointKind::Read && class != Class::ExpirePage {
            return Self::Read {
                class,
                at: Sort::of(passed),
                writes: !written.is_empty(),
            };
        }
        match fault {
            Fault::Delete(child) | Fault::Drift(child) => Self::Child {
                class,
                collection: child.rsplit_once('/').map_or("", |(it, _)| it).to_owned(),
                written,
            },
            Fault::ExpirePage => Self::Page {
                kind: passed.point.kind(),
                resource: passed.point.resource.clone(),
            },
            Fault::CrashBefore
            | Fault::CrashAfter
            | Fault::StaleRestart
            | Fault::StaleReconnect
            | Fault::Disconnect
            | Fault::LostAnswer
            | Fault::Error(_)
            | Fault::ErrorAfter(_)
            | Fault::LateEffect(_)
            | Fault::Hold(_)
            | Fault::Stall(_)
            | Fault::Merge
            | Fault::Double
            | Fault::Cut
            | Fault::Expire
            | Fault::Miss(_)
            | Fault::Pause(_)
            | Fault::Skew(_)
            | Fault::Touch => Self::Point {
                class,
                at: Sort::of(passed),
                written,
            },
        }
    }
}

/// Faults of one class look alike to most operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Class {
    Conflict,
    /// The request fails, without effect.
    Failure,
    /// The request has its effect, and fails.
    Unanswered,
    CrashBefore,
    CrashAfter,
    StaleRestart,
    StaleReconnect,
    LateEffect,
    /// Events come late.
    Late,
    /// One watch comes late.
    Stall,
    /// The watch ends, and a list follows.
    Ends,
    Merge,
    Double,
    ExpirePage,
    Pause,
    Skew,
    Touch,
    Delete,
    Drift,
}

impl Class {
    fn of(fault: &Fault) -> Self {
        match fault {
            Fault::Error(409) => Self::Conflict,
            Fault::Error(_) | Fault::Disconnect => Self::Failure,
            Fault::LostAnswer | Fault::ErrorAfter(_) => Self::Unanswered,
            Fault::CrashBefore => Self::CrashBefore,
            Fault::CrashAfter => Self::CrashAfter,
            Fault::StaleRestart => Self::StaleRestart,
            Fault::StaleReconnect => Self::StaleReconnect,
            Fault::LateEffect(_) => Self::LateEffect,
            Fault::Hold(_) => Self::Late,
            Fault::Stall(_) => Self::Stall,
            Fault::Cut | Fault::Expire | Fault::Miss(_) => Self::Ends,
            Fault::Merge => Self::Merge,
            Fault::Double => Self::Double,
            Fault::ExpirePage => Self::ExpirePage,
            Fault::Pause(_) => Self::Pause,
            Fault::Skew(_) => Self::Skew,
            Fault::Touch => Self::Touch,
            Fault::Delete(_) => Self::Delete,
            Fault::Drift(_) => Self::Drift,
        }
    }
}
