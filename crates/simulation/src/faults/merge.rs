//! A watch event and the next one of the same object arrive as one.

use std::borrow::Cow;

use super::{
    Fault, FaultKind,
    act::{Act, Aftermath, Choice, Offer, Rank, Showing, Shown, Site},
    likely,
};

pub(super) struct Merge;

impl Act for Merge {
    fn kind(&self) -> FaultKind {
        FaultKind::Merge
    }

    fn text(&self) -> Cow<'static, str> {
        Cow::Borrowed("this event and the next one of the object arrive as one")
    }

    fn choices(at: &Offer<'_>) -> Vec<Choice> {
        Choice::only(6, Fault::Merge, at.is_event())
    }

    fn rank(&self) -> Rank {
        Rank::Third
    }

    fn hides_events(&self) -> bool {
        true
    }

    fn shows(&self, _: &dyn Site) -> Shown {
        Shown::at_once(Showing::Merged)
    }

    fn likely(&self, after: &Aftermath) -> String {
        likely::missed(after)
    }
}
