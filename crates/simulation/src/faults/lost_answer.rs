//! The connection breaks after the effect of a request.

use std::borrow::Cow;

use kube_codegen_testing::ApiServer;

use super::{
    Fault, FaultKind,
    act::{Act, Aftermath, Choice, Offer, Rank, Received, Site},
    likely,
};
use crate::point::PointKind;

pub(super) struct LostAnswer;

impl Act for LostAnswer {
    fn kind(&self) -> FaultKind {
        FaultKind::LostAnswer
    }

    fn text(&self) -> Cow<'static, str> {
        Cow::Borrowed("the answer to this request is lost")
    }

    fn choices(at: &Offer<'_>) -> Vec<Choice> {
        Choice::only(2, Fault::LostAnswer, at.is_write())
    }

    fn enumerated(at: PointKind) -> Vec<Choice> {
        Choice::only(2, Fault::LostAnswer, at == PointKind::Write)
    }

    fn rank(&self) -> Rank {
        Rank::First
    }

    fn after(&self, _: &dyn Site, _: Option<&ApiServer>) -> Received {
        Received::Broken
    }

    fn likely(&self, after: &Aftermath) -> String {
        likely::unanswered(after)
    }
}
