//! Causes of writes that do not end.

use std::{fmt, time::Duration};

use super::{SOON, is_about, is_about_status, puts_right, requests};
use crate::{
    experiment::Experiment,
    oracles::{AfterRestart, Oracle},
    plural::counted,
    print::Found,
    schedule::Verb,
    timeline::{Answered, Effect},
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
            "{} {} is created ({}) and deleted ({}) in turn: one reconcile deletes what another one wants. What finds the children to delete, such as a label selector, also finds those of other objects. Select by the uid of the owner (`is_controlled_by`), or by a label with its name.",
            deleted.point.resource,
            deleted.point.place,
            counted(creations, "time"),
            counted(deletions.count(), "time")
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
    if is_about_status(found) && puts_right(found, Experiment::WithoutStatus) == Some(true) {
        return Some(format!(
            "Each start of the operator adds to the former value, although nothing has changed: {} of {} was {before}, and then {after}. Without the status, a new process writes {before} again. Make the whole status anew from the objects that are there, not from the former status.",
            difference.path, difference.object
        ));
    }
    Some(format!(
        "Each start of the operator writes another value, although nothing has changed: {} of {} was {before}, and then {after}. It comes from the time, a counter, a random number or the order of a `HashMap`. Write what follows from the objects, and only where it differs.",
        difference.path, difference.object
    ))
}

/// How soon the repetition of a request that fails is the mistake itself, whatever fails.
const HASTE: Duration = Duration::from_millis(500);

/// How often a request that fails is repeated.
pub(super) struct Cadence {
    first: Duration,
    latest: Duration,
}

impl Cadence {
    /// Of a request that fails again and again.
    pub(super) fn of(found: &Found, failing: &Answered) -> Option<Self> {
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
        Some(Self { first, latest })
    }

    fn grows(&self) -> bool {
        self.latest > 2 * self.first
    }

    /// Whether no failure is worth such haste.
    pub(super) fn is_hasty(&self) -> bool {
        !self.grows() && self.latest < HASTE
    }
}

impl fmt::Display for Cadence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (first, latest) = (self.first.as_millis(), self.latest.as_millis());
        if self.grows() {
            write!(
                f,
                "with a back-off that grows from {first} ms to {latest} ms"
            )
        } else {
            write!(f, "every {latest} ms, without a back-off that grows")
        }
    }
}

/// Each reconcile adds to a list what it has had before.
pub(super) fn a_list_grows(found: &Found) -> Option<String> {
    if !matches!(found.oracle, Oracle::Rest | Oracle::Idempotence) {
        return None;
    }
    let mut differences = found.failure.differences.iter();
    let added =
        differences.find(|it| it.expected.is_none() && entry_of_list(&it.path).is_some())?;
    let (list, newest) = entry_of_list(&added.path)?;
    let is_next = |it: &Answered| {
        let Effect::Changes(fields, _) = &it.effect else {
            return false;
        };
        let mut entries = fields.iter().filter_map(|field| entry_of_list(field));
        entries.any(|(of, at)| of == list && at < newest)
    };
    // Once may be right.
    let has_grown =
        requests(found).any(|(_, _, it)| it.is_write() && is_about(added, it) && is_next(it));
    has_grown.then(|| {
        format!(
            "Each reconcile adds an entry to {list} of {}, which has {} by now: the operator starts with the list as it is, and its own write causes the next reconcile. Make the whole list anew from the objects, and write it only where it differs.",
            added.object,
            counted(newest + 1, "entry")
        )
    })
}

/// Returns the list of which a path is an entry, and its place there.
fn entry_of_list(path: &str) -> Option<(&str, usize)> {
    let (list, place) = path.strip_suffix(']')?.rsplit_once('[')?;
    Some((list, place.parse().ok()?))
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
    let how = Cadence::of(found, last)?;
    Some(format!(
        "`{}` fails with {} each time, and the error policy repeats it {how}. Repeat what cannot succeed less often, or wait for the change that lets it succeed.",
        last.point.what(),
        last.status
    ))
}
