//! Compares a run with the runs without faults.

use std::{
    borrow::Cow,
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use kube_codegen_testing::ApiServer;
use serde_json::Value;

use super::{
    allocated::without_allocated,
    reference::{Counts, Reference},
};
use crate::{
    oracle::{Failure, Oracle, Variety},
    schedule::Schedule,
    settings::{Setup, Workload},
    state::{Mask, State, differences, headline, id, text},
};

/// Returns what does not hold at rest.
pub(crate) fn at_rest(
    setup: &Setup,
    server: &ApiServer,
    current: &State,
    schedule: &Schedule,
    reference: Option<&Reference>,
    phase: usize,
    is_hopeless: bool,
) -> Vec<Failure> {
    let mut wrong = Vec::new();
    for (name, check) in &setup.eventually {
        if let Err(why) = check(server) {
            wrong.push(Failure::new(Oracle::Eventually, format!("{name}: {why}")));
        }
    }
    let outdated = server.filter_map(|object| {
        let status = object.get("status")?;
        let conditions = status.get("conditions").and_then(Value::as_array);
        let named = conditions.into_iter().flatten().map(|condition| {
            let of = format!(" of condition {}", text(condition, "/type"));
            (condition.get("observedGeneration"), of)
        });
        let all = std::iter::once((status.get("observedGeneration"), String::new())).chain(named);
        let generation = &object["metadata"]["generation"];
        // The deletion itself is a new generation, which a finalizer need not report.
        let is_deleted = object["metadata"].get("deletionTimestamp").is_some();
        let mut outdated = all
            .filter_map(|(observed, of)| Some((observed?, of)))
            .filter(|(observed, _)| *observed != generation);
        let (observed, of) = outdated.next()?;
        let message = || {
            let id = id(object);
            format!("{id}: observedGeneration{of} is {observed}, generation {generation}")
        };
        (setup.is_primary_object(object) && !is_deleted && !is_hopeless).then(message)
    });
    for message in outdated {
        wrong.push(Failure::new(Oracle::ObservedGeneration, message));
    }
    // How far the operator gets with what it cannot do, the order of its attempts decides.
    let Some(reference) = reference.filter(|_| !is_hopeless) else {
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
    let found = without_allocated(&reference.allocated, current, found);
    if let Some(what) = headline(&found) {
        let faults = schedule.size();
        let message = match faults {
            _ if schedule.decisions.is_empty() && !schedule.hurry.is_empty() => {
                format!("with a user in a hurry, {what}")
            }
            1 => format!("after 1 fault, {what}"),
            _ => format!("after {faults} faults, {what}"),
        };
        wrong.push(Failure::new(Oracle::EndState, message).with(found));
    }
    wrong
}

/// Returns a state without what was there before the operator, is gone without faults, and which this run has not touched: the operator cannot have
/// taken over what an object asked for that it has never seen.
pub(crate) fn touched<'s>(
    current: &'s State,
    expected: &State,
    before: impl FnOnce() -> State,
) -> Cow<'s, State> {
    if current.keys().all(|key| expected.contains_key(key)) {
        return Cow::Borrowed(current);
    }
    let (before, mut state) = (before(), current.clone());
    state.retain(|key, object| expected.contains_key(key) || before.get(key) != Some(object));
    Cow::Owned(state)
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
    let message = match left.len() {
        1 => format!("{first} is left{why}"),
        more => format!("{first} and {} more objects are left{why}", more - 1),
    };
    let found = differences(&State::new(), &left, &Mask::new());
    Some(Failure::new(Oracle::Deletion, message).with(found))
}

/// Returns a failure if a phase has another number of children of a kind than the earlier one that has as many objects.
pub(crate) fn as_many(
    workload: &Workload,
    states: &[Option<Arc<State>>],
    current: &State,
    phase: usize,
) -> Option<Failure> {
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
        format!("{what}: after {name:?} there was no child of its kind")
    } else {
        format!(
            "{number} children of kind {kind} are there, and {usual} after {name:?}, with as many objects"
        )
    };
    // Which of several children is missing, their numbers do not say.
    let left = if usual == 0 { left } else { Vec::new() };
    let failure = Failure::new(Oracle::History, message).of(Variety::Number);
    Some(failure.with(left))
}

/// Returns a failure for each field of a status that does not say what is.
pub(crate) fn untrue(
    setup: &Setup,
    server: &ApiServer,
    is_in_reach: impl Fn(&Value) -> bool,
) -> Vec<Failure> {
    let mut failures = Vec::new();
    for truth in &setup.truths {
        // What is being deleted need not be reported on.
        let is_of = |object: &Value| {
            let is_deleted = object["metadata"].get("deletionTimestamp").is_some();
            text(object, "/kind") == truth.kind && !is_deleted
        };
        let objects = server.filter_map(|object| is_of(object).then(|| object.clone()));
        for object in objects.iter().filter(|it| is_in_reach(it)) {
            let found = object.pointer(&truth.field).unwrap_or(&Value::Null);
            let expected = (truth.expected)(server, object);
            if *found != expected {
                let (id, field) = (id(object), &truth.field);
                let message = format!("{id}: {field} is {found}, and must be {expected}");
                failures.push(Failure::new(Oracle::Truth, message));
            }
        }
    }
    failures
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
            .any(|decision| decision.fault.act().changes_counts());
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
