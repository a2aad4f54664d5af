//! Causes in what the operator has not heard of, or not acted on: a change that no watch shows, an event that leads to nothing.

use super::{is_about_state, last_phase, last_process, requests};
use crate::{
    oracles::{AfterRestart, Oracle},
    print::Found,
    schedule::Verb,
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
    found.failure.after_restart == Some(AfterRestart::Right)
}

/// Something has changed of which no watch of the operator tells.
pub(super) fn not_watched(found: &Found) -> Option<String> {
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
    let by_cluster = found.log.iter().skip(last_phase(found)).filter_map(|it| {
        let Happening::Cluster { object, .. } = &it.what else {
            return None;
        };
        let place = object.split(' ').nth(1).unwrap_or_default().to_owned();
        Some((format!("{}s", kind_of(object)), place))
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
pub(super) fn event_without_effect(found: &Found) -> Option<String> {
    let is_possible = is_about_state(found.oracle) || found.oracle == Oracle::Idempotence;
    if !is_possible || !is_right_after_restart(found) {
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
    let follows = found.log[at..end].iter().filter_map(Entry::answered);
    let acts = { follows }.any(|it| it.verb() != Verb::Watch && !it.is_report);
    (!acts).then(|| {
        format!(
            "`{}` has reached the operator, and no request follows, although a new process has something to write: the event is dropped, such as by a predicate on the generation, or it is mapped to no object.",
            point.what()
        )
    })
}
