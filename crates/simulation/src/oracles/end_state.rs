//! A run with faults ends like the one without.

use std::borrow::Cow;

use super::{
    check::{AtRest, Check, Run},
    violation::Violation,
};
use crate::{
    judge::without_allocated,
    plural::counted,
    state::{State, differences, headline},
};

pub(super) const DEMANDS: &str = "the end state equals that of the run without faults";

#[derive(Default)]
pub(super) struct EndState;

impl Check for EndState {
    fn rested(&self, run: &Run<'_>, rest: &AtRest<'_>) -> Vec<Violation> {
        let (phase, schedule) = (rest.states.len(), rest.schedule);
        // How far the operator gets with what it cannot do, the order of its attempts decides.
        let Some(reference) = rest.reference.filter(|_| !run.is_hopeless) else {
            return Vec::new();
        };
        // An operator that rejects a spec may keep what the one before asked for, which a user in a hurry has not waited for.
        let follows_hurry = phase
            .checked_sub(1)
            .is_some_and(|before| schedule.hurry.contains_key(&before));
        if follows_hurry && reference.rejected.contains(&phase) {
            return Vec::new();
        }
        let Some(expected) = reference.states.get(phase) else {
            return Vec::new();
        };
        let found = differences(expected, rest.judged, &reference.mask);
        let found = without_allocated(&reference.allocated, rest.judged, found);
        let Some(what) = headline(&found) else {
            return Vec::new();
        };
        let message = match schedule.size() {
            _ if schedule.decisions.is_empty() && !schedule.hurry.is_empty() => {
                format!("with a user in a hurry, {what}")
            }
            0 => format!("with other latencies, {what}"),
            faults => format!("after {}, {what}", counted(faults, "fault")),
        };
        vec![Violation::new(message).with(found)]
    }
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
