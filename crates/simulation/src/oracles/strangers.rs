//! Objects of others stay as they are.

use std::collections::BTreeMap;

use serde_json::Value;

use super::{
    check::{AtRest, Check, Run},
    violation::{Variety, Violation},
};
use crate::state::{Difference, Mask, State, differences, find};

pub(super) const DEMANDS: &str = "objects of others stay as they are";

#[derive(Default)]
pub(super) struct Strangers;

impl Check for Strangers {
    fn rested(&self, run: &Run<'_>, rest: &AtRest<'_>) -> Vec<Violation> {
        let found: BTreeMap<String, Value> = find(run.server, &rest.strangers);
        let harmed = rest.strangers.iter().filter_map(|(key, object)| {
            let (harm, differences) = harm(key, object, found.get(key))?;
            let (how, variety) = match harm {
                Harm::Deleted => ("was deleted", Variety::Usual),
                Harm::Changed => ("was changed", Variety::TakenOver),
            };
            let mut message = format!("{key}, which belongs to another client, {how}");
            if let Some(first) = differences.first().filter(|it| !it.path.is_empty()) {
                message = format!("{message}: {first}");
            }
            Some(Violation::new(message).of(variety).with(differences))
        });
        harmed.collect()
    }
}

/// What the operator has done to an object of another client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Harm {
    Deleted,
    Changed,
}

/// Returns what has happened to an object of another client, if it is not as it was: more fields do no harm, also in its metadata.
fn harm(key: &str, object: &Value, found: Option<&Value>) -> Option<(Harm, Vec<Difference>)> {
    let of = |object: &Value| State::from([(key.to_owned(), object.clone())]);
    let Some(found) = found.filter(|it| it["metadata"]["uid"] == object["metadata"]["uid"]) else {
        let differences = differences(&of(object), &State::new(), &Mask::new());
        return Some((Harm::Deleted, differences));
    };
    let mut object = object.clone();
    if let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut) {
        metadata.remove("generation");
    }
    let common = common(&object, found);
    let differences = differences(&of(&object), &of(&common), &Mask::new());
    (!differences.is_empty()).then_some((Harm::Changed, differences))
}

/// Returns `found` with the fields that `known` has.
fn common(known: &Value, found: &Value) -> Value {
    let (Value::Object(known), Value::Object(fields)) = (known, found) else {
        return found.clone();
    };
    let fields = fields.iter().filter_map(|(name, value)| {
        let known = known.get(name)?;
        Some((name.clone(), common(known, value)))
    });
    Value::Object(fields.collect())
}
