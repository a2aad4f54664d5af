//! Causes in a deletion: children that come back, and finalizers that come off too early.

use super::{is_about, is_about_state, requests};
use crate::{
    oracles::Oracle,
    print::Found,
    schedule::Verb,
    timeline::{Answered, Deed, Effect, Happening},
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
