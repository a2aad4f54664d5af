//! The connection breaks before the request reaches the server.

use std::borrow::Cow;

use super::{
    Fault, FaultKind,
    act::{Act, Aftermath, Choice, Offer, Rank, Sent, Site},
    likely,
};

pub(super) struct Disconnect;

impl Act for Disconnect {
    fn kind(&self) -> FaultKind {
        FaultKind::Disconnect
    }

    fn text(&self) -> Cow<'static, str> {
        Cow::Borrowed("the connection breaks before this request")
    }

    fn choices(at: &Offer<'_>) -> Vec<Choice> {
        Choice::only(1, Fault::Disconnect, at.is_report || at.is_read())
    }

    fn rank(&self) -> Rank {
        Rank::Second
    }

    fn class(&self) -> FaultKind {
        FaultKind::Error
    }

    fn fails_request(&self) -> bool {
        true
    }

    fn before(&self, _: &dyn Site) -> Sent {
        Sent::Broken
    }

    fn likely(&self, after: &Aftermath) -> String {
        likely::failure(after)
    }
}
