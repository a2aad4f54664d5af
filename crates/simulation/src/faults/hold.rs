//! A watch event, and those after it, arrive later.

use std::borrow::Cow;

use super::{
    Fault, FaultKind,
    act::{Act, Aftermath, Choice, Offer, Rank, Showing, Shown, Site},
    likely,
};

pub(super) struct Hold(pub(super) u64);

impl Act for Hold {
    fn kind(&self) -> FaultKind {
        FaultKind::Hold
    }

    fn text(&self) -> Cow<'static, str> {
        Cow::Owned(format!("this event arrives {} ms later", self.0))
    }

    fn choices(at: &Offer<'_>) -> Vec<Choice> {
        if at.is_event() {
            vec![
                Choice::new(0, Fault::Hold(3_000)),
                Choice::new(4, Fault::Hold(60)),
            ]
        } else {
            Vec::new()
        }
    }

    fn rank(&self) -> Rank {
        Rank::First
    }

    fn shows(&self, _: &dyn Site) -> Shown {
        Shown::after(self.0, Showing::Once)
    }

    fn likely(&self, after: &Aftermath) -> String {
        likely::stale(after)
    }
}
