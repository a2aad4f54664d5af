//! Causes that the server names itself: it rejects a write.

use super::{endless::Cadence, is_about_state, last_phase, requests};
use crate::{
    oracles::{Oracle, Variety},
    plural::counted,
    print::Found,
    schedule::Verb,
    timeline::{Answered, Effect},
};

/// The server has rejected a write for a reason of its own, and nothing else was accepted in its place.
pub(super) fn rejected(found: &Found) -> Option<String> {
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
        let is_replaced = writes[at..]
            .iter()
            .any(|later| later.point.is_of_same_object(&it.point) && later.is_accepted());
        (!is_answer && !is_replaced).then_some((*it, why))
    })?;
    let times = writes.iter().filter(|it| it.is_same(last)).count();
    let how_often = match times {
        1 => String::new(),
        times => format!(" ({})", counted(times, "time")),
    };
    let is_change = matches!(last.verb(), Verb::Update | Verb::Patch);
    let advice = if why.is_of_immutables() {
        "That field cannot change: delete the object and create it again, or leave the field as it is."
    } else if why.lacks_version() {
        "Read the object, change what you have read, and send that with its resourceVersion; or send a patch."
    } else if why.is_of_managers() {
        "Another manager owns a field that is applied: force the apply of fields that are the operator's."
    } else if last.status == 409 && is_change {
        "The resourceVersion is an old one: read the object before each attempt."
    } else if why.is_of_duplicates() {
        "A strategic merge patch has added an entry beside the one that it was to replace: send the whole list, or use server-side apply."
    } else if last.status == 403 {
        "The operator lacks the permission, or the namespace is being deleted."
    } else {
        "Send what the server accepts; where the spec of the user asks for it, say so in the status, or reject it by the schema."
    };
    let is_endless = matches!(found.oracle, Oracle::Rest | Oracle::Requests);
    // The oracle complains about the attempts, which their pace decides, too.
    let cadence = Cadence::of(found, last).filter(|_| is_endless);
    if let Some(how) = cadence.as_ref().filter(|it| it.is_hasty()) {
        return Some(format!(
            "The error policy repeats a reconcile that fails {how}: no failure ends sooner by that, and each attempt costs requests. Repeat it after a time that grows from attempt to attempt, such as from one second to minutes. What fails here is `{}` with {}{how_often}: {}. {advice}",
            last.point.what(),
            last.status,
            why.message
        ));
    }
    let pace = match cadence {
        Some(how) => format!(
            " The error policy repeats it {how}: where nothing but a change lets it succeed, repeat it less often."
        ),
        None => String::new(),
    };
    Some(format!(
        "The server rejects `{}` with {}{how_often}: {}. {advice} What follows that request in a reconcile does not happen.{pace}",
        last.point.what(),
        last.status,
        why.message
    ))
}
