//! Nothing arrives on a watch for some time, and then it ends with 410 Expired.

use std::borrow::Cow;

use super::{
    Fault, FaultKind,
    act::{Act, Aftermath, Choice, Offer, Rank, Showing, Shown, Site},
    likely,
};

pub(super) struct Miss(pub(super) u64);

impl Act for Miss {
    fn kind(&self) -> FaultKind {
        FaultKind::Miss
    }

    fn text(&self) -> Cow<'static, str> {
        Cow::Owned(format!(
            "the watch stalls for {} ms, then expires (410)",
            self.0
        ))
    }

    fn choices(at: &Offer<'_>) -> Vec<Choice> {
        Choice::only(1, Fault::Miss(5_000), at.is_event())
    }

    fn rank(&self) -> Rank {
        Rank::First
    }

    fn class(&self) -> FaultKind {
        FaultKind::Expire
    }

    fn hides_events(&self) -> bool {
        true
    }

    fn shows(&self, _: &dyn Site) -> Shown {
        Shown::after(self.0, Showing::Expires)
    }

    fn likely(&self, after: &Aftermath) -> String {
        likely::missed(after)
    }
}
