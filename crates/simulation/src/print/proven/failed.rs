//! Causes after a request that has failed: what did the operator do next?

use std::time::Duration;

use super::{SOON, is_about_state, is_of_informer, last_process, puts_right, requests};
use crate::{
    experiment::Experiment,
    oracles::{AfterRestart, Oracle},
    print::Found,
    schedule::{Point, PointKind, Verb},
    timeline::{Answered, Effect, Entry, Happening},
};

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
    let log = found.log.iter().enumerate().take(end_of_run(found));
    log.filter_map(|(at, entry)| {
        let point = match &entry.what {
            Happening::Fault { fault, at } if fault.act().fails_request() => at,
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
            | Happening::Outside(_)
            | Happening::Simulation(_)
            | Happening::Bytes(..) => return None,
        };
        let is_request = point.kind() != PointKind::Event
            && point.resource != "events"
            && !is_of_informer(found, point);
        let when = entry.at;
        is_request.then_some(Failed { at, when, point })
    })
    .collect()
}

/// Where the run ends whose requests count: with a second process at rest, that process is the violation, not its cause.
fn end_of_run(found: &Found) -> usize {
    match found.oracle {
        Oracle::Idempotence => last_process(found),
        _ => found.log.len(),
    }
}

impl Failed<'_> {
    /// The later requests of the same replica for single objects, without its own answer.
    fn later<'f>(&self, found: &'f Found) -> Vec<(&'f Entry, &'f Answered)> {
        let end = end_of_run(found);
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
        it.point.target() == self.point.target()
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
pub(super) fn went_on_after_a_failure(found: &Found) -> Option<String> {
    failed_requests(found).into_iter().find_map(|failed| {
        let later = failed.later(found);
        let succeeds = |it: &Answered| failed.is_it(it) && it.is_accepted();
        let is_repeated = later.iter().any(|(_, it)| succeeds(it));
        let (entry, next) = later.first()?;
        let is_soon = entry.at.saturating_sub(failed.when) <= SOON;
        let before = requests(found).filter(|(when, _, _)| *when < failed.at);
        // A reconcile that is repeated begins with its first request.
        let is_again = !failed.is_first(found)
            && before.rev().take(6).any(|(_, _, it)| it.is_same(next));
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
pub(super) fn repeated_without_the_request(found: &Found) -> Option<String> {
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
        // The experiment without the status tells whether its write is the reason.
        let is_innocent = |it: &Answered| {
            it.point.subresource == "status"
                && puts_right(found, Experiment::WithoutStatus) == Some(false)
        };
        let because = match before.filter(|(_, _, it)| !is_innocent(it)) {
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

/// The operator has reported that a reconcile has failed, as the last thing that it did, and reconciles the object no more.
pub(super) fn reported_and_not_repeated(found: &Found) -> Option<String> {
    if !is_about_state(found.oracle) && found.oracle != Oracle::Idempotence {
        return None;
    }
    let helps = puts_right(found, Experiment::AskAgain) == Some(true)
        || matches!(found.failure.after_restart, Some(AfterRestart::Right))
            && puts_right(found, Experiment::AskAgain).is_none();
    let end = last_process(found);
    let mut last = requests(found)
        .rev()
        .filter(|(at, _, it)| *at < end && it.verb() != Verb::Watch && !is_of_election(it));
    let (_, entry, last) = last.next().filter(|_| helps)?;
    let warning = last.warning.as_ref()?;
    Some(format!(
        "A reconcile has failed at {:.3} s, as the Warning Event `{warning}` says, and nothing repeats it: when it is repeated, the state is right. Have the error policy repeat the reconcile after this error, too, or watch what lets it succeed.",
        entry.at.as_secs_f64()
    ))
}

/// Whether a request is of a leader election.
fn is_of_election(it: &Answered) -> bool {
    matches!(it.point.resource.as_str(), "leases" | "leasecandidates")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        faults::Fault,
        oracles::Violation,
        print::pattern,
        schedule::{Decision, Schedule},
        settings::Simulation,
        state::Difference,
        timeline::Replica,
    };

    /// A failure after these requests of one operator, the first of which meets a fault.
    fn after(requests: &[(Verb, &str, &str)]) -> Found {
        let points = requests
            .iter()
            .map(|(verb, resource, place)| Point::example(*verb, resource, place));
        let points: Vec<Point> = points.collect();
        let fault = Fault::Error(500);
        let schedule = Schedule {
            decisions: vec![Decision {
                at: points[0].clone(),
                fault: fault.clone(),
            }],
            ..Schedule::default()
        };
        let strikes = Happening::Fault {
            fault,
            at: points[0].clone(),
        };
        let answered = points.into_iter().skip(1).map(|point| {
            let answered = Answered {
                point,
                status: 200,
                is_report: false,
                warning: None,
                effect: Effect::Unknown,
                deleted_owner: None,
            };
            Happening::Request(Replica::Only, answered)
        });
        let entry = |what| Entry {
            at: Duration::ZERO,
            what,
        };
        let log = [strikes].into_iter().chain(answered).map(entry).collect();
        let wrong = Difference {
            object: "Network default/a".to_owned(),
            path: "status.ready".to_owned(),
            expected: Some("true".to_owned()),
            found: Some("false".to_owned()),
        };
        let violation = Violation::new("another state").with(vec![wrong]);
        let mut failure = violation.by(Oracle::EndState);
        failure.after_restart = Some(AfterRestart::AsBefore);
        let setup = Simulation::new("networks").setup;
        *Found::new(&setup, schedule, failure, log)
    }

    #[test]
    fn what_an_informer_repeats_is_not_called_unrepeated() {
        let watch = (Verb::Watch, "networks", "");
        let list = (Verb::List, "networks", "");
        for requests in [vec![watch], vec![list, list, watch]] {
            let cause = pattern::likely(&after(&requests)).unwrap();
            assert!(cause.contains("the cache did not follow"), "{cause}");
            for wrong in ["sends it again", "nothing repeats it", "half-done"] {
                assert!(!cause.contains(wrong), "{cause}");
            }
        }
    }

    #[test]
    fn a_write_that_is_not_repeated_is_called_so() {
        let write = (Verb::Patch, "networks/status", "default/a");
        let cause = pattern::likely(&after(&[write])).unwrap();
        assert!(cause.contains("sends it again"), "{cause}");
    }
}
