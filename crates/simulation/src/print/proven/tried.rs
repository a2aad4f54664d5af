//! Causes that an experiment proves.

use super::{
    is_about, is_about_state, is_about_status, is_of_informer, last_phase, last_process,
    puts_right, requests, shown,
};
use crate::{
    experiment::Experiment,
    oracles::{AfterRestart, Oracle, Variety},
    print::Found,
    schedule::Verb,
    timeline::Answered,
};

/// The last request that has failed for no reason of the object itself, and was not sent again.
fn last_failure(found: &Found) -> Option<&Answered> {
    // What a later process sends is not the repetition.
    let phase = last_phase(found)..last_process(found);
    let requests = requests(found).filter(|(at, _, it)| {
        phase.contains(at) && !it.is_report && !is_of_informer(found, &it.point)
    });
    let mut failed: Option<&Answered> = None;
    for (_, _, it) in requests {
        let is_failure =
            matches!(it.status, 409 | 429 | 500..) || it.status == 403 && it.verb().is_write();
        if is_failure {
            failed = Some(it);
        } else if failed.is_some_and(|of| of.is_same(it)) {
            // It was sent again.
            failed = None;
        }
    }
    failed
}

/// The running process puts the state right as soon as something asks for the object again.
pub(super) fn asking_again_is_enough(found: &Found) -> Option<String> {
    if puts_right(found, Experiment::AskAgain) != Some(true) {
        return None;
    }
    let failed = last_failure(found)?;
    Some(format!(
        "`{}` failed with {}, and the reconcile is not repeated: when the object changes once more, the same process puts the state right. Either the code after that request takes its failure as success, or the error policy does not requeue. Return the error, and let the error policy retry the reconcile (`Action::requeue`).",
        failed.point.what(),
        failed.status
    ))
}

/// A new process leaves the state as it is, unless the status is gone.
pub(super) fn the_status_says_done(found: &Found) -> Option<String> {
    let is_left = found.failure.after_restart != Some(AfterRestart::Right);
    // With Idempotence, it is the value before that a new process writes then.
    if !is_left
        || !is_about_state(found.oracle)
        || puts_right(found, Experiment::WithoutStatus) != Some(true)
    {
        return None;
    }
    let sentence = if is_about_status(found) {
        "The operator keeps what an earlier reconcile has written into the status: without the former status, a new process writes the right one. Compute the whole status from what is there, and write it in each reconcile."
    } else if let Some(first) = super::outside::noted_before_it_was_done(found) {
        return Some(format!(
            "{first} The status makes the operator take as done what is not: without the status, a new process puts it right. Write outside of the cluster first, and the status last."
        ));
    } else {
        "The status makes the operator take as done what is not: without the status, a new process puts the children right. A guard on the status comes before the comparison. Compare each child with the spec in each reconcile, and write the status last."
    };
    Some(sentence.to_owned())
}

/// A child is wrong as long as it exists.
pub(super) fn an_existing_child_stays(found: &Found) -> Option<String> {
    // The children of new objects with the same specs have shown it. An experiment comes too late there: it is an earlier phase that is wrong.
    let is_shown = found.failure.variety == Variety::Recreated;
    let is_proven = puts_right(found, Experiment::WithoutChild) == Some(true);
    if !is_proven && !is_shown {
        return None;
    }
    let differences = &found.failure.differences;
    let wrong = differences.iter().find(|it| {
        let mut written = requests(found).map(|(_, _, it)| it);
        !it.path.is_empty() && written.any(|request| request.is_write() && is_about(it, request))
    })?;
    let is_write =
        |it: &Answered| it.is_write() && it.verb() != Verb::Create && is_about(wrong, it);
    let is_created = |it: &Answered| it.status == 201 && is_about(wrong, it);
    let first = requests(found).position(|(_, _, it)| is_created(it));
    let mut later = requests(found).skip(first.map_or(0, |it| it + 1));
    let writes = later.any(|(_, _, it)| is_write(it) && it.status != 201);
    if !is_proven && (writes || first.is_none()) {
        return None;
    }
    let how = if writes {
        "what the operator sends does not set that field"
    } else {
        "the operator creates it, and sends nothing once it exists"
    };
    Some(format!(
        "{} stays as it is while it exists: {how}. If it is deleted, the new one is right. In each reconcile, compare all fields of the child with the spec, and update it.",
        wrong.object
    ))
}

/// Two runs without faults have written different values.
pub(super) fn differs_from_run_to_run(found: &Found) -> Option<String> {
    if found.failure.variety != Variety::Random {
        return None;
    }
    let wrong = found.failure.differences.first()?;
    Some(format!(
        "{} of {} does not follow from the objects: two runs without faults, which differ in restarts and latencies only, end with different values. It comes from the time, a random number, the order of a `HashMap`, a counter, or what the process keeps in memory. Write what follows from the objects.",
        wrong.path, wrong.object
    ))
}

/// A status differs from the one that is expected, and nothing that is done to the objects changes that.
pub(super) fn no_experiment_helps(found: &Found) -> Option<String> {
    let is_left = |experiment| puts_right(found, experiment) == Some(false);
    let is_fixed = is_left(Experiment::AskAgain) && is_left(Experiment::WithoutStatus);
    if !is_about_status(found) || !is_fixed {
        return None;
    }
    let wrong = found.failure.differences.first()?;
    let has_written = shown(found, Experiment::WithoutStatus).is_some_and(|it| it.writes);
    if !has_written {
        return Some(format!(
            "{} of {} is not written in each reconcile: another reconcile does not write it, and neither does a new process when the status is removed. It is written only together with something else, such as a change of a child, or a reconcile returns before it. Write the status in each reconcile, by what is there.",
            wrong.path, wrong.object
        ));
    }
    let value = |of: &Option<String>| of.clone().unwrap_or_else(|| "(absent)".to_owned());
    match found.oracle {
        Oracle::History => Some(format!(
            "{} of {} does not follow from the objects: neither another reconcile nor a new process without the former status writes what the same specs had before. It comes from the time, a counter or a random number. Write what follows from the objects.",
            wrong.path, wrong.object
        )),
        Oracle::EndState if found.failure.after_restart == Some(AfterRestart::AsBefore) => {
            Some(format!(
                "The run without faults has the wrong value: there, {} of {} stays {}. After the fault, the operator writes {}, and writes it again when the status is removed and a new process starts. So the former value was true for a moment only: the status is written once, or not again when what it speaks of changes. Compare the status with what is there in each reconcile.",
                wrong.path,
                wrong.object,
                value(&wrong.expected),
                value(&wrong.found)
            ))
        }
        _ => None,
    }
}
