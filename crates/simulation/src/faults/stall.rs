//! Nothing arrives on a watch for some time, while other watches go on.

use std::borrow::Cow;

use super::{
    Fault, FaultKind,
    act::{Act, Aftermath, Choice, Offer, Rank, Showing, Shown, Site},
    likely,
};
use crate::point::Verb;

pub(super) struct Stall(pub(super) u64);

impl Act for Stall {
    fn kind(&self) -> FaultKind {
        FaultKind::Stall
    }

    fn text(&self) -> Cow<'static, str> {
        Cow::Owned(format!("nothing arrives on this watch for {} ms", self.0))
    }

    fn choices(at: &Offer<'_>) -> Vec<Choice> {
        // A child of an owner that is deleted would be created, and collected, for as long.
        let is_possible = at.is_event() && at.point.verb != Verb::Deleted;
        Choice::only(5, Fault::Stall(45_000), is_possible)
    }

    fn rank(&self) -> Rank {
        Rank::Third
    }

    fn shows(&self, _: &dyn Site) -> Shown {
        Shown::after(self.0, Showing::Once)
    }

    fn likely(&self, after: &Aftermath) -> String {
        likely::stale(after)
    }
}
