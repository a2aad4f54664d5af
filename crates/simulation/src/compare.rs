//! Compares a run with the runs without faults.

use std::{collections::BTreeSet, sync::Arc};

use serde_json::Value;

use crate::{
    oracle::{Failure, Oracle},
    reference::Reference,
    schedule::Schedule,
    state::{Mask, State, differences, id, state},
    workload::Workload,
    world::World,
};

/// Checks what holds at rest.
pub(crate) fn at_rest(
    world: &World,
    current: &State,
    schedule: &Schedule,
    reference: Option<&Reference>,
    phase: usize,
) {
    for (name, check) in &world.setup.eventually {
        if let Err(why) = check(&world.server) {
            world.fail(Failure::new(Oracle::Eventually, format!("{name}: {why}")));
        }
    }
    let outdated = world.server.filter_map(|object| {
        let observed = object.pointer("/status/observedGeneration")?;
        let generation = &object["metadata"]["generation"];
        let is_outdated = observed != generation && world.setup.is_primary_object(object);
        is_outdated.then(|| {
            let id = id(object);
            format!("{id}: observedGeneration is {observed}, generation {generation}")
        })
    });
    for message in outdated {
        world.fail(Failure::new(Oracle::ObservedGeneration, message));
    }
    let Some(reference) = reference else { return };
    // An operator that refuses a spec may keep what the one before asked for, which a user in a hurry has not waited for.
    let follows_hurry = phase
        .checked_sub(1)
        .is_some_and(|before| schedule.hurry.contains_key(&before));
    if follows_hurry && reference.refused.contains(&phase) {
        return;
    }
    let Some(expected) = reference.states.get(phase) else {
        return;
    };
    let found = differences(expected, current, &reference.mask);
    if !found.is_empty() {
        let faults = schedule.size();
        let message = format!(
            "after {faults} fault{}, the state at rest is another one",
            if faults == 1 { "" } else { "s" }
        );
        world.fail(Failure::new(Oracle::EndState, message).with(found));
    }
}

/// Returns the objects of users, without metadata and status, and the other objects.
fn split(workload: &Workload, state: &State) -> (State, State) {
    let users = workload.ids();
    let (mut own, others): (State, State) = state
        .iter()
        .map(|(key, object)| (key.clone(), object.clone()))
        .partition(|(key, _)| users.contains(key));
    for object in own.values_mut().filter_map(Value::as_object_mut) {
        object.retain(|name, _| name != "metadata" && name != "status");
    }
    (own, others)
}

/// Checks that the children are as they were the last time the specs were the same. Where all objects are new, it is the others that may be
/// wrong.
pub(crate) fn history(
    workload: &Workload,
    states: &[Option<Arc<State>>],
    current: &State,
    phase: usize,
    reference: &Reference,
    mask: &Mask,
) -> Option<Failure> {
    let same = workload.phases[phase].same_as?;
    let earlier = states.get(same)?.as_ref()?;
    let is_new = phase > 0 && workload.phases[phase - 1].empty;
    let (specs, current) = split(workload, current);
    let (specs_before, earlier) = split(workload, earlier);
    // A rule may have refused the change of an object that was there.
    if is_new && specs != specs_before {
        return None;
    }
    if is_new && let Some(before) = same.checked_sub(1) {
        // An operator that refuses a spec may keep the children that it has got; a new object gets none.
        let without_faults = |phase: usize| Some(split(workload, reference.states.get(phase)?).1);
        if let (Some(before), Some(after), Some(new)) = (
            without_faults(before),
            without_faults(same),
            without_faults(phase),
        ) && differences(&before, &after, mask).is_empty()
            && !after.keys().eq(new.keys())
        {
            return None;
        }
    }
    let (expected, found) = if is_new {
        (&current, &earlier)
    } else {
        (&earlier, &current)
    };
    let found = differences(expected, found, mask);
    let name = &workload.phases[same].name;
    let message = if is_new {
        format!("the children after {name:?} are not those of new objects with the same specs")
    } else {
        format!("the specs are as after {name:?}, the children are not")
    };
    (!found.is_empty()).then(|| Failure::new(Oracle::History, message).with(found))
}

/// Checks that nothing is left but what was there before the operator.
pub(crate) fn emptied(world: &World, current: &State) {
    let before = state(&world.setup.server);
    let left: State = current
        .iter()
        .filter(|(key, _)| !before.contains_key(*key))
        .map(|(key, object)| (key.clone(), object.clone()))
        .collect();
    if let Some((first, object)) = left.first_key_value() {
        let finalizers = object.pointer("/metadata/finalizers");
        let why = finalizers.map_or_else(String::new, |names| format!(" with finalizers {names}"));
        let message = format!(
            "{} object{} left, such as {first}{why}",
            left.len(),
            if left.len() == 1 { " is" } else { "s are" }
        );
        let found = differences(&State::new(), &left, &Mask::new());
        world.fail(Failure::new(Oracle::Deletion, message).with(found));
    }
}

/// Compares how often objects were created and deleted.
pub(crate) fn compare_counts(world: &World, schedule: &Schedule, reference: Option<&Reference>) {
    let Some(reference) = reference else { return };
    let comparable = schedule.hurry.is_empty()
        && !schedule
            .decisions
            .iter()
            .any(|decision| decision.fault.changes_counts());
    if world.has_ended() || !comparable {
        return;
    }
    let counts = world.lock().counts.clone();
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
            world.fail(Failure {
                object,
                ..Failure::new(Oracle::Counts, message)
            });
        }
    }
}
