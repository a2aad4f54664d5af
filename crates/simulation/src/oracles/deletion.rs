//! What is left after the deletion of all objects.

use super::{
    check::{AtRest, Check, Run},
    violation::Violation,
};
use crate::{
    plural::counted,
    state::{Mask, State, differences},
};

pub(super) const DEMANDS: &str = "nothing is left after the deletion of the objects";

#[derive(Default)]
pub(super) struct Deletion;

impl Check for Deletion {
    fn rested(&self, _: &Run<'_>, rest: &AtRest<'_>) -> Vec<Violation> {
        if !rest.workload.phases[rest.states.len()].empty {
            return Vec::new();
        }
        let found = emptied(&(rest.before)(), rest.current);
        found.into_iter().collect()
    }
}

/// Returns a violation if something is left besides what was there before the operator.
fn emptied(before: &State, current: &State) -> Option<Violation> {
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
        all => {
            let more = counted(all - 1, "more object");
            format!("{first} and {more} are left{why}")
        }
    };
    let found = differences(&State::new(), &left, &Mask::new());
    Some(Violation::new(message).with(found))
}
