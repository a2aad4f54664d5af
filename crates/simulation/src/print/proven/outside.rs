//! Causes in what the operator does outside of the cluster: the timeline has each change there, and its place among the requests.

use std::time::Duration;

use super::{is_outside, last_act, puts_right, requests};
use crate::{
    experiment::Experiment,
    oracles::{AfterRestart, Oracle},
    print::Found,
    schedule::{Point, Verb},
    state::Difference,
    timeline::{Answered, Change, Deed, Entry, Happening, Outside},
};

/// The changes outside of the cluster, with their places in the history.
fn changes(found: &Found) -> impl DoubleEndedIterator<Item = (usize, Duration, &Outside)> {
    let log = found.log.iter().enumerate();
    log.filter_map(|(at, entry)| Some((at, entry.at, entry.outside()?)))
}

/// The changes of the entry that a difference is about.
fn changes_of<'f>(
    found: &'f Found,
    wrong: &'f Difference,
) -> impl DoubleEndedIterator<Item = (usize, Duration, &'f Outside)> {
    changes(found).filter(|(_, _, it)| it.is_about(&wrong.object))
}

/// A difference in a system outside of the cluster.
fn wrong(found: &Found, is_it: impl Fn(&Difference) -> bool) -> Option<&Difference> {
    let mut differences = found.failure.differences.iter();
    differences.find(|it| is_outside(found, &it.object) && is_it(it))
}

fn is_left(it: &Difference) -> bool {
    it.expected.is_none() && it.path.is_empty()
}

/// Whether a point is about the object of a path.
fn is_of_path(point: &Point, path: &str) -> bool {
    let (namespace, name) = match point.place.split_once('/') {
        Some((namespace, name)) => (format!("/namespaces/{namespace}"), name),
        None => (String::new(), point.place.as_str()),
    };
    path.ends_with(&format!("{namespace}/{}/{name}", point.resource))
}

/// The object is gone, and what it asked for outside of the cluster is not.
pub(super) fn left_after_the_deletion(found: &Found) -> Option<String> {
    if !matches!(
        found.oracle,
        Oracle::Deletion | Oracle::EndState | Oracle::History
    ) {
        return None;
    }
    let left = wrong(found, is_left)?;
    let (deleted, act) = last_act(found).filter(|(_, act)| act.deed == Deed::Deletes)?;
    let removes =
        changes_of(found, left).any(|(at, _, it)| at > deleted && it.change == Change::Disappears);
    // Nothing has kept the object until then.
    let is_event = |entry: &Entry| match &entry.what {
        Happening::Event { point, .. } => {
            let path = format!("/{}/{}", point.resource, point.place.rsplit('/').next()?);
            (point.verb == Verb::Deleted && act.path.ends_with(&path)).then_some(())
        }
        _ => None,
    };
    let gone = found.log[deleted..]
        .iter()
        .position(|it| is_event(it).is_some())?;
    let of_it = |it: &Answered| is_of_path(&it.point, &act.path);
    let was_kept = requests(found)
        .any(|(at, _, it)| (deleted..deleted + gone).contains(&at) && it.is_write() && of_it(it));
    if removes || was_kept {
        return None;
    }
    let since = changes_of(found, left).rfind(|(at, _, _)| *at < deleted);
    let since = since.map_or_else(String::new, |(_, at, _)| {
        format!(", which was written at {:.3} s,", at.as_secs_f64())
    });
    Some(format!(
        "{}{since} is never removed: the object `{}` is gone at once, since it has no finalizer, and no owner reference reaches outside of the cluster. Set a finalizer before the first write there, and remove the entry before the finalizer comes off.",
        left.object, act.path
    ))
}

/// An attempt is repeated, and adds another entry, since the one before had noted nothing.
pub(super) fn added_twice(found: &Found) -> Option<String> {
    let left = wrong(found, is_left).filter(|_| {
        matches!(
            found.oracle,
            Oracle::EndState | Oracle::History | Oracle::Deletion
        )
    })?;
    let added =
        || changes_of(found, left).filter(|(_, _, it)| matches!(it.change, Change::Appears(_)));
    let at_fault = found.log.iter().enumerate().find_map(|(place, entry)| {
        let Happening::Fault { at, .. } = &entry.what else {
            return None;
        };
        at.verb.is_write().then_some((place, at))
    });
    let (place, at) = at_fault?;
    let before = added().rfind(|(when, _, _)| *when < place)?;
    let after = added().find(|(when, _, _)| *when > place)?;
    let seconds = |it: Duration| format!("{:.3} s", it.as_secs_f64());
    Some(format!(
        "{} is added twice, at {} and at {}: in between, `{}` did not succeed, before the operator had noted what it did, so that the next attempt adds it once more. Give it a name that follows from the object, such as its uid, or note the name before it is added.",
        before.2.object,
        seconds(before.1),
        seconds(after.1),
        at.what()
    ))
}

/// Says which write has noted as done what was not written outside of the cluster, if the order of the two shows it.
pub(super) fn noted_before_it_was_done(found: &Found) -> Option<String> {
    let wrong = wrong(found, |_| true)?;
    let (from, _) = last_act(found)?;
    let is_noted = |it: &Answered| {
        matches!(it.verb(), Verb::Patch | Verb::Update)
            && it.point.subresource == "status"
            && it.is_accepted()
    };
    let (noted, entry, request) = requests(found).find(|(at, _, it)| *at > from && is_noted(it))?;
    let is_written = changes_of(found, wrong).any(|(at, _, _)| (from..noted).contains(&at));
    (!is_written).then(|| {
        format!(
            "`{}` came at {:.3} s, when {} was not written yet.",
            request.point.what(),
            entry.at.as_secs_f64(),
            wrong.object
        )
    })
}

/// Whether the oracle is about the state at rest, and no new process makes it right.
fn is_stuck(found: &Found) -> bool {
    matches!(
        found.oracle,
        Oracle::EndState | Oracle::History | Oracle::Eventually
    ) && !matches!(
        found.failure.after_restart,
        Some(AfterRestart::Right | AfterRestart::GoesOn)
    ) && !found.outside.is_empty()
}

/// What is wrong, for people: an entry, or all of a system.
fn named(found: &Found) -> String {
    let of_difference = wrong(found, |_| true).map(|it| it.object.clone());
    of_difference.unwrap_or_else(|| found.outside.join(" and "))
}

/// An entry is wrong as long as it exists.
pub(super) fn an_existing_entry_stays(found: &Found) -> Option<String> {
    let is_proven = puts_right(found, Experiment::WithoutChild) == Some(true);
    let is_deletion = last_act(found).is_some_and(|(_, act)| act.deed == Deed::Deletes);
    (is_stuck(found) && is_proven && !is_deletion).then(|| {
        format!(
            "{} stays as it is while it exists: neither the running process nor a new one changes it, but what a new process writes where nothing is is right. In each reconcile, compare all of it with the spec, and write it where it differs.",
            named(found)
        )
    })
}

/// Nothing outside of the cluster has changed after what the user did last.
pub(super) fn not_written(found: &Found) -> Option<String> {
    let (from, act) = last_act(found)?;
    let of_difference = wrong(found, |_| true);
    let is_about = |it: &Outside| of_difference.is_none_or(|wrong| it.is_about(&wrong.object));
    let is_written = changes(found).any(|(at, _, it)| at > from && is_about(it));
    let is_of_author = found.oracle == Oracle::Eventually;
    if !is_stuck(found) || is_written || (of_difference.is_none() && !is_of_author) {
        return None;
    }
    let is_deletion = act.deed == Deed::Deletes;
    let who = match (found.failure.after_restart, is_deletion) {
        (Some(AfterRestart::AsBefore), false) => "neither the running process nor a new one writes",
        (_, false) => "the operator does not write",
        (Some(AfterRestart::AsBefore), true) => {
            "neither the running process nor a new one removes anything from"
        }
        (_, true) => "the operator removes nothing from",
    };
    Some(format!(
        "After {} {}, {who} {}: the reconcile returns before that, or an error there is ignored. Look at what comes before it in the code.",
        act.deed,
        act.path,
        named(found)
    ))
}
