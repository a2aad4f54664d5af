//! A watch ends before an event.

use std::borrow::Cow;

use super::{
    Fault, FaultKind,
    act::{Act, Aftermath, Choice, Offer, Rank, Showing, Shown, Site},
    likely,
};

pub(super) struct Cut;

impl Act for Cut {
    fn kind(&self) -> FaultKind {
        FaultKind::Cut
    }

    fn text(&self) -> Cow<'static, str> {
        Cow::Borrowed("the watch ends before this event")
    }

    fn choices(at: &Offer<'_>) -> Vec<Choice> {
        Choice::only(2, Fault::Cut, at.is_event())
    }

    fn rank(&self) -> Rank {
        Rank::Third
    }

    fn class(&self) -> FaultKind {
        FaultKind::Expire
    }

    fn shows(&self, _: &dyn Site) -> Shown {
        Shown::at_once(Showing::Ends)
    }

    fn likely(&self, after: &Aftermath) -> String {
        likely::missed(after)
    }
}
