//! The server answers 504, and the request takes effect later.

use std::{borrow::Cow, time::Duration};

use super::{
    Fault, FaultKind,
    act::{Act, Aftermath, Choice, Offer, Rank, Sent, Site},
};

pub(super) struct LateEffect(pub(super) u64);

impl Act for LateEffect {
    fn kind(&self) -> FaultKind {
        FaultKind::LateEffect
    }

    fn text(&self) -> Cow<'static, str> {
        Cow::Owned(format!(
            "the server answers 504, and this request takes effect {} ms later",
            self.0
        ))
    }

    fn choices(at: &Offer<'_>) -> Vec<Choice> {
        // A child with a random name that comes later than its successor: an operator can only look for such twins.
        Choice::only(9, Fault::LateEffect(3_000), at.is_write() && !at.creates)
    }

    fn rank(&self) -> Rank {
        Rank::First
    }

    fn outlasts_phases(&self) -> bool {
        true
    }

    fn before(&self, _: &dyn Site) -> Sent {
        Sent::Late(Duration::from_millis(self.0))
    }

    fn likely(&self, after: &Aftermath) -> String {
        format!(
            "`{}` took effect after the operator had given it up, and after later writes. What the operator has written does not prove what is there: compare the spec with what the watches show in each reconcile, and send a resourceVersion where a late write would do harm.",
            after.what
        )
    }
}
