//! Causes of writes that do not end.

use std::time::Duration;

use super::{SOON, requests};
use crate::{
    oracles::{AfterRestart, Oracle},
    print::Found,
    schedule::Verb,
    timeline::Answered,
};

/// One reconcile deletes what another one creates.
pub(super) fn created_and_deleted_in_turn(found: &Found) -> Option<String> {
    const TIMES: usize = 4;
    if !matches!(
        found.oracle,
        Oracle::Rest | Oracle::Requests | Oracle::Counts
    ) {
        return None;
    }
    let accepted = |verb: Verb| {
        requests(found)
            .map(|(_, _, it)| it)
            .filter(move |it| it.is_write() && it.is_accepted() && it.verb() == verb)
    };
    let deleted = accepted(Verb::Delete).find(|it| {
        let same = accepted(Verb::Delete).filter(|other| it.is_same(other));
        same.count() >= TIMES
    })?;
    let created = requests(found).filter(|(_, _, it)| {
        it.status == 201
            && it.point.resource == deleted.point.resource
            && it.point.place == deleted.point.place
    });
    let creations = created.count();
    let deletions = accepted(Verb::Delete).filter(|it| it.is_same(deleted));
    (creations >= TIMES).then(|| {
        format!(
            "{} {} is created ({creations} times) and deleted ({} times) in turn: one reconcile deletes what another one wants. What finds the children to delete, such as a label selector, also finds those of other objects. Select by the uid of the owner (`is_controlled_by`), or by a label with its name.",
            deleted.point.resource, deleted.point.place, deletions.count()
        )
    })
}

/// Each start writes another value.
pub(super) fn another_value_each_time(found: &Found) -> Option<String> {
    let is_possible = matches!(found.oracle, Oracle::Idempotence)
        && found.failure.after_restart == Some(AfterRestart::Writes);
    if !is_possible {
        return None;
    }
    let mut differences = found.failure.differences.iter();
    let difference = differences.find(|it| !it.path.is_empty())?;
    let (before, after) = (
        difference.expected.as_deref().unwrap_or("(absent)"),
        difference.found.as_deref().unwrap_or("(absent)"),
    );
    Some(format!(
        "Each start of the operator writes another value, although nothing has changed: {} of {} was {before}, and then {after}. It comes from the time, a counter, a random number or the order of a `HashMap`. Write what follows from the objects, and only where it differs.",
        difference.path, difference.object
    ))
}

/// How often a request that fails is repeated: with a back-off, or without.
pub(super) fn cadence(found: &Found, failing: &Answered) -> Option<String> {
    const TIMES: usize = 6;
    let times: Vec<Duration> = requests(found)
        .filter(|(_, _, it)| it.is_same(failing) && it.status >= 400)
        .map(|(_, entry, _)| entry.at)
        .collect();
    if times.len() < TIMES {
        return None;
    }
    let gap = |pair: &[Duration]| pair[1].saturating_sub(pair[0]);
    // The first attempts follow events.
    let (first, latest) = (gap(&times[3..5]), gap(&times[times.len() - 2..]));
    Some(if latest > 2 * first {
        format!(
            "with a back-off that grows from {} ms to {} ms",
            first.as_millis(),
            latest.as_millis()
        )
    } else {
        format!(
            "every {} ms, without a back-off that grows",
            latest.as_millis()
        )
    })
}

/// A request that fails is repeated soon, and less often later.
pub(in crate::print) fn late_attempt(found: &Found) -> Option<String> {
    if !matches!(found.oracle, Oracle::Rest | Oracle::Requests) {
        return None;
    }
    let all: Vec<_> = requests(found).filter(|(_, _, it)| !it.is_report).collect();
    let (_, _, last) = all.windows(2).rev().find_map(|pair| {
        let ((_, entry, it), (_, next, _)) = (pair[0], pair[1]);
        // What is not there ends an attempt, or is an answer.
        let is_answer = it.verb() == Verb::Get && next.at.saturating_sub(entry.at) <= SOON;
        (it.status >= 400 && !is_answer).then_some(pair[0])
    })?;
    let how = cadence(found, last)?;
    Some(format!(
        "`{}` fails with {} each time, and the error policy repeats it {how}. Repeat what cannot succeed less often, or wait for the change that lets it succeed.",
        last.point.what(),
        last.status
    ))
}
