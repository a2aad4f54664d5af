//! Compares the children with those that the same specs had before.

use std::{collections::BTreeMap, sync::Arc};

use serde_json::{Value, json};

use super::{
    check::{AtRest, Check, Run},
    violation::{Variety, Violation},
};
use crate::{
    judge::{Allocated, runs_once, without_allocated},
    plural::counted,
    state::{Mask, State, differences, headline, text},
    workload::{Moved, Workload},
};

pub(super) const DEMANDS: &str = "the same spec gives the same children, whatever was there before";

#[derive(Default)]
pub(super) struct History;

impl Check for History {
    fn rested(&self, _: &Run<'_>, rest: &AtRest<'_>) -> Vec<Violation> {
        let AtRest {
            workload,
            states,
            current,
            ..
        } = *rest;
        let phase = states.len();
        let changed = match rest.reference {
            Some(it) => history(
                &it.allocated,
                workload,
                states,
                current,
                phase,
                &it.states,
                &it.mask,
            ),
            // Without faults, the children are compared when both runs show what differs anyway.
            None if rest.is_final => None,
            None => {
                let calm: Vec<_> = states.iter().flatten().cloned().collect();
                history(
                    &Allocated::new(),
                    workload,
                    states,
                    current,
                    phase,
                    &calm,
                    &Mask::new(),
                )
            }
        };
        let mut found: Vec<Violation> = changed.into_iter().collect();
        if !rest.has_failed_requests {
            found.extend(as_many(workload, states, current, phase));
            found.extend(as_elsewhere(rest));
        }
        found
    }
}

/// A state, as the objects of users and the others.
struct Parts {
    /// The objects of users, without metadata and status.
    specs: State,
    /// What the operator may write into them: labels, annotations and the status.
    reports: State,
    children: State,
}

fn split(workload: &Workload, state: &State) -> Parts {
    let users = workload.ids();
    let (mut specs, children): (State, State) = state
        .iter()
        .map(|(key, object)| (key.clone(), object.clone()))
        .partition(|(key, _)| users.contains(key));
    let reports = specs
        .iter()
        .map(|(key, object)| (key.clone(), report(object)));
    let reports = reports.collect();
    for object in specs.values_mut().filter_map(Value::as_object_mut) {
        object.retain(|name, _| name != "metadata" && name != "status");
    }
    Parts {
        specs,
        reports,
        children,
    }
}

/// Returns what the operator may write into an object of a user. Reasons and messages of conditions may say how the state came about.
fn report(object: &Value) -> Value {
    let metadata = |name: &str| object["metadata"].get(name).cloned().unwrap_or(json!({}));
    let mut status = object.get("status").cloned().unwrap_or_default();
    let conditions = status.get_mut("conditions").and_then(Value::as_array_mut);
    for condition in conditions.into_iter().flatten() {
        if let Some(fields) = condition.as_object_mut() {
            fields.retain(|name, _| !matches!(name.as_str(), "reason" | "message"));
        }
    }
    json!({"metadata": {"labels": metadata("labels"), "annotations": metadata("annotations")}, "status": status})
}

/// Checks that the children are as they were the last time the specs were the same. Where all objects are new, it is the others that may be
/// wrong. `calm` are the states of a run without faults.
fn history(
    allocated: &Allocated,
    workload: &Workload,
    states: &[Option<Arc<State>>],
    current: &State,
    phase: usize,
    calm: &[Arc<State>],
    mask: &Mask,
) -> Option<Violation> {
    let same = workload.phases[phase].same_as?;
    let earlier_state: &State = states.get(same)?.as_ref()?;
    let current_state = current;
    let is_new = phase > 0 && workload.phases[phase - 1].empty;
    let (current, earlier) = (split(workload, current), split(workload, earlier_state));
    // A rule may have rejected the change of an object that was there; one that another client keeps is not created again.
    let states = [current_state, earlier_state];
    let is_complete = current.specs.keys().eq(earlier.specs.keys());
    if !is_complete || (is_new && current.specs != earlier.specs) {
        return None;
    }
    if is_new && let Some(before) = same.checked_sub(1) {
        // An operator that rejects a spec may keep the children that it has got; a new object gets none.
        let without_faults = |phase: usize| Some(split(workload, calm.get(phase)?).children);
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
    let name = &workload.phases[same].name;
    let parts = [
        ("children", &earlier.children, &current.children),
        (
            "labels, annotations and statuses",
            &earlier.reports,
            &current.reports,
        ),
    ];
    parts.into_iter().find_map(|(what, earlier, current)| {
        let (expected, found) = if is_new {
            (current, earlier)
        } else {
            (earlier, current)
        };
        let mut found = without_allocated(allocated, found, differences(expected, found, mask));
        // What has been done once need not be done in another way.
        found.retain(|it| !states.iter().any(|state| runs_once(state, &it.object)));
        let first = headline(&found)?;
        let message = if is_new {
            format!("{first}: the {what} after \"{name}\" are not those of new objects with the same specs")
        } else {
            format!("{first}: the specs are as after \"{name}\", the {what} are not")
        };
        let variety = if is_new { Variety::Recreated } else { Variety::Usual };
        Some(Violation::new(message).of(variety).with(found))
    })
}

/// Returns the first phase with other children than the same specs had before. `differing` are the places that differ from run to run, after each
/// phase.
pub(crate) fn wrong_history(
    allocated: &Allocated,
    workload: &Workload,
    states: &[Option<Arc<State>>],
    differing: &[Mask],
    calm: &[Arc<State>],
) -> Option<(usize, Violation)> {
    states.iter().enumerate().find_map(|(phase, current)| {
        let same = workload.phases[phase].same_as?;
        // What differs whenever an object is new, such as a password, but not what one run has made wrong.
        let random = differing.get(phase)?.intersection(differing.get(same)?);
        let mask = random.cloned().collect();
        let current = current.as_ref()?;
        history(allocated, workload, states, current, phase, calm, &mask)
            .map(|violation| (phase, violation))
    })
}

/// Returns a violation if objects lack a child that the same ones had when they were in another namespace.
///
/// Only children in the namespace of their object count, which belong to it by an owner reference or by their names: others may be shared, and what an
/// operator makes elsewhere may depend on a namespace on purpose.
fn as_elsewhere(rest: &AtRest<'_>) -> Option<Violation> {
    let (workload, current) = (rest.workload, rest.current);
    let Moved { phase, from, to } = workload.phases[rest.states.len()].moved_from?;
    let earlier = rest.states.get(phase)?.as_ref()?;
    let users = workload.ids();
    let owners = earlier.keys().filter(|key| users.contains(*key));
    let owners: Vec<(&str, &str)> = owners
        .filter_map(|key| key.split_once(&format!(" {from}/")))
        .collect();
    // The server may not have accepted them.
    let is_there = |(kind, name): &(&str, &str)| {
        let object = current.get(&format!("{kind} {to}/{name}"));
        object.is_some_and(|it| (rest.is_in_reach)(it))
    };
    if !owners.iter().all(is_there) {
        return None;
    }
    let is_child = |key: &str, object: &Value| {
        let name = key.rsplit('/').next().unwrap_or_default();
        let is_named_after = |(_, owner): &(&str, &str)| {
            let end = name.strip_prefix(*owner);
            end.is_some_and(|end| end.is_empty() || end.starts_with(['-', '.']))
        };
        let references = object.pointer("/metadata/ownerReferences");
        let references = references.and_then(Value::as_array).into_iter().flatten();
        // In a state, the uid of an owner is its key.
        let is_owned = { references }.any(|it| users.contains(text(it, "/uid")));
        !users.contains(key) && (is_owned || owners.iter().any(is_named_after))
    };
    let children = |state: &State, namespace: &str| {
        let mut kinds: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for (key, object) in state {
            let of = key.split_once(&format!(" {namespace}/"));
            if let Some((kind, name)) = of.filter(|_| is_child(key, object)) {
                let names = kinds.entry(kind.to_owned()).or_default();
                names.push(name.to_owned());
            }
        }
        kinds
    };
    let (expected, mut found) = (children(earlier, from), children(current, to));
    // Names may be made of a namespace or a uid, so that numbers decide.
    let (kind, names, there) = expected.into_iter().find_map(|(kind, names)| {
        let there = found.remove(&kind).unwrap_or_default();
        (there.len() < names.len()).then_some((kind, names, there))
    })?;
    let name = names.iter().find(|it| !there.contains(it))?;
    let missing = earlier.get(&format!("{kind} {from}/{name}"))?.clone();
    let missing = State::from([(format!("{kind} {to}/{name}"), missing)]);
    let missing = differences(&missing, &State::new(), &Mask::new());
    let what = headline(&missing)?;
    let message = format!("{what}: the same objects had it in the namespace {from}");
    Some(Violation::new(message).of(Variety::Namespace).with(missing))
}

/// Returns a violation if a phase has another number of children of a kind than the earlier one that has as many objects.
fn as_many(
    workload: &Workload,
    states: &[Option<Arc<State>>],
    current: &State,
    phase: usize,
) -> Option<Violation> {
    let earlier = states.get(workload.phases[phase].as_many_as?)?.as_ref()?;
    let users = workload.ids();
    let count = |state: &State| {
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        for key in state.keys().filter(|key| !users.contains(*key)) {
            let kind = key.split(' ').next().unwrap_or_default();
            *counts.entry(kind.to_owned()).or_default() += 1;
        }
        counts
    };
    let (expected, found) = (count(earlier), count(current));
    let kinds = expected.keys().chain(found.keys());
    let mut wrong = kinds.filter(|kind| expected.get(*kind) != found.get(*kind));
    let kind = wrong.next()?;
    let number = |counts: &BTreeMap<String, usize>| counts.get(kind).copied().unwrap_or_default();
    let name = &workload.phases[workload.phases[phase].as_many_as?].name;
    let (number, usual) = (number(&found), number(&expected));
    let of_kind = |state: &State| {
        let of = state
            .iter()
            .filter(|(key, _)| key.starts_with(&format!("{kind} ")));
        let of = of.map(|(key, object)| (key.clone(), object.clone()));
        of.collect::<State>()
    };
    let left = differences(&State::new(), &of_kind(current), &Mask::new());
    let message = if usual == 0 {
        let what = headline(&left).unwrap_or_default();
        format!("{what}: after \"{name}\" there was no child of its kind")
    } else {
        format!(
            "{} of kind {kind} {} there, and {usual} after \"{name}\", with as many objects",
            counted(number, "child"),
            if number == 1 { "is" } else { "are" }
        )
    };
    // Which of several children is missing, their numbers do not say.
    let left = if usual == 0 { left } else { Vec::new() };
    let violation = Violation::new(message).of(Variety::Number);
    Some(violation.with(left))
}
