//! Causes that the history of a run proves.
//!
//! An oracle says that something is wrong, not why. Here, each hypothesis is a question to the typed history: was a child written while its owner was being
//! deleted, did the operator go on after a request had failed, has no watch shown the change? The first hypothesis that holds is the cause, so that the
//! most specific ones come first. Where the history does not decide, experiments do: the operator has started once more after the failure, with a fresh
//! cache, and has put the state right, or not; or the same schedule has run again, with one [`Experiment`] where it fails. The report says nothing that
//! neither shows.

mod deletion;
mod endless;
mod failed;
mod missed;
mod outside;
mod rejected;
mod tried;

use std::time::Duration;

use super::Found;
use crate::{
    experiment::{Experiment, Shown},
    oracles::Oracle,
    schedule::{Point, Verb},
    state::{Difference, is_plural},
    timeline::{Act, Answered, Deed, Entry, Happening, Note},
};
pub(super) use endless::late_attempt;

/// The hypotheses, the most specific ones first.
const HYPOTHESES: &[fn(&Found) -> Option<String>] = &[
    deletion::written_for_a_deleted_owner,
    deletion::finalizer_came_off_first,
    outside::left_after_the_deletion,
    outside::added_twice,
    tried::differs_from_run_to_run,
    rejected::rejected,
    endless::created_and_deleted_in_turn,
    deletion::cleanup_cannot_be_repeated,
    failed::went_on_after_a_failure,
    failed::repeated_without_the_request,
    tried::asking_again_is_enough,
    tried::the_status_says_done,
    missed::not_watched,
    missed::created_again,
    missed::remembered,
    failed::reported_and_not_repeated,
    missed::event_without_effect,
    tried::an_existing_child_stays,
    endless::a_list_grows,
    endless::another_value_each_time,
    missed::not_enqueued,
    tried::no_experiment_helps,
    outside::an_existing_entry_stays,
    outside::not_written,
];

/// A reconcile that goes on sends its next request within this time; a back-off takes longer.
const SOON: Duration = Duration::from_millis(10);

/// Returns the cause, if the history proves one.
pub(super) fn cause(found: &Found) -> Option<String> {
    HYPOTHESES.iter().find_map(|hypothesis| hypothesis(found))
}

/// Whether an experiment has put the state right; `None` where it was not tried.
fn puts_right(found: &Found, experiment: Experiment) -> Option<bool> {
    Some(shown(found, experiment)?.is_right)
}

/// What an experiment has shown; `None` where it was not tried.
fn shown(found: &Found, experiment: Experiment) -> Option<Shown> {
    found.failure.experiments.get(&experiment).copied()
}

/// The requests of the operator, with their places in the history.
fn requests(found: &Found) -> impl DoubleEndedIterator<Item = (usize, &Entry, &Answered)> {
    let log = found.log.iter().enumerate();
    log.filter_map(|(at, entry)| Some((at, entry, entry.answered()?)))
}

/// Whether a request is the watch of an informer, or a list of what is watched: an informer repeats both, whatever the reconciles do.
pub(super) fn is_of_informer(found: &Found, point: &Point) -> bool {
    let mut requests = requests(found).map(|(_, _, it)| it);
    let mut is_watched =
        || requests.any(|it| it.verb() == Verb::Watch && it.point.resource == point.resource);
    point.verb == Verb::Watch || point.verb == Verb::List && is_watched()
}

/// Whether the key of an object is of an entry of a system outside of the cluster.
fn is_outside(found: &Found, key: &str) -> bool {
    let mut systems = found.outside.iter();
    systems.any(|name| {
        key.strip_prefix(name.as_str())
            .is_some_and(|it| it.starts_with(' '))
    })
}

/// What the user has done last, with its place in the history.
fn last_act(found: &Found) -> Option<(usize, &Act)> {
    let log = found.log.iter().enumerate().rev();
    let mut acts = log.filter_map(|(at, entry)| Some((at, entry.act()?)));
    acts.find(|(_, act)| act.deed != Deed::Other)
}

/// Where the last phase begins in the history.
fn last_phase(found: &Found) -> usize {
    let is_phase = |it: &Entry| matches!(it.what, Happening::Phase { .. });
    found.log.iter().rposition(is_phase).unwrap_or(0)
}

/// Whether a difference is about the object of a request.
fn is_about(difference: &Difference, answered: &Answered) -> bool {
    let (kind, place) = difference.object.split_once(' ').unwrap_or_default();
    let kind = kind.rsplit('/').next().unwrap_or_default();
    place == answered.point.place && is_plural(&answered.point.resource, kind)
}

/// Whether an oracle compares what the operator has made, at rest.
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

/// Where the simulation has started the operator once more, at rest, or the end.
fn last_process(found: &Found) -> usize {
    let is_restart = |it: &Entry| matches!(it.what, Happening::Simulation(Note::Restarts));
    let restart = found.log.iter().rposition(is_restart);
    restart.unwrap_or(found.log.len())
}

/// Whether the difference is in what objects report, not in their children.
pub(super) fn is_about_status(found: &Found) -> bool {
    let differences = &found.failure.differences;
    let is_status = |it: &Difference| it.path == "status" || it.path.starts_with("status.");
    !differences.is_empty() && differences.iter().all(is_status)
}
