//! From a request for a Lease on, the clock of the replica is ahead.

use std::borrow::Cow;

use super::{
    Fault, FaultKind,
    act::{Act, Aftermath, Choice, Offer, Rank, Sent, Site},
};
use crate::point::PointKind;

pub(super) struct Skew(pub(super) i64);

impl Act for Skew {
    fn kind(&self) -> FaultKind {
        FaultKind::Skew
    }

    fn text(&self) -> Cow<'static, str> {
        Cow::Owned(format!("the clock of the replica is {} ms ahead", self.0))
    }

    fn choices(at: &Offer<'_>) -> Vec<Choice> {
        let is_lease = at.point.kind() == PointKind::Write && at.point.resource == "leases";
        if at.replicas > 1 && is_lease {
            vec![
                Choice::new(15, Fault::Skew(60_000)),
                Choice::new(16, Fault::Skew(-60_000)),
            ]
        } else {
            Vec::new()
        }
    }

    fn rank(&self) -> Rank {
        Rank::First
    }

    fn before(&self, at: &dyn Site) -> Sent {
        at.set_clock_ahead(self.0);
        Sent::Passes
    }

    fn likely(&self, _: &Aftermath) -> String {
        "The replicas compare times of different clocks. Measure the age of a Lease from when its last change was seen, by a monotonic clock, as leader election does.".to_owned()
    }
}
