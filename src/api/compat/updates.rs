//! Finds updates that prove a change of a rule about updates (`oldSelf`): accepted before and rejected after, as small as they get.
use kube_codegen_schema::Cause;
use serde_json::{Value, json};

use super::{
    candidates::{self, frames},
    focus::Focus,
    proof::{Proof, Witness},
    shrink::{shrink, shrink_pair},
    side::Side,
    values,
    witness::Search,
};
use crate::base::diag::pointer::push;

/// How many values of a place are changed, each in all ways.
const STORED: usize = 8;
/// How many values of a place are replaced by each other.
const MOST: usize = 40;
/// How many objects a value is put into.
const BASES: usize = 4;

/// Returns whether the rules about updates differ.
pub(super) fn differ(old: &Value, new: &Value) -> bool {
    let rules = |schema: &Value| -> Vec<(Value, Value)> {
        let rules = schema["x-kubernetes-validations"].as_array();
        let rules = rules.into_iter().flatten();
        rules
            .filter(|it| it["rule"].as_str().is_some_and(|it| it.contains("oldSelf")))
            .map(|it| (it["rule"].clone(), it["optionalOldSelf"].clone()))
            .collect()
    };
    rules(old) != rules(new)
}

/// Searches for an update that `before` accepts and `after` rejects. `only` is the first release with one change of the second one: it has
/// to reject the update, too.
pub(super) fn rejected(
    before: &Side<'_>,
    after: &Side<'_>,
    only: Option<&Side<'_>>,
    focus: &Focus<'_>,
) -> Search {
    let only = only.unwrap_or(after);
    let is_witness = |stored: &Value, update: &Value| {
        stored != update
            && before.dropped(stored).is_empty()
            && before.dropped(update).is_empty()
            && before.replace_rejections(stored, update).is_empty()
            && before.rejections(stored).is_empty()
            // By the rule, and not by another change.
            && is_shared(
                &only.replace_rejections(stored, update),
                &after.replace_rejections(stored, update),
            )
            // Else the update is about something else.
            && only.rejections(update).is_empty()
    };
    let mut tries = 0;
    let found = candidates(before, after, focus)
        .into_iter()
        .inspect(|_| tries += 1)
        .find(|(stored, update)| is_witness(stored, update));
    let witness = found.map(|pair| {
        let (stored, update) = shrink_pair(pair, &is_witness);
        let causes = only.replace_rejections(&stored, &update);
        let messages = causes.iter().map(Cause::to_string).collect();
        let proof = Proof::UpdateRejected { stored, messages };
        Witness {
            object: update,
            proof,
        }
    });
    Search { witness, tries }
}

fn is_shared(causes: &[Cause], others: &[Cause]) -> bool {
    causes.iter().any(|cause| others.contains(cause))
}

/// Searches for an object that may replace itself, as clients send it, in `before` alone: a default that a rule about updates does not let change.
pub(super) fn defaulted(
    before: &Side<'_>,
    after: &Side<'_>,
    only: Option<&Side<'_>>,
    focus: &Focus<'_>,
) -> Search {
    let only = only.unwrap_or(after);
    let is_witness = |object: &Value| {
        let stored = before.stored(object);
        before.dropped(object).is_empty()
            && before.rejections(object).is_empty()
            && before.replace_rejections(&stored, object).is_empty()
            && !only.replace_rejections(&stored, object).is_empty()
            && !after.replace_rejections(&stored, object).is_empty()
            // Else it cannot be created, either.
            && after.rejections(object).is_empty()
    };
    let objects = candidates::without(before, focus);
    let tries = objects.len();
    let found = objects.into_iter().find(|object| is_witness(object));
    let witness = found.map(|object| {
        let object = shrink(object, &is_witness);
        let stored = before.stored(&object);
        let causes = after.replace_rejections(&stored, &object);
        let messages = causes.iter().map(Cause::to_string).collect();
        let proof = Proof::UpdateRejected { stored, messages };
        Witness { object, proof }
    });
    Search { witness, tries }
}

/// Searches for an update that `after` accepts and `before` rejects.
pub(super) fn accepted(
    before: &Side<'_>,
    after: &Side<'_>,
    only: Option<&Side<'_>>,
    focus: &Focus<'_>,
) -> Search {
    let mut search = rejected(after, before, only, focus);
    if let Some(witness) = &mut search.witness
        && let Proof::UpdateRejected { stored, messages } = &mut witness.proof
    {
        let (stored, messages) = (std::mem::take(stored), std::mem::take(messages));
        witness.proof = Proof::UpdateAccepted { stored, messages };
    }
    search
}

/// Returns pairs of objects whose values at the place the second schema alone does not let follow each other.
fn candidates(accepts: &Side<'_>, rejects: &Side<'_>, focus: &Focus<'_>) -> Vec<(Value, Value)> {
    let (Some(here), Some(there)) = (accepts.at(focus.here), rejects.at(focus.there)) else {
        return Vec::new();
    };
    let (Some(old), Some(new)) = (accepts.part(here), rejects.part(there)) else {
        return Vec::new();
    };
    let mut all: Vec<Value> = old.samples(12).collect();
    let samples = all.len();
    for value in values::of(&old, &new, all.clone()) {
        if all.len() < MOST && !all.contains(&value) && old.accepts(&value) {
            all.push(value);
        }
    }
    let mut pairs = Vec::new();
    for stored in all.iter().take(STORED) {
        let changed = neighbours(stored, &all[..samples]).into_iter();
        pairs.extend(changed.map(|update| (stored.clone(), update)));
    }
    for stored in &all {
        let others = all.iter().filter(|it| *it != stored);
        pairs.extend(others.map(|update| (stored.clone(), update.clone())));
    }
    pairs.retain(|(stored, update)| {
        old.accepts_update(stored, update) && !new.accepts_update(stored, update)
    });
    let frames = frames(accepts, focus.here, BASES);
    let mut found = Vec::new();
    for (stored, update) in pairs {
        for frame in &frames {
            let stored = frame.with(accepts, stored.clone());
            let update = frame.with(accepts, update.clone());
            found.extend(stored.zip(update));
        }
    }
    found
}

/// Returns copies of a value with one change each: a field or an item less, or another scalar.
fn neighbours(value: &Value, samples: &[Value]) -> Vec<Value> {
    let mut places = vec![String::new()];
    leaves(value, &mut String::new(), &mut places);
    let mut found = Vec::new();
    for place in places {
        let Some(old) = value.pointer(&place) else {
            continue;
        };
        let mut news: Vec<Value> = samples
            .iter()
            .filter_map(|it| it.pointer(&place))
            .cloned()
            .collect();
        match old {
            Value::Bool(old) => news.push(json!(!old)),
            Value::Number(old) => {
                let integer = old.as_i64().unwrap_or_default();
                news.extend([
                    json!(integer.saturating_add(1)),
                    json!(integer.saturating_sub(1)),
                ]);
            }
            Value::String(old) => news.extend([json!(format!("{old}a")), json!("a"), json!("")]),
            Value::Array(items) => {
                for index in 0..items.len() {
                    let mut less = items.clone();
                    less.remove(index);
                    news.push(less.into());
                }
            }
            Value::Object(fields) => {
                for name in fields.keys() {
                    let mut less = fields.clone();
                    less.remove(name);
                    news.push(less.into());
                }
                // A field that only other samples have.
                for other in samples.iter().filter_map(|it| it.pointer(&place)) {
                    let others = other.as_object().into_iter().flatten();
                    for (name, value) in others.filter(|(name, _)| !fields.contains_key(*name)) {
                        let mut more = fields.clone();
                        more.insert(name.clone(), value.clone());
                        news.push(more.into());
                    }
                }
            }
            Value::Null => {}
        }
        for new in news.into_iter().filter(|new| new != old) {
            let mut changed = value.clone();
            if let Some(at) = changed.pointer_mut(&place) {
                *at = new;
                found.push(changed);
            }
        }
    }
    found
}

/// Lists the places below a value.
fn leaves(value: &Value, at: &mut String, found: &mut Vec<String>) {
    /// How many places of a value are changed at most.
    const PLACES: usize = 60;
    let length = at.len();
    let mut below = |name: &str, inner: &Value| {
        if found.len() < PLACES {
            push(at, name);
            found.push(at.clone());
            leaves(inner, at, found);
            at.truncate(length);
        }
    };
    match value {
        Value::Object(fields) => fields.iter().for_each(|(name, inner)| below(name, inner)),
        Value::Array(items) => {
            let items = items.iter().enumerate();
            items.for_each(|(index, inner)| below(&index.to_string(), inner));
        }
        _ => {}
    }
}
