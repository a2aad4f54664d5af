//! Invariants of the user.

use super::{
    check::{Answer, Check, Run},
    violation::Violation,
};

pub(super) const DEMANDS: &str = "the invariant holds at any time";

#[derive(Default)]
pub(super) struct Always;

impl Check for Always {
    fn answered(&mut self, run: &Run<'_>, answer: &Answer<'_>) -> Vec<Violation> {
        if !answer.is_change() {
            return Vec::new();
        }
        let invariants = run.demands.always.iter();
        let broken = invariants.filter_map(|(name, check)| Some((name, check(run.server).err()?)));
        broken
            .map(|(name, why)| Violation::new(format!("{name}: {why}")))
            .collect()
    }
}
