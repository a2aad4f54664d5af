//! A watch ends before an event with 410 Expired; the next list shows only the last state.

use std::borrow::Cow;

use super::{
    Fault, FaultKind,
    act::{Act, Aftermath, Choice, Offer, Rank, Showing, Shown, Site},
    likely,
};
use crate::point::PointKind;

pub(super) struct Expire;

impl Act for Expire {
    fn kind(&self) -> FaultKind {
        FaultKind::Expire
    }

    fn text(&self) -> Cow<'static, str> {
        Cow::Borrowed("the watch expires (410) before this event")
    }

    fn choices(at: &Offer<'_>) -> Vec<Choice> {
        Choice::only(3, Fault::Expire, at.is_event())
    }

    fn enumerated(at: PointKind) -> Vec<Choice> {
        Choice::only(0, Fault::Expire, at == PointKind::Event)
    }

    fn rank(&self) -> Rank {
        Rank::Third
    }

    fn hides_events(&self) -> bool {
        true
    }

    fn shows(&self, _: &dyn Site) -> Shown {
        Shown::at_once(Showing::Expires)
    }

    fn likely(&self, after: &Aftermath) -> String {
        likely::missed(after)
    }
}
