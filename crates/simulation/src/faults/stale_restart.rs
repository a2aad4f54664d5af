//! The operator crashes after a request, and the new process sees the state from before it.

use std::borrow::Cow;

use kube_codegen_testing::ApiServer;

use super::{
    Fault, FaultKind,
    act::{Act, Aftermath, Choice, Offer, Rank, Received, Site},
    likely,
};

pub(super) struct StaleRestart;

impl Act for StaleRestart {
    fn kind(&self) -> FaultKind {
        FaultKind::StaleRestart
    }

    fn text(&self) -> Cow<'static, str> {
        Cow::Borrowed(
            "the operator crashes after this request, and starts with a view from before it",
        )
    }

    fn choices(at: &Offer<'_>) -> Vec<Choice> {
        Choice::only(3, Fault::StaleRestart, at.is_write())
    }

    fn rank(&self) -> Rank {
        Rank::Second
    }

    fn needs_past(&self) -> bool {
        true
    }

    fn after(&self, at: &dyn Site, past: Option<&ApiServer>) -> Received {
        if let Some(past) = past {
            at.show_past(past.clone());
        }
        at.crash();
        Received::Response
    }

    fn likely(&self, after: &Aftermath) -> String {
        likely::stale(after)
    }
}
