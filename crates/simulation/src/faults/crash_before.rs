//! The operator crashes before the request reaches the server, or before it sees an event.

use std::borrow::Cow;

use super::{
    Fault, FaultKind,
    act::{Act, Aftermath, Choice, Offer, Rank, Sent, Showing, Shown, Site},
    likely,
};
use crate::point::PointKind;

pub(super) struct CrashBefore;

impl Act for CrashBefore {
    fn kind(&self) -> FaultKind {
        FaultKind::CrashBefore
    }

    fn text(&self) -> Cow<'static, str> {
        Cow::Borrowed("the operator crashes before this request")
    }

    fn choices(at: &Offer<'_>) -> Vec<Choice> {
        match (at.is_read(), at.is_write()) {
            (true, _) => vec![Choice::new(3, Fault::CrashBefore)],
            (_, true) => vec![Choice::new(1, Fault::CrashBefore)],
            (false, false) => Vec::new(),
        }
    }

    fn enumerated(at: PointKind) -> Vec<Choice> {
        Choice::only(1, Fault::CrashBefore, at == PointKind::Write)
    }

    fn rank(&self) -> Rank {
        Rank::Second
    }

    fn before(&self, at: &dyn Site) -> Sent {
        at.crash();
        Sent::Passes
    }

    fn shows(&self, at: &dyn Site) -> Shown {
        at.crash();
        Shown::at_once(Showing::Once)
    }

    fn likely(&self, after: &Aftermath) -> String {
        likely::crash(after)
    }
}
