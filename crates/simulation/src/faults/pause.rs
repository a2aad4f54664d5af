//! The replica stops for some time, as under SIGSTOP.

use std::{borrow::Cow, time::Duration};

use super::{
    Fault, FaultKind,
    act::{Act, Aftermath, Choice, Offer, Rank, Sent, Showing, Shown, Site},
};

pub(super) struct Pause(pub(super) u64);

impl Act for Pause {
    fn kind(&self) -> FaultKind {
        FaultKind::Pause
    }

    fn text(&self) -> Cow<'static, str> {
        Cow::Owned(format!("the replica stops for {} ms", self.0))
    }

    fn choices(at: &Offer<'_>) -> Vec<Choice> {
        Choice::only(14, Fault::Pause(40_000), at.replicas > 1 && !at.is_report)
    }

    fn rank(&self) -> Rank {
        Rank::First
    }

    fn before(&self, at: &dyn Site) -> Sent {
        at.pause(Duration::from_millis(self.0));
        Sent::Passes
    }

    fn shows(&self, at: &dyn Site) -> Shown {
        at.pause(Duration::from_millis(self.0));
        Shown::at_once(Showing::Once)
    }

    fn likely(&self, _: &Aftermath) -> String {
        "The replica did not run for a while, and continued with what it knew before.".to_owned()
    }
}
