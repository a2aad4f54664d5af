//! Conditions of the user that hold at rest.

use super::{
    check::{AtRest, Check, Run},
    violation::Violation,
};

pub(super) const DEMANDS: &str = "the condition holds at rest";

#[derive(Default)]
pub(super) struct Eventually;

impl Check for Eventually {
    fn rested(&self, run: &Run<'_>, _: &AtRest<'_>) -> Vec<Violation> {
        let conditions = run.demands.eventually.iter();
        let broken = conditions.filter_map(|(name, check)| Some((name, check(run.server).err()?)));
        broken
            .map(|(name, why)| Violation::new(format!("{name}: {why}")))
            .collect()
    }
}
