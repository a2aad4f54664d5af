//! The operator is connected to another API server, which lags behind.

use std::borrow::Cow;

use kube_codegen_testing::ApiServer;

use super::{
    Fault, FaultKind,
    act::{Act, Aftermath, Choice, Offer, Rank, Received, Site},
    likely,
};

pub(super) struct StaleReconnect;

impl Act for StaleReconnect {
    fn kind(&self) -> FaultKind {
        FaultKind::StaleReconnect
    }

    fn text(&self) -> Cow<'static, str> {
        Cow::Borrowed(
            "the operator is connected to a server that lags: it shows the state before this request",
        )
    }

    fn choices(at: &Offer<'_>) -> Vec<Choice> {
        Choice::only(10, Fault::StaleReconnect, at.is_write())
    }

    fn rank(&self) -> Rank {
        Rank::Third
    }

    fn needs_past(&self) -> bool {
        true
    }

    fn hides_events(&self) -> bool {
        true
    }

    fn after(&self, at: &dyn Site, past: Option<&ApiServer>) -> Received {
        if let Some(past) = past {
            at.show_past(past.clone());
        }
        at.hide_events();
        at.expire_watches();
        Received::Response
    }

    fn likely(&self, after: &Aftermath) -> String {
        likely::stale(after)
    }
}
