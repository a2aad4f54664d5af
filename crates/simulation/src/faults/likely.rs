//! What several faults have in common in how they usually lead to a wrong state.

use super::act::{Aftermath, Repetition};
use crate::point::Verb;

/// After a crash.
pub(super) fn crash(after: &Aftermath) -> String {
    let what = &after.what;
    if after.is_extra {
        format!(
            "The process ended at `{what}`, before the operator had noted what it did, or after it had given up the means to clean up. Give children names that follow from their owner, and remove a finalizer only after the cleanup has succeeded."
        )
    } else {
        format!(
            "The process ended at `{what}`, between two writes, and the next process did not finish the work. It took a half-finished state for a finished one: a guard such as \"the Deployment exists, so all is done\", or a change that only the process that saw it acts on. Compare every child with the spec in every reconcile."
        )
    }
}

/// After an error that hides the effect of a request.
pub(super) fn unanswered(after: &Aftermath) -> String {
    let what = &after.what;
    if after.is_extra {
        format!(
            "`{what}` took effect, but the operator got an error, and repeated it. Give children names that follow from their owner, so that a repeated create fails with 409 AlreadyExists."
        )
    } else {
        format!(
            "`{what}` took effect, but the operator got an error, and carried on as if it had not. Read the object again before the next attempt."
        )
    }
}

/// After a conflict.
pub(super) fn conflict(after: &Aftermath) -> String {
    failed(after).unwrap_or_else(|| {
        let what = &after.what;
        format!(
            "`{what}` was rejected with 409 Conflict, as if another client had changed the object just before, and nothing retried it: the operator treated the conflict as success, or did not retry the failed reconcile. Return the error, and let the error policy retry the reconcile."
        )
    })
}

/// After a request without effect that is no conflict.
pub(super) fn failure(after: &Aftermath) -> String {
    failed(after).unwrap_or_else(|| {
        let what = &after.what;
        format!(
            "`{what}` failed, and nothing repeats it: the error was ignored, the reconcile that failed is not repeated, or a later step does not know that this one is missing. Return the error, and let the error policy retry the reconcile."
        )
    })
}

/// What the requests after a failure show.
fn failed(after: &Aftermath) -> Option<String> {
    let what = &after.what;
    if after.repetition == Repetition::OfInformer {
        // An informer repeats it, or lists and watches anew.
        Some(format!(
            "`{what}` failed, and the cache did not follow the server until it was repeated: the operator acted by an old state, or it acts on each change, of which it saw only the last. {}",
            if after.stays_after_restart {
                "A new process leaves the state as it is, which the run does not explain: the cause is unknown. The run without faults may be the one whose state is outdated."
            } else {
                "Compare every child with the spec in every reconcile."
            }
        ))
    } else if after.repetition == Repetition::Succeeds {
        Some(format!(
            "`{what}` failed, and succeeded when the operator sent it again. The second attempt left out another step, or did it by what had been read before: something half-done was taken as done, such as by a guard on the status or on a child that exists. Compare every child with the spec in every reconcile."
        ))
    } else if after.stays_after_restart {
        Some(format!(
            "`{what}` failed, and neither the running process nor a new one puts right what is missing then. Why, the run does not show: the cause is unknown."
        ))
    } else {
        None
    }
}

/// While the cache shows an old state.
pub(super) fn stale(after: &Aftermath) -> String {
    let why = if after.is_extra {
        "The cache was behind: the operator created again, or kept, what it could not see yet. Give children names that follow from their owner, or ask the server before a create or delete that cannot be repeated."
    } else {
        "The cache was behind: the operator changed or deleted something by an old state, without a resourceVersion or uid that would have made the server reject it."
    };
    why.to_owned()
}

/// After a watch that does not show each change.
pub(super) fn missed(after: &Aftermath) -> String {
    let what = &after.what;
    let deletions = if after.verb == Verb::Deleted {
        " For deletions, use an owner reference or a finalizer."
    } else {
        ""
    };
    format!(
        "The operator did not see `{what}` but only the state after it. It acts on a change, not on the difference between spec and state; nothing repeats a change that is missed. Compare spec and state in each reconcile.{deletions}"
    )
}

/// After another client has changed a child.
pub(super) fn changed(child: &str) -> String {
    format!(
        "Another client changed or deleted {child}, and the operator did not put it back. Watch the children (`Controller::owns`), and compare all their fields."
    )
}
