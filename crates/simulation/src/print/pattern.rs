//! Says from a violation what is probably wrong with the operator, and what to do about it.
//!
//! What the history proves comes first (`proven`). Where it proves nothing, what was violated, by which fault, and whether too much or too little is there,
//! decide on the most frequent cause. It is a guess, so that a sentence says what the run shows before what usually leads there.

use std::collections::BTreeSet;

use super::{
    Found,
    proven::{self, is_about_status},
};
use crate::{
    faults::{Aftermath, Repetition},
    oracles::{AfterRestart, Oracle, Variety},
    schedule::{Decision, Point, Verb},
    state::Difference,
    timeline::{Answered, Deed, Effect, Entry, Happening},
};

/// Said of reconciles that follow each other.
const REPEATED: &str = "Reconciles keep running although nothing changes: each one requeues itself after a short time, writes something that triggers the next one, or waits for something in a loop. Return `Action::await_change()` when nothing is left to do.";

/// The same where their writes change nothing.
const REPEATED_IDLY: &str = "Reconciles keep running although nothing changes, and nothing that they write changes anything: each one requeues itself after a short time, or waits for something in a loop. Return `Action::await_change()` when nothing is left to do.";

/// Said of children that are missing in one namespace alone.
const ELSEWHERE: &str = "Objects of this namespace do not get what the same ones have got in another. A namespace is fixed in the code, or something is remembered or looked up by the name alone, so that the one of the other namespace is found. Take the namespace from the object that is reconciled, use namespace and name as a key, and read and list in that namespace.";

/// Said of a single reconcile that does not end.
const WAITS: &str = "A reconcile does not end: it waits for something in a loop, in which it sends the same read again and again, without the requests that a reconcile begins with. Return instead, and let the watch of what it waits for enqueue the object.";

/// Returns what is said of reconciles that follow each other.
fn repeated(found: &Found) -> &'static str {
    const LAST: usize = 20;
    let answered = || {
        let requests = found.log.iter().rev().filter_map(Entry::answered);
        requests.filter(|it| !it.is_report && it.verb() != Verb::Watch)
    };
    // With more objects, several reconciles wait.
    let repeated: BTreeSet<_> = answered().take(LAST).map(|it| it.point.target()).collect();
    let reads = |it: &Answered| it.verb() == Verb::Get;
    let begins = found
        .log
        .iter()
        .filter_map(Entry::answered)
        .find(|it| !it.is_report && !matches!(it.verb(), Verb::List | Verb::Watch));
    let is_another = begins.is_some_and(|it| !repeated.contains(&it.point.target()));
    if answered().take(LAST).all(reads) && is_another {
        return WAITS;
    }
    let mut last = answered().take(LAST);
    let is_idle = |it: &Answered| !it.verb().is_write() || it.effect == Effect::None;
    if last.all(is_idle) {
        REPEATED_IDLY
    } else {
        REPEATED
    }
}

/// Returns what usually causes such a violation, and what to do about it.
pub(crate) fn likely(found: &Found) -> Option<String> {
    if found.failure.variety == Variety::Namespace {
        return Some(ELSEWHERE.to_owned());
    }
    if let Some(sentence) = proven::cause(found) {
        return Some(sentence);
    }
    if matches!(found.oracle, Oracle::Rest | Oracle::Requests)
        && let Some(sentence) = rejected_again(found).or_else(|| proven::late_attempt(found))
    {
        return Some(sentence);
    }
    let variety = found.failure.variety;
    let sentence = match found.oracle {
        Oracle::Strangers => {
            "The name of a child is not enough to know that an object is the operator's. Look at its owner reference (`is_controlled_by`) before it is changed or deleted, and report an object of another owner in place of that. If it is taken over on purpose: `.without_scenario(Scenario::Strangers)`."
        }
        Oracle::Metadata => {
            "Labels, annotations and finalizers are lists that several clients write. Add and remove your own entry: read the list, change that entry, and write it with the resourceVersion that you have read, or use server-side apply. A merge patch of `metadata.finalizers`, and an update that does not start with the object as it is, remove those of others."
        }
        Oracle::Accepted => return Some(accepted(found)),
        Oracle::Gaps => {
            "The child is deleted although the server accepts the new one as an update. Send the update, and replace the child where the server says that a field is immutable."
        }
        Oracle::Truth => {
            "The status is written in fewer cases than what it speaks of changes: a reconcile returns before it, or no watch shows the change."
        }
        Oracle::Preconditions => {
            "If the object was deleted and created again after the operator has read it, a delete by its name hits the new one. Give the delete the uid of the object that was read, as a precondition (`DeleteParams::preconditions`)."
        }
        Oracle::OwnerReferences if variety == Variety::UidOfAnother => {
            "The parts of the owner reference come from two objects, or the child is in another namespace than its owner. Take apiVersion, kind, name and uid from the object that is reconciled (`owned_by`), and create children in the namespace of their owner; one without a namespace may have them anywhere."
        }
        Oracle::Rest if variety == Variety::UnknownUid => {
            "The owner reference is wrong, so the garbage collector deletes the child, and its deletion causes the next reconcile. Take apiVersion, kind, name and uid from the object that is reconciled (`owned_by`)."
        }
        Oracle::Rest if variety == Variety::Rejected => {
            "The same attempt never succeeds. Where the server says what is immutable or a duplicate, change how you write it: replace the child, or use server-side apply. Where the spec is not valid, say so in the CRD's schema or in the status, and wait for the next change."
        }
        Oracle::OwnerReferences => {
            "Nothing deletes this object when its owner is deleted. Set an owner reference when it is created."
        }
        Oracle::Conditions => {
            "The condition depends on something that changes from reconcile to reconcile, or two places in the code disagree about it."
        }
        Oracle::ObservedGeneration if writes_status_last(found) => {
            "The status was written after the last change of the spec, but it names another generation: that of a child, or of a condition that was kept as it was. Write `metadata.generation` of the object that was reconciled."
        }
        Oracle::ObservedGeneration if !found.schedule.decisions.is_empty() => {
            return Some(after(found, &found.schedule.decisions[0], Wrong::Missing));
        }
        Oracle::ObservedGeneration => {
            "The status was not written after the last change of the spec: the reconcile returns before that, or takes the status as right although its generation is another one. Write `metadata.generation` in each reconcile, also where nothing else changes."
        }
        Oracle::Rest if variety == Variety::TwoStates => {
            "Two reconciles overwrite each other: two objects claim one child, or two parts of the code disagree about a field. Name the child after its owner, and do not change a child that another object controls."
        }
        Oracle::Rest if variety == Variety::Repeated => repeated(found),
        Oracle::Idempotence if variety == Variety::Restart => match found.failure.after_restart {
            Some(AfterRestart::Right) => {
                "The running process had left something undone that a new one does: it has missed a change, or takes something half-done as done. Which one, the run does not show."
            }
            Some(AfterRestart::Writes) => {
                "Each new process writes once more: it takes what it sees first as a change, or counts from zero, and acts on events, not on the difference between the object and what it should be. Wait until the caches are complete, compare, and write only what differs."
            }
            Some(AfterRestart::GoesOn) => {
                "Each new process goes on by one step, and then stops: no event tells the running one that the step before is done. Watch what it waits for."
            }
            Some(AfterRestart::AsBefore) | None => {
                "A new process takes what it sees first as a change, or the one before had left something undone. Which one, the run does not show."
            }
        },
        Oracle::Rest | Oracle::Idempotence => {
            "Each reconcile writes something that differs from the last time: a time, a counter, a random value, or the same in another order. The event of that write causes the next reconcile. Compare with the object as it is, and write only what differs."
        }
        Oracle::Requests => repeated(found),
        Oracle::Panics => {
            "The code relies on something that is absent or different in this schedule: an object in the cache, a field, or a successful request. See the last lines of the timeline."
        }
        Oracle::Leader => {
            "The replica keeps working after its term has ended. Its lease ran out while it did not run, and its tasks did not notice. Fence the writes by the term (`Term::fence`), and end the process when the term ends."
        }
        Oracle::EndState | Oracle::Counts | Oracle::History | Oracle::Deletion => {
            return Some(difference(found));
        }
        // What these find, their authors know best.
        _ => return None,
    };
    Some(sentence.to_owned())
}

/// Returns why the server rejects a request each time.
fn accepted(found: &Found) -> String {
    let rejected = found.failure.rejected.as_ref();
    let lacks_version = rejected.is_some_and(|it| it.why.lacks_version());
    let why = match rejected.map(|it| (it.verb, it.status)) {
        Some((Verb::Update, _)) if lacks_version => {
            "An update needs the resourceVersion of the object that it replaces. Read the object, change what you have read, and send that; or send a patch."
        }
        Some((Verb::Create, 404)) => "The namespace, or the kind, does not exist.",
        Some((_, 404)) => {
            "The object does not exist, or its kind has no such subresource: a CRD has `status` where `subresources` says so."
        }
        Some((Verb::Patch, 409)) => {
            "Another manager owns a field that is applied. Force the apply of fields that are the operator's."
        }
        Some((_, 409)) => {
            "The object is sent with an old resourceVersion. Read it before each attempt, or use server-side apply."
        }
        Some((_, 403)) => "The operator lacks the permission, or the namespace is being deleted.",
        Some((_, 415)) => "The server does not know the media type of the patch for this kind.",
        Some(_) | None => "The response says why.",
    };
    format!(
        "{why} Until then, nothing that follows this request in a reconcile happens, so runs with faults test nothing after it."
    )
}

/// Returns what usually causes a request that is rejected with the same status again and again.
fn rejected_again(found: &Found) -> Option<String> {
    const TIMES: usize = 5;
    let requests = found.log.iter().rev().filter_map(Entry::answered);
    // An attempt may end at a read. Reports of failures say nothing about their cause.
    let attempts =
        requests.filter(|it| it.is_write() || (it.verb() == Verb::Get && it.status == 404));
    let attempts: Vec<&Answered> = attempts.take(4 * TIMES).collect();
    // A read that finds nothing is the cause only where no write follows it.
    let last = attempts.iter().find(|it| it.verb() != Verb::Get);
    let last = *last.or(attempts.first())?;
    let is_same =
        |it: &&&Answered| it.point.target() == last.point.target() && it.status == last.status;
    let times = attempts.iter().filter(is_same).count();
    if !(400..500).contains(&last.status) || times <= TIMES {
        return None;
    }
    let (what, status) = (last.point.what(), last.status);
    let why = match (last.verb(), status) {
        (Verb::Create, 409) => {
            "The object exists, and the operator does not find it: it looks for another name or label, or takes that it exists for a failure. Take AlreadyExists as done, and look at the object then."
        }
        (Verb::Patch, 409) => {
            "The server rejects an apply without `force` while another manager owns one of its fields, and a patch with an old resourceVersion. Force the apply of fields that are the operator's, and read the object before each attempt."
        }
        (_, 409) => {
            "The object is sent with an old resourceVersion. Read it before each attempt, or use server-side apply."
        }
        (_, 404) => {
            "The object does not exist, and the error policy keeps retrying. If the reconciled object itself is gone, end the reconcile without an error. If something else is missing, create it first, or watch it and reconcile when it appears."
        }
        (_, 403) => "The operator lacks the permission, or the namespace is being deleted.",
        _ => {
            "Where the server says what is immutable or a duplicate, change how you write it: replace the child, or use server-side apply. Where the spec is not valid, say so in the CRD's schema or in the status, and wait for the next change."
        }
    };
    Some(format!(
        "`{what}` is rejected with {status} again and again. {why}"
    ))
}

/// What is wrong with the state at rest.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wrong {
    /// Something was created too often, or is left.
    Extra,
    /// Something is missing or has another value.
    Missing,
}

fn wrong(found: &Found) -> Wrong {
    let differences = &found.failure.differences;
    let is_extra = |it: &Difference| it.expected.is_none();
    let extra = match found.oracle {
        Oracle::Deletion | Oracle::Counts => true,
        _ => differences.iter().any(is_extra),
    };
    if extra { Wrong::Extra } else { Wrong::Missing }
}

fn difference(found: &Found) -> String {
    let wrong = wrong(found);
    let Some(decision) = found.schedule.decisions.first() else {
        return without_faults(found, wrong);
    };
    let mut sentence = after(found, decision, wrong);
    if is_about_status(found) {
        sentence.push_str(" Or the status without faults is the wrong one: it still says what was so for a moment only, and nothing takes it back.");
    }
    if !found.schedule.hurry.is_empty() {
        sentence.push_str(" Besides, the user changed the object before the operator was at rest, so that it may never have seen the spec in between: the children must follow from the newest spec alone.");
    }
    sentence
}

/// Whether the operator wrote a status after the last action of the user.
fn writes_status_last(found: &Found) -> bool {
    let is_user = |it: &Entry| matches!(it.what, Happening::User(_));
    let last = found.log.iter().rposition(is_user);
    let after = found.log.iter().skip(last.map_or(0, |at| at + 1));
    after.filter_map(Entry::answered).any(|it| {
        let is_write = matches!(it.verb(), Verb::Patch | Verb::Update);
        is_write && it.point.subresource == "status" && it.is_accepted()
    })
}

/// Whether a request that met the fault was sent again, with success.
fn succeeds_later(found: &Found, at: &Point) -> bool {
    let is_fault = |it: &&Entry| matches!(&it.what, Happening::Fault { at: of, .. } if of == at);
    let after = found.log.iter().skip_while(|it| !is_fault(it)).skip(1);
    let is_same = |it: &Answered| it.point.target() == at.target();
    after
        .filter_map(Entry::answered)
        .any(|it| is_same(it) && it.is_accepted())
}

/// What usually leads from a fault to a state that is wrong.
fn after(found: &Found, decision: &Decision, wrong: Wrong) -> String {
    let repetition = if proven::is_of_informer(found, &decision.at) {
        Repetition::OfInformer
    } else if succeeds_later(found, &decision.at) {
        Repetition::Succeeds
    } else {
        Repetition::Missing
    };
    let aftermath = Aftermath {
        what: decision.at.what().to_string(),
        verb: decision.at.verb,
        is_extra: wrong == Wrong::Extra,
        repetition,
        stays_after_restart: found.failure.after_restart == Some(AfterRestart::AsBefore),
    };
    decision.fault.act().likely(&aftermath)
}

fn without_faults(found: &Found, wrong: Wrong) -> String {
    let is_deleted =
        |it: &Entry| matches!(&it.what, Happening::User(act) if act.deed == Deed::Deletes);
    let sentence = match (found.oracle, wrong) {
        (_, Wrong::Extra)
            if !found.schedule.hurry.is_empty() && found.log.iter().any(is_deleted) =>
        {
            "The user deleted the object before the operator was at rest, and something of it is left: the finalizer was not there yet, or the operator created a child for an object that was gone. Set the finalizer before the first child, and give children an owner reference where they can have one."
        }
        _ if !found.schedule.hurry.is_empty() => {
            "The user changed the object again before the operator was at rest. The operator finished the former change, or mixes the two: it must compare the children with the newest spec, and delete what that spec does not ask for. If it skips what `status.observedGeneration` says is done, that must be the generation of the spec it has acted on, not the one that the server has when the status is written."
        }
        (Oracle::History, _) if is_about_status(found) => {
            "The status says what was before: it is written by what a child or another object was like, and not written again when that changes. Watch what the status speaks of (`Controller::owns`), and write it after that in the same reconcile."
        }
        (Oracle::Deletion, _) => {
            "After the deletion of its objects, the operator leaves something that has no living owner. Use an owner reference in the same namespace, or a finalizer that deletes it."
        }
        (Oracle::History, Wrong::Missing) if found.failure.variety == Variety::Number => {
            "Objects with other names have another number of children. Most likely, a child's name has only a part of its owner's: where names begin alike, are cut to a length, or lose a dot, two objects share one child. Use the whole name, or add a hash of it where that is too long."
        }
        (Oracle::History, Wrong::Missing)
            if found
                .failure
                .differences
                .iter()
                .any(|it| it.path.is_empty()) =>
        {
            "The same specs had this object before, and the operator does not make it again: it takes something for done that is not. The run does not show what: the cause is unknown."
        }
        (Oracle::History, Wrong::Missing) => {
            "The children depend on what was there before: where a child exists, the operator leaves as it is what it sets in a new one, the server rejects the change, as of an immutable field, or it keeps what it has set by default, such as a `targetPort` that followed from the former `port`. In each reconcile, compare and set all fields of the child; replace a child that cannot be changed."
        }
        (Oracle::History, Wrong::Extra) => {
            "What was asked for earlier, by the spec or by an object that it names, is left. In each reconcile, list the children of the object, and delete those that nothing asks for any more."
        }
        _ => {
            "The order of events alone leads to another state: the operator depends on which event comes first, or on how long a request takes."
        }
    };
    sentence.to_owned()
}
