//! Causes in a deletion: children that come back, and finalizers that come off too early.

use super::{is_about, is_about_state, puts_right, requests};
use crate::{
    experiment::Experiment,
    oracles::{AfterRestart, Oracle},
    print::Found,
    schedule::{Point, Verb},
    state::is_plural,
    timeline::{Answered, Change, Deed, Effect, Happening},
};

/// A child is written while its owner is being deleted.
pub(super) fn written_for_a_deleted_owner(found: &Found) -> Option<String> {
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
pub(super) fn finalizer_came_off_first(found: &Found) -> Option<String> {
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

/// An object that is being deleted keeps its finalizer, and neither the running process nor a new one removes it.
pub(super) fn cleanup_cannot_be_repeated(found: &Found) -> Option<String> {
    let is_stuck = found.failure.after_restart == Some(AfterRestart::AsBefore)
        && puts_right(found, Experiment::AskAgain) != Some(true);
    if found.oracle != Oracle::Deletion || !is_stuck {
        return None;
    }
    let mut differences = found.failure.differences.iter();
    let (deleted, left, resource, place) = differences.find_map(|left| {
        let (kind, place) = left.object.split_once(' ')?;
        let kind = kind.rsplit('/').next()?;
        let (namespace, name) = match place.split_once('/') {
            Some((namespace, name)) => (Some(namespace), name),
            None => (None, place),
        };
        found.log.iter().enumerate().find_map(|(at, entry)| {
            let Happening::User(act) = &entry.what else {
                return None;
            };
            let mut parts = act.path.rsplit('/');
            let is_name = parts.next() == Some(name);
            let resource = parts.next().filter(|it| is_plural(it, kind))?;
            // An object of the same name elsewhere is another one, such as a copy.
            let is_here = namespace.is_none_or(|it| parts.next() == Some(it));
            (is_name && is_here && act.deed == Deed::Deletes).then_some((at, left, resource, place))
        })
    })?;
    let is_of_it = |it: &Point| it.resource == resource && it.place == place;
    let later = || found.log.iter().skip(deleted);
    // A request that a fault has met, or that was rejected.
    let failed = later().find_map(|entry| match &entry.what {
        Happening::Fault { at, .. } => {
            (at.verb.is_write() && is_of_it(at)).then(|| at.what().to_string())
        }
        Happening::Request(_, it) => (it.is_write() && is_of_it(&it.point) && !it.is_accepted())
            .then(|| it.point.what().to_string()),
        Happening::Phase { .. }
        | Happening::User(_)
        | Happening::Process(..)
        | Happening::Event { .. }
        | Happening::Cache(..)
        | Happening::Cluster { .. }
        | Happening::Outside(_)
        | Happening::Simulation(_)
        | Happening::Bytes(..) => None,
    });
    let is_gone = |it: &&Answered| it.status == 404 && it.is_write();
    let gone = later().filter_map(|it| it.answered()).rfind(is_gone);
    let object = &left.object;
    // What is outside of the cluster was removed, and the object was not let go then.
    let removed = later().find_map(|entry| {
        let it = entry.outside()?;
        (it.change == Change::Disappears).then_some((entry.at, it))
    });
    if let (Some((at, removed)), Some(failed)) = (removed, &failed) {
        return Some(format!(
            "{object} keeps its finalizer: {} was removed at {:.3} s, then `{failed}` did not succeed, and no later reconcile gets to it again. The cleanup fails when it is repeated: what is gone already must be a success.",
            removed.object,
            at.as_secs_f64()
        ));
    }
    Some(match (failed, gone) {
        (_, Some(gone)) => format!(
            "{object} keeps its finalizer: `{}` finds nothing (404) when the cleanup is repeated, and the operator takes that as a failure. What is gone already is a success.",
            gone.point.what()
        ),
        (Some(failed), None) => format!(
            "{object} keeps its finalizer: `{failed}` did not succeed the first time, and no later reconcile gets to it again. Most likely, the cleanup before it was done then, and fails when it is repeated: what is gone already must be a success."
        ),
        (None, None) => format!(
            "{object} keeps its finalizer: no reconcile after the deletion sends a request for it. Either something comes before the check of `metadata.deletionTimestamp`, such as a pause or a guard on the status: check it first. Or a cleanup outside the cluster fails each time."
        ),
    })
}
