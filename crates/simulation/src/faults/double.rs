//! A watch event arrives twice.

use std::borrow::Cow;

use super::{
    Fault, FaultKind,
    act::{Act, Aftermath, Choice, Offer, Rank, Showing, Shown, Site},
};

pub(super) struct Double;

impl Act for Double {
    fn kind(&self) -> FaultKind {
        FaultKind::Double
    }

    fn text(&self) -> Cow<'static, str> {
        Cow::Borrowed("this event arrives twice")
    }

    fn choices(at: &Offer<'_>) -> Vec<Choice> {
        Choice::only(7, Fault::Double, at.is_event())
    }

    fn rank(&self) -> Rank {
        Rank::Third
    }

    fn shows(&self, _: &dyn Site) -> Shown {
        Shown::at_once(Showing::Twice)
    }

    fn likely(&self, after: &Aftermath) -> String {
        format!(
            "`{}` arrived twice, as after a new connection, and the operator acted twice. Compare spec and state in each reconcile, and give children names that follow from their owner.",
            after.what
        )
    }
}
