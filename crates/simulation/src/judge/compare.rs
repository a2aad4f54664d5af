//! Compares a run with the runs without faults.

use std::collections::BTreeSet;

use kube_codegen_testing::ApiServer;

use super::reference::{Counts, Reference};
use crate::{
    oracle::{Failure, Oracle},
    schedule::Schedule,
    settings::Setup,
    state::{Mask, State, differences, id},
};

/// Returns what does not hold at rest.
pub(crate) fn at_rest(
    setup: &Setup,
    server: &ApiServer,
    current: &State,
    schedule: &Schedule,
    reference: Option<&Reference>,
    phase: usize,
) -> Vec<Failure> {
    let mut wrong = Vec::new();
    for (name, check) in &setup.eventually {
        if let Err(why) = check(server) {
            wrong.push(Failure::new(Oracle::Eventually, format!("{name}: {why}")));
        }
    }
    let outdated = server.filter_map(|object| {
        let observed = object.pointer("/status/observedGeneration")?;
        let generation = &object["metadata"]["generation"];
        let is_outdated = observed != generation && setup.is_primary_object(object);
        is_outdated.then(|| {
            let id = id(object);
            format!("{id}: observedGeneration is {observed}, generation {generation}")
        })
    });
    for message in outdated {
        wrong.push(Failure::new(Oracle::ObservedGeneration, message));
    }
    let Some(reference) = reference else {
        return wrong;
    };
    // An operator that refuses a spec may keep what the one before asked for, which a user in a hurry has not waited for.
    let follows_hurry = phase
        .checked_sub(1)
        .is_some_and(|before| schedule.hurry.contains_key(&before));
    if follows_hurry && reference.refused.contains(&phase) {
        return wrong;
    }
    let Some(expected) = reference.states.get(phase) else {
        return wrong;
    };
    let found = differences(expected, current, &reference.mask);
    if !found.is_empty() {
        let faults = schedule.size();
        let message = format!(
            "after {faults} fault{}, the state at rest is another one",
            if faults == 1 { "" } else { "s" }
        );
        wrong.push(Failure::new(Oracle::EndState, message).with(found));
    }
    wrong
}

/// Returns a failure if something is left besides what was there before the operator.
pub(crate) fn emptied(before: &State, current: &State) -> Option<Failure> {
    let left: State = current
        .iter()
        .filter(|(key, _)| !before.contains_key(*key))
        .map(|(key, object)| (key.clone(), object.clone()))
        .collect();
    let (first, object) = left.first_key_value()?;
    let finalizers = object.pointer("/metadata/finalizers");
    let why = finalizers.map_or_else(String::new, |names| format!(" with finalizers {names}"));
    let message = format!(
        "{} object{} left, such as {first}{why}",
        left.len(),
        if left.len() == 1 { " is" } else { "s are" }
    );
    let found = differences(&State::new(), &left, &Mask::new());
    Some(Failure::new(Oracle::Deletion, message).with(found))
}

/// Returns an object that was created or deleted more or less often than without faults.
pub(crate) fn compare_counts(
    counts: &Counts,
    schedule: &Schedule,
    reference: &Reference,
) -> Option<Failure> {
    let comparable = schedule.hurry.is_empty()
        && !schedule
            .decisions
            .iter()
            .any(|decision| decision.fault.changes_counts());
    if !comparable {
        return None;
    }
    let keys = reference.counts.keys().chain(counts.keys());
    for key in keys.collect::<BTreeSet<_>>() {
        let expected = reference.counts.get(key).copied().unwrap_or_default();
        let found = counts.get(key).copied().unwrap_or_default();
        if expected != found && !reference.uncounted.contains(key) {
            let message = format!(
                "{key} was created {} and deleted {} times; without faults {} and {}",
                found.0, found.1, expected.0, expected.1
            );
            let object = key.clone();
            return Some(Failure {
                object,
                ..Failure::new(Oracle::Counts, message)
            });
        }
    }
    None
}
