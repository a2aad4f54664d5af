//! Causes in what the operator has not heard of, or not acted on: a change that no watch shows, an event that leads to nothing.

use super::{is_about_state, last_phase, last_process, puts_right, requests, shown};
use crate::{
    experiment::Experiment,
    oracles::{AfterRestart, Oracle},
    print::Found,
    schedule::Verb,
    state::is_plural,
    timeline::{Deed, Entry, Happening},
};

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
            Happening::User(act) if act.deed != Deed::Other => act.path.clone(),
            Happening::Fault { fault, .. } => fault.act().object()?.to_owned(),
            Happening::User(_)
            | Happening::Phase { .. }
            | Happening::Process(..)
            | Happening::Request(..)
            | Happening::Event { .. }
            | Happening::Cache(..)
            | Happening::Cluster { .. }
            | Happening::Outside(_)
            | Happening::Simulation(_)
            | Happening::Bytes(..) => return None,
        };
        let (resource, place) = parts(&path)?;
        Some((at, resource, place))
    })
    .collect()
}

/// Whether a new process does what the one before has not done.
fn is_right_after_restart(found: &Found) -> bool {
    matches!(
        found.failure.after_restart,
        Some(AfterRestart::Right | AfterRestart::GoesOn)
    )
}

/// Whether something that a process has not heard of, or has forgotten, can be the cause.
fn is_possible(found: &Found) -> bool {
    is_about_state(found.oracle) || found.oracle == Oracle::Idempotence
}

/// Something has changed of which no watch of the operator tells.
pub(super) fn not_watched(found: &Found) -> Option<String> {
    let may_be_unheard = is_right_after_restart(found) || found.failure.after_restart.is_none();
    if !is_possible(found)
        || !may_be_unheard
        || puts_right(found, Experiment::AskAgain) == Some(false)
    {
        return None;
    }
    let watches = |resource: &str| {
        let requests = requests(found).map(|(_, _, it)| it);
        let watches = requests.filter(|it| it.verb() == Verb::Watch);
        let of = watches.filter(|it| it.point.resource == resource);
        of.map(|it| it.point.place.clone()).collect::<Vec<_>>()
    };
    let of_clients = changes(found)
        .into_iter()
        .map(|(_, resource, place)| (resource, place));
    let by_cluster = found.log.iter().skip(last_phase(found)).filter_map(|it| {
        let Happening::Cluster { object, .. } = &it.what else {
            return None;
        };
        let (kind, place) = object.split_once(' ')?;
        let kind = kind.rsplit('/').next()?;
        let mut requests = requests(found);
        let (_, _, of) = requests.find(|(_, _, it)| is_plural(&it.point.resource, kind))?;
        Some((of.point.resource.clone(), place.to_owned()))
    });
    let namespace = |place: &str| place.split_once('/').map_or("", |(it, _)| it).to_owned();
    // A watch of one object has its place.
    let is_watched = |resource: &str, place: &str| {
        watches(resource)
            .iter()
            .any(|it| it.is_empty() || *it == namespace(place) || it == place)
    };
    let has_watches = requests(found).any(|(_, _, it)| it.verb() == Verb::Watch);
    let (resource, place) = of_clients
        .chain(by_cluster)
        .find(|(resource, place)| has_watches && !is_watched(resource, place))?;
    // What the operator has never asked for does not concern it.
    let concerns =
        requests(found).any(|(_, _, it)| it.point.resource == resource && it.verb() != Verb::Watch);
    let of = match watches(&resource).as_slice() {
        [] => resource.clone(),
        _ => format!("{resource} in namespace {}", namespace(&place)),
    };
    concerns.then(|| {
        format!(
            "{resource} {place} has changed, and the operator does not watch {of}: a new process acts on the change, the running one never hears of it. Watch them (`Controller::owns` for children, `Controller::watches` for what an object names)."
        )
    })
}

/// A new process creates one more child with a random name.
pub(super) fn created_again(found: &Found) -> Option<String> {
    if found.oracle != Oracle::Idempotence {
        return None;
    }
    let mut differences = found.failure.differences.iter();
    let twin = differences
        .find(|it| it.path.is_empty() && it.expected.is_none() && it.object.contains('*'))?;
    Some(format!(
        "{} was created again by a new process: it does not look for what is there, or its cache does not show it yet. Wait until the caches are complete before the first reconcile, and give children names that follow from their owner: a create that is repeated fails with 409 AlreadyExists then.",
        twin.object
    ))
}

/// The running process reconciles the object again, and does not do what a new one does.
pub(super) fn remembered(found: &Found) -> Option<String> {
    let is_right = found.failure.after_restart == Some(AfterRestart::Right);
    if !is_possible(found) || !is_right || puts_right(found, Experiment::AskAgain) != Some(false) {
        return None;
    }
    let acts = shown(found, Experiment::AskAgain).is_some_and(|it| it.acts);
    let sentence = if acts {
        "The running process reconciles the object again and does not put it right, but a new process does: what the process keeps in memory decides, such as a cache of its own, or a note that this is done. Decide by the objects, or forget what is in memory when they change."
    } else if puts_right(found, Experiment::NewGeneration) == Some(true) {
        "The running process acts on a new `metadata.generation` of the object alone: a label that changes does not make it act, the same spec with another generation does, and so does a new process. A predicate on the generation, or a note of the generation that is done, drops all other updates, such as those of labels, annotations, finalizers and the status. Let updates through on which the reconcile depends."
    } else if puts_right(found, Experiment::Anew) == Some(true) {
        "No update of the object makes the running process act, neither of a label nor of the generation, but an object that appears anew does, and so does a new process. A predicate or an event filter drops updates and passes additions, or the process notes that an object is done, and forgets that only when the object is gone. Let updates through, and compare with the spec in each reconcile."
    } else if puts_right(found, Experiment::Anew).is_none() {
        "The running process does not act, even if a label of the object changes, and a new process does. Either what the process keeps in memory decides, such as a cache of its own, a note that this is done, or a reconcile that never ends: decide by the objects, or forget what is in memory when they change. Or a predicate drops updates of the object."
    } else {
        "The running process does not act, not even when the object disappears and appears anew, and a new process does: what the process keeps in memory decides, such as a cache of its own, a note that this is done, or a reconcile that never ends. Decide by the objects, or forget what is in memory when they change."
    };
    Some(sentence.to_owned())
}

/// An event has reached the operator, and no request follows.
pub(super) fn event_without_effect(found: &Found) -> Option<String> {
    let is_unheard = puts_right(found, Experiment::AskAgain) != Some(false);
    if !is_possible(found) || !is_right_after_restart(found) || !is_unheard {
        return None;
    }
    let end = last_process(found);
    let events = found.log[..end].iter().enumerate().skip(last_phase(found));
    let (at, point) = events.rev().find_map(|(at, entry)| {
        let Happening::Event { point, .. } = &entry.what else {
            return None;
        };
        (point.resource != "events").then_some((at, point))
    })?;
    // An Event says that the object was reconciled.
    let acts = found.log[at..end].iter().any(|entry| match &entry.what {
        Happening::Request(_, it) => it.verb() != Verb::Watch && it.point.resource != "leases",
        Happening::Outside(_) => true,
        Happening::User(_)
        | Happening::Phase { .. }
        | Happening::Process(..)
        | Happening::Event { .. }
        | Happening::Cache(..)
        | Happening::Cluster { .. }
        | Happening::Fault { .. }
        | Happening::Simulation(_)
        | Happening::Bytes(..) => false,
    });
    // What fails outside of the cluster leaves no trace.
    let or_failed = if found.outside.is_empty() {
        ""
    } else {
        " Or it leads to a reconcile whose access to a system outside of the cluster fails, and whose error is ignored or not repeated: return it, so that the error policy repeats the reconcile."
    };
    (!acts).then(|| {
        format!(
            "`{}` has reached the operator, and no request follows, although a new process has something to write: the event is dropped, such as by a predicate on the generation, or it is mapped to no object.{or_failed}",
            point.what()
        )
    })
}

/// The last event before the rest was about a child of another object of the user: its name begins with that of its object.
fn changed_for_another(found: &Found) -> Option<String> {
    let wrong = found.failure.differences.first()?;
    let name = |place: &str| {
        place
            .rsplit(['/', ' '])
            .next()
            .unwrap_or_default()
            .to_owned()
    };
    let own = name(&wrong.object);
    let kind = wrong.object.split(' ').next().unwrap_or_default();
    let kind = kind.rsplit('/').next().unwrap_or_default();
    let before = found.log[..last_process(found)].iter().rev();
    let last = { before }.find_map(|entry| match &entry.what {
        // What the operator has written there itself comes later.
        Happening::Event { point, .. } => {
            let is_of_kind = is_plural(&point.resource, kind) || point.resource == "events";
            (!is_of_kind).then_some(point)
        }
        Happening::User(_)
        | Happening::Phase { .. }
        | Happening::Process(..)
        | Happening::Request(..)
        | Happening::Cache(..)
        | Happening::Cluster { .. }
        | Happening::Outside(_)
        | Happening::Fault { .. }
        | Happening::Simulation(_)
        | Happening::Bytes(..) => None,
    })?;
    // What a user has made may ask for what is wrong, whatever its name is.
    let is_of_user = found.log.iter().filter_map(Entry::act).any(|act| {
        let end = format!("/{}/{}", last.resource, name(&last.place));
        act.path.ends_with(&end)
    });
    if is_of_user {
        return None;
    }
    let other = name(&last.place);
    let is_of_family = other.starts_with(&own) || own.starts_with(&other);
    (!is_of_family).then(|| {
        format!(
            "The last change was `{}`, which does not belong to {}, and yet decides it: when that is reconciled once more, the same process writes another value. Most likely, a label selector or a list is too wide, and finds the children of other objects: select those of the object alone, such as by the uid of their owner. If it depends on them on purpose, map their events to it.",
            last.what(),
            wrong.object
        )
    })
}

/// The running process puts the state right as soon as it reconciles the object again.
pub(super) fn not_enqueued(found: &Found) -> Option<String> {
    if !is_possible(found) || puts_right(found, Experiment::AskAgain) != Some(true) {
        return None;
    }
    let wrong = found.failure.differences.first();
    let wrong = wrong.map_or("the state", |it| it.object.as_str());
    if let Some(sentence) = changed_for_another(found) {
        return Some(sentence);
    }
    Some(format!(
        "When it is reconciled once more, the same process puts {wrong} right: nothing has enqueued it after what it depends on has changed. The run does not show which of three causes it is. If only time has passed, return `Action::requeue`. If an event was mapped to another object, map it to each object that depends on it. If a label selector is too wide, it also finds the children of others: select those of the object alone."
    ))
}
