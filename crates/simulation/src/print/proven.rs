//! Causes that the history of a run proves.
//!
//! An oracle says that something is wrong, not why. Here, each hypothesis is a question to the typed history: was a child written while its owner was being
//! deleted, did the operator go on after a request had failed, has no watch shown the change? The first hypothesis that holds is the cause, so that the
//! most specific ones come first. Where the history does not decide, an experiment does: the operator has started once more after the failure, with a
//! fresh cache, and has put the state right, or not. What neither shows is not said.

use std::time::Duration;

use super::Found;
use crate::{
    fault::Fault,
    oracle::{AfterRestart, Oracle, Variety},
    schedule::{Point, PointKind, Verb},
    state::Difference,
    timeline::{Answered, Deed, Effect, Entry, Happening, Note},
};

/// The hypotheses, the most specific ones first.
const HYPOTHESES: &[fn(&Found) -> Option<String>] = &[
    written_for_a_deleted_owner,
    finalizer_came_off_first,
    rejected,
    created_and_deleted_in_turn,
    went_on_after_a_failure,
    repeated_without_the_request,
    not_watched,
    event_without_effect,
    another_value_each_time,
];

/// A reconcile that goes on sends its next request within this time; a back-off takes longer.
const SOON: Duration = Duration::from_millis(10);

/// Returns the cause, if the history proves one.
pub(super) fn cause(found: &Found) -> Option<String> {
    HYPOTHESES.iter().find_map(|hypothesis| hypothesis(found))
}

/// The requests of the operator, with their places in the history.
fn requests(found: &Found) -> impl DoubleEndedIterator<Item = (usize, &Entry, &Answered)> {
    let log = found.log.iter().enumerate();
    log.filter_map(|(at, entry)| Some((at, entry, entry.answered()?)))
}

/// Where the last phase begins in the history.
fn last_phase(found: &Found) -> usize {
    let is_phase = |it: &Entry| matches!(it.what, Happening::Phase { .. });
    found.log.iter().rposition(is_phase).unwrap_or(0)
}

/// Whether two requests ask for the same, at different times.
fn is_same(one: &Answered, other: &Answered) -> bool {
    let target = |it: &Answered| {
        let at = it.point.clone();
        (at.replica, at.verb, at.resource, at.subresource, at.place)
    };
    target(one) == target(other)
}

/// Whether a plural is that of a kind.
fn is_plural(resource: &str, kind: &str) -> bool {
    let kind = kind.to_lowercase();
    resource.starts_with(kind.strip_suffix('y').unwrap_or(&kind))
}

/// Whether a difference is about the object of a request.
fn is_about(difference: &Difference, answered: &Answered) -> bool {
    let (kind, place) = difference.object.split_once(' ').unwrap_or_default();
    let kind = kind.rsplit('/').next().unwrap_or_default();
    place == answered.point.place && is_plural(&answered.point.resource, kind)
}

fn is_about_state(oracle: Oracle) -> bool {
    matches!(
        oracle,
        Oracle::EndState
            | Oracle::History
            | Oracle::Deletion
            | Oracle::Counts
            | Oracle::ObservedGeneration
            | Oracle::Truth
            | Oracle::Eventually
    )
}

/// A child is written while its owner is being deleted.
fn written_for_a_deleted_owner(found: &Found) -> Option<String> {
    if !is_about_state(found.oracle) && found.oracle != Oracle::Rest {
        return None;
    }
    let differences = &found.failure.differences;
    let is_wrong = |it: &Answered| differences.iter().any(|of| is_about(of, it));
    let (_, _, written) = requests(found)
        .find(|(_, _, it)| it.deleted_owner.is_some() && it.has_changed() && is_wrong(it))?;
    let owner = written.deleted_owner.as_ref()?;
    Some(format!(
        "`{}` was sent while {owner}, the owner of that object, was being deleted: the reconcile does not look at `metadata.deletionTimestamp`. Where it is set, clean up, and write nothing else.",
        written.point.what()
    ))
}

/// The last finalizer of an object comes off, and then what it was to protect fails or is forgotten.
fn finalizer_came_off_first(found: &Found) -> Option<String> {
    if !matches!(
        found.oracle,
        Oracle::Deletion | Oracle::EndState | Oracle::History
    ) {
        return None;
    }
    let left = found
        .failure
        .differences
        .iter()
        .find(|it| it.expected.is_none() && it.path.is_empty())?;
    let is_deleted = |path_end: &str, until: usize| {
        found.log[..until].iter().any(|it| {
            matches!(&it.what, Happening::User(act) if act.deed == Deed::Deletes && act.path.ends_with(path_end))
        })
    };
    let (at, removed) = requests(found).find_map(|(at, _, it)| {
        let Effect::Changes(fields, _) = &it.effect else {
            return None;
        };
        let name = it.point.place.rsplit('/').next().unwrap_or_default();
        let is_it = fields
            .iter()
            .any(|field| field.starts_with("metadata.finalizers"))
            && is_deleted(&format!("/{}/{name}", it.point.resource), at);
        is_it.then_some((at, it))
    })?;
    let deletes = |it: &Answered| it.verb() == Verb::Delete && is_about(left, it);
    let before = requests(found).any(|(when, _, it)| when < at && deletes(it) && it.is_accepted());
    if before {
        return None;
    }
    let later = requests(found).find(|(when, _, it)| *when > at && deletes(it));
    let then = match later {
        Some((_, _, it)) => format!("`{}` came after that, and did not succeed", it.point.what()),
        None => "nothing deleted it before".to_owned(),
    };
    Some(format!(
        "{} is left, since `{}` took the finalizer off too early: {then}. The object is gone then, so that nothing repeats the cleanup. Remove the finalizer last, when the cleanup has succeeded.",
        left.object,
        removed.point.what()
    ))
}

/// The server has rejected a write for a reason of its own, and nothing else was accepted in its place.
fn rejected(found: &Found) -> Option<String> {
    let is_possible = is_about_state(found.oracle)
        || matches!(
            found.oracle,
            Oracle::Rest | Oracle::Requests | Oracle::Idempotence
        );
    if !is_possible || found.failure.variety == Variety::UnknownUid {
        return None;
    }
    let from = last_phase(found);
    let writes: Vec<&Answered> = requests(found)
        .filter(|(at, _, it)| *at >= from && it.is_write())
        .map(|(_, _, it)| it)
        .collect();
    let (last, why) = writes.iter().enumerate().rev().find_map(|(at, it)| {
        let Effect::Rejected(why) = &it.effect else {
            return None;
        };
        let is_answer = it.verb() == Verb::Create && it.status == 409;
        let is_replaced = writes[at..].iter().any(|later| {
            let same = later.point.resource == it.point.resource
                && later.point.subresource == it.point.subresource
                && later.point.place == it.point.place;
            same && later.is_accepted()
        });
        (!is_answer && !is_replaced).then_some((*it, why))
    })?;
    let times = writes.iter().filter(|it| is_same(it, last)).count();
    let how_often = match times {
        1 => String::new(),
        times => format!(" ({times} times)"),
    };
    let advice = if why.contains("immutable") {
        "That field cannot change: delete the object and create it again, or leave the field as it is."
    } else if why.contains("must be specified for an update") {
        "Read the object, change what you have read, and send that with its resourceVersion; or send a patch."
    } else if why.contains("object has been modified") {
        "The resourceVersion is an old one: read the object before each attempt."
    } else if last.status == 409 && last.verb() == Verb::Patch {
        "Another manager owns a field that is applied: force the apply of fields that are the operator's."
    } else if why.contains("Duplicate value") {
        "A strategic merge patch has added an entry beside the one that it was to replace: send the whole list, or use server-side apply."
    } else if last.status == 403 {
        "The operator lacks the permission, or the namespace is being deleted."
    } else {
        "Send what the server accepts; where the spec of the user asks for it, say so in the status, or reject it by the schema."
    };
    Some(format!(
        "The server rejects `{}` with {}{how_often}: {why}. {advice} What follows that request in a reconcile does not happen.",
        last.point.what(),
        last.status
    ))
}

/// One reconcile deletes what another one creates.
fn created_and_deleted_in_turn(found: &Found) -> Option<String> {
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
        let same = accepted(Verb::Delete).filter(|other| is_same(it, other));
        same.count() >= TIMES
    })?;
    let created = requests(found).filter(|(_, _, it)| {
        it.status == 201
            && it.point.resource == deleted.point.resource
            && it.point.place == deleted.point.place
    });
    let creations = created.count();
    let deletions = accepted(Verb::Delete).filter(|it| is_same(it, deleted));
    (creations >= TIMES).then(|| {
        format!(
            "{} {} is created ({creations} times) and deleted ({} times) in turn: one reconcile deletes what another one wants. What finds the children to delete, such as a label selector, also finds those of other objects. Select by the uid of the owner (`is_controlled_by`), or by a label with its name.",
            deleted.point.resource, deleted.point.place, deletions.count()
        )
    })
}

/// A request of the operator that has failed, though not for a reason that the server gives.
struct Failed<'f> {
    /// Its place in the history.
    at: usize,
    when: Duration,
    point: &'f Point,
}

/// Returns the requests that a fault, or what happens around the operator, has made fail before it started once more.
fn failed_requests(found: &Found) -> Vec<Failed<'_>> {
    if !is_about_state(found.oracle) && found.oracle != Oracle::Idempotence {
        return Vec::new();
    }
    let log = found.log.iter().enumerate().take(end_of_process(found));
    log.filter_map(|(at, entry)| {
        let point = match &entry.what {
            Happening::Fault {
                fault: Fault::Error(_) | Fault::Disconnect,
                at,
            } => at,
            Happening::Request(_, it) if it.is_write() && it.status >= 400 => match it.effect {
                Effect::Rejected(_) if it.status != 409 => return None,
                Effect::Rejected(_) | Effect::Unknown | Effect::None | Effect::Changes(..) => {
                    &it.point
                }
            },
            Happening::Request(..)
            | Happening::Fault { .. }
            | Happening::User(_)
            | Happening::Phase { .. }
            | Happening::Process(..)
            | Happening::Event { .. }
            | Happening::Cache(..)
            | Happening::Cluster { .. }
            | Happening::Simulation(_)
            | Happening::Bytes(..) => return None,
        };
        let is_request = point.kind() != PointKind::Event && point.resource != "events";
        let when = entry.at;
        is_request.then_some(Failed { at, when, point })
    })
    .collect()
}

/// Where the simulation has started the operator once more, at rest, or the end.
fn end_of_process(found: &Found) -> usize {
    let is_restart = |it: &Entry| matches!(it.what, Happening::Simulation(Note::Restarts));
    let end = found.log.iter().rposition(is_restart);
    end.filter(|_| found.oracle == Oracle::Idempotence)
        .unwrap_or(found.log.len())
}

impl Failed<'_> {
    /// The later requests of the same replica for single objects, without its own answer.
    fn later<'f>(&self, found: &'f Found) -> Vec<(&'f Entry, &'f Answered)> {
        let end = end_of_process(found);
        requests(found)
            .filter(|(at, _, it)| {
                let is_step = !matches!(it.verb(), Verb::List | Verb::Watch) && !it.is_report;
                is_step && (self.at + 1..end).contains(at) && it.point.replica == self.point.replica
            })
            .filter(|(_, _, it)| it.point != *self.point)
            .map(|(_, entry, it)| (entry, it))
            .collect()
    }

    /// Whether the request was the first one of its reconcile: an event came just before it.
    fn is_first(&self, found: &Found) -> bool {
        let before = found.log[..self.at].iter().rev();
        let last = before.filter(|it| !it.is_fault()).find(|it| {
            matches!(it.what, Happening::Event { .. })
                || it
                    .answered()
                    .is_some_and(|it| !it.is_report && it.verb() != Verb::Watch)
        });
        last.is_none_or(|it| matches!(it.what, Happening::Event { .. }))
    }

    fn is_it(&self, it: &Answered) -> bool {
        it.point.what().to_string() == self.point.what().to_string()
    }

    /// Whether a request is about the same object of the user, by its name.
    fn is_of_family(&self, it: &Answered) -> bool {
        let name = |place: &str| place.rsplit('/').next().unwrap_or_default().to_owned();
        let (one, other) = (name(&it.point.place), name(&self.point.place));
        one.starts_with(&other) || other.starts_with(&one)
    }

    /// Whether the violation is about the object of the request, or nothing says what it is about.
    fn is_to_blame(&self, found: &Found) -> bool {
        let differences = &found.failure.differences;
        let name = self.point.place.rsplit('/').next().unwrap_or_default();
        differences.is_empty() || differences.iter().any(|it| it.object.contains(name))
    }
}

/// The operator went on with the next step of the same reconcile, as if the request had succeeded.
fn went_on_after_a_failure(found: &Found) -> Option<String> {
    failed_requests(found).into_iter().find_map(|failed| {
        let later = failed.later(found);
        let succeeds = |it: &Answered| failed.is_it(it) && it.is_accepted();
        let is_repeated = later.iter().any(|(_, it)| succeeds(it));
        let (entry, next) = later.first()?;
        let is_soon = entry.at.saturating_sub(failed.when) <= SOON;
        let before = requests(found).filter(|(when, _, _)| *when < failed.at);
        // A reconcile that is repeated begins with its first request.
        let is_again = !failed.is_first(found)
            && before.rev().take(6).any(|(_, _, it)| is_same(it, next));
        let is_other = !failed.is_it(next) && next.is_write() && failed.is_of_family(next);
        (is_soon && !is_again && is_other && !is_repeated && failed.is_to_blame(found)).then(|| {
            format!(
                "`{}` failed, and the operator went on with `{}` as if it had succeeded: the error was ignored. Return it, so that the error policy repeats the reconcile.",
                failed.point.what(),
                next.point.what()
            )
        })
    })
}

/// The reconcile was repeated, but does not send the request that has failed; or a new process does not.
fn repeated_without_the_request(found: &Found) -> Option<String> {
    failed_requests(found).into_iter().find_map(|failed| {
        let later = failed.later(found);
        let is_resent = later.iter().any(|(_, it)| failed.is_it(it));
        let repeats = later.iter().any(|(_, it)| failed.is_of_family(it));
        let is_left = found.failure.after_restart == Some(AfterRestart::AsBefore);
        if is_resent || !(repeats || is_left) || !failed.is_to_blame(found) {
            return None;
        }
        let before = requests(found).rev().find(|(when, _, it)| {
            *when < failed.at && it.has_changed() && failed.is_of_family(it) && !failed.is_it(it)
        });
        let because = match before {
            Some((_, _, it)) => format!(
                "`{}`, which had succeeded before, makes it look done",
                it.point.what()
            ),
            None => "it takes something half-done as done".to_owned(),
        };
        let who = if is_left {
            "Neither the running process nor a new one sends it again"
        } else {
            "The operator looked at the object again after that, but did not repeat this step"
        };
        Some(format!(
            "`{}` failed. {who}: {because}. Compare each child with the spec in each reconcile, and note that something is done after its last step.",
            failed.point.what()
        ))
    })
}

/// What another client, or the cluster, has changed since the last phase began.
fn changes(found: &Found) -> Vec<(usize, String, String)> {
    let from = last_phase(found);
    let parts = |path: &str| {
        let mut parts = path.rsplit('/');
        let (name, resource) = (parts.next()?, parts.next()?);
        let namespace = path.split("/namespaces/").nth(1);
        let namespace = namespace.and_then(|rest| rest.split_once('/'));
        let place = match namespace {
            Some((namespace, _)) => format!("{namespace}/{name}"),
            None => name.to_owned(),
        };
        Some((resource.to_owned(), place))
    };
    let log = found.log.iter().enumerate().skip(from);
    log.filter_map(|(at, entry)| {
        let path = match &entry.what {
            Happening::User(act) if act.deed != Deed::Other => &act.path,
            Happening::Fault {
                fault: Fault::Delete(path) | Fault::Drift(path),
                ..
            } => path,
            Happening::User(_)
            | Happening::Fault { .. }
            | Happening::Phase { .. }
            | Happening::Process(..)
            | Happening::Request(..)
            | Happening::Event { .. }
            | Happening::Cache(..)
            | Happening::Cluster { .. }
            | Happening::Simulation(_)
            | Happening::Bytes(..) => return None,
        };
        let (resource, place) = parts(path)?;
        Some((at, resource, place))
    })
    .collect()
}

/// Whether a new process does what the one before has not done.
fn is_right_after_restart(found: &Found) -> bool {
    found.failure.after_restart == Some(AfterRestart::Right)
}

/// Something has changed of which no watch of the operator tells.
fn not_watched(found: &Found) -> Option<String> {
    let is_possible = is_about_state(found.oracle) || found.oracle == Oracle::Idempotence;
    if !is_possible {
        return None;
    }
    let is_watched = |resource: &str| {
        requests(found).any(|(_, _, it)| it.verb() == Verb::Watch && it.point.resource == resource)
    };
    let kind_of = |object: &str| {
        let kind = object.split(' ').next().unwrap_or_default();
        kind.rsplit('/').next().unwrap_or_default().to_lowercase()
    };
    let of_clients = changes(found)
        .into_iter()
        .map(|(_, resource, place)| (resource, place));
    let by_cluster = found
        .log
        .iter()
        .skip(last_phase(found))
        .filter_map(|it| match &it.what {
            Happening::Cluster { object, .. } => {
                let place = object.split(' ').nth(1).unwrap_or_default().to_owned();
                Some((format!("{}s", kind_of(object)), place))
            }
            _ => None,
        });
    let has_watches = requests(found).any(|(_, _, it)| it.verb() == Verb::Watch);
    let (resource, place) = of_clients
        .chain(by_cluster)
        .find(|(resource, _)| has_watches && !is_watched(resource))?;
    // What the operator has never asked for does not concern it.
    let concerns = requests(found).any(|(_, _, it)| it.point.resource == resource);
    (concerns && (is_right_after_restart(found) || found.failure.after_restart.is_none())).then(|| {
        format!(
            "{resource} {place} has changed, and the operator does not watch {resource}: a new process acts on the change, the running one never hears of it. Watch them (`Controller::owns` for children, `Controller::watches` for what an object names)."
        )
    })
}

/// An event has reached the operator, and no request follows.
fn event_without_effect(found: &Found) -> Option<String> {
    let is_possible = is_about_state(found.oracle) || found.oracle == Oracle::Idempotence;
    if !is_possible || !is_right_after_restart(found) {
        return None;
    }
    let is_restart = |it: &Entry| {
        matches!(
            it.what,
            Happening::Simulation(crate::timeline::Note::Restarts)
        )
    };
    let end = found
        .log
        .iter()
        .rposition(is_restart)
        .unwrap_or(found.log.len());
    let events = found.log[..end].iter().enumerate().skip(last_phase(found));
    let last = events.rev().find_map(|(at, entry)| match &entry.what {
        Happening::Event { point, .. } if point.resource != "events" => Some((at, point)),
        _ => None,
    });
    let (at, point) = last?;
    let follows = found.log[at..end].iter().filter_map(Entry::answered);
    let acts = follows
        .filter(|it| it.verb() != Verb::Watch && !it.is_report)
        .count()
        > 0;
    (!acts).then(|| {
        format!(
            "`{}` has reached the operator, and no request follows, although a new process has something to write: the event is dropped, such as by a predicate on the generation, or it is mapped to no object.",
            point.what()
        )
    })
}

/// Each start writes another value.
fn another_value_each_time(found: &Found) -> Option<String> {
    let is_possible = matches!(found.oracle, Oracle::Idempotence)
        && found.failure.after_restart == Some(AfterRestart::Writes);
    if !is_possible {
        return None;
    }
    let difference = found.failure.differences.first()?;
    let (before, after) = (
        difference.expected.as_deref().unwrap_or("(absent)"),
        difference.found.as_deref().unwrap_or("(absent)"),
    );
    Some(format!(
        "Each start of the operator writes another value, although nothing has changed: {} of {} was {before}, and then {after}. It comes from the time, a counter or a random number. Write what follows from the objects, and only where it differs.",
        difference.path, difference.object
    ))
}

/// A request that fails is repeated soon, and less often later.
pub(super) fn late_attempt(found: &Found) -> Option<String> {
    const TIMES: usize = 6;
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
    let times: Vec<Duration> = requests(found)
        .filter(|(_, _, it)| is_same(it, last) && it.status >= 400)
        .map(|(_, entry, _)| entry.at)
        .collect();
    if times.len() < TIMES {
        return None;
    }
    let gap = |pair: &[Duration]| pair[1].saturating_sub(pair[0]);
    // The first attempts follow events.
    let (first, latest) = (gap(&times[3..5]), gap(&times[times.len() - 2..]));
    let how = if latest > 2 * first {
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
    };
    Some(format!(
        "`{}` fails with {} each time, and the error policy repeats it {how}. Repeat what cannot succeed less often, or wait for the change that lets it succeed.",
        last.point.what(),
        last.status
    ))
}
