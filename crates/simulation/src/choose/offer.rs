//! What can go wrong at a choice point, and which faults are alike.

use std::collections::BTreeSet;

use super::learn::Known;
use crate::{
    faults::{Fault, FaultKind, Offer},
    run::{Asked, Passed},
    schedule::{Point, PointKind, Verb},
    settings::Setup,
};

/// Returns what can go wrong at a point.
pub(super) fn faults(setup: &Setup, of: &Known<'_>, at: &Passed) -> Vec<Fault> {
    let point = &at.point;
    // One child for each point, so that the number of schedules stays linear.
    let turn = point.what().to_string().len() + point.occurrence as usize;
    let child = of.children.get(turn % of.children.len().max(1));
    let mut faults = Fault::offered(&Offer {
        point,
        is_report: at.report,
        creates: at.child.is_some() || point.verb == Verb::Create,
        child: child.map(|child| (child.path.as_str(), child.drifts)),
        has_second_page: has_second_page(of, at),
        replicas: setup.replicas,
    });
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
        class: FaultKind,
        collection: String,
        written: Written,
    },
    /// Of a list whose second page expires, what is listed matters, not when.
    Page { kind: PointKind, resource: String },
    /// A read that fails ends the reconcile, whatever is read: what follows in the phase matters, and not more than whether something does.
    Read {
        class: FaultKind,
        at: Sort,
        writes: bool,
    },
    Point {
        class: FaultKind,
        at: Sort,
        written: Written,
    },
    /// A user in a hurry, between two phases.
    Hurry { before: Written, after: Written },
}

impl Alike {
    /// The same fault at the same verb and kind, whatever else happens in the phase.
    pub(super) fn in_any_phase(&self) -> Self {
        let mut any = self.clone();
        match &mut any {
            Self::Child { written, .. } | Self::Point { written, .. } => written.clear(),
            Self::Read { writes, .. } => *writes = false,
            Self::Hurry { before, after } => {
                before.clear();
                after.clear();
            }
            Self::Page { .. } => {}
        }
        any
    }

    pub(super) fn of(fault: &Fault, passed: &Passed, written: &Written) -> Self {
        let act = fault.act();
        let (class, written) = (act.class(), written.clone());
        if act.is_about_lists() {
            return Self::Page {
                kind: passed.point.kind(),
                resource: passed.point.resource.clone(),
            };
        }
        if passed.point.kind() == PointKind::Read {
            return Self::Read {
                class,
                at: Sort::of(passed),
                writes: !written.is_empty(),
            };
        }
        match act.object() {
            Some(child) => Self::Child {
                class,
                collection: child.rsplit_once('/').map_or("", |(it, _)| it).to_owned(),
                written,
            },
            None => Self::Point {
                class,
                at: Sort::of(passed),
                written,
            },
        }
    }
}
