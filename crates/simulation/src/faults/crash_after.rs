//! The operator crashes after the effect of a request, before the answer.

use std::borrow::Cow;

use kube_codegen_testing::ApiServer;

use super::{
    Fault, FaultKind,
    act::{Act, Aftermath, Choice, Offer, Rank, Received, Site},
    likely,
};
use crate::point::PointKind;

pub(super) struct CrashAfter;

impl Act for CrashAfter {
    fn kind(&self) -> FaultKind {
        FaultKind::CrashAfter
    }

    fn text(&self) -> Cow<'static, str> {
        Cow::Borrowed("the operator crashes after this request")
    }

    fn choices(at: &Offer<'_>) -> Vec<Choice> {
        Choice::only(0, Fault::CrashAfter, at.is_write())
    }

    fn enumerated(at: PointKind) -> Vec<Choice> {
        Choice::only(0, Fault::CrashAfter, at == PointKind::Write)
    }

    fn rank(&self) -> Rank {
        Rank::First
    }

    fn after(&self, at: &dyn Site, _: Option<&ApiServer>) -> Received {
        at.crash();
        Received::Response
    }

    fn likely(&self, after: &Aftermath) -> String {
        likely::crash(after)
    }
}
