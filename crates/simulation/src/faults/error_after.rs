//! The server answers with an error after the effect of a request.

use std::borrow::Cow;

use kube_codegen_testing::ApiServer;

use super::{
    Fault, FaultKind,
    act::{Act, Aftermath, Choice, Offer, Rank, Received, Site},
    likely,
};

pub(super) struct ErrorAfter(pub(super) u16);

impl Act for ErrorAfter {
    fn kind(&self) -> FaultKind {
        FaultKind::ErrorAfter
    }

    fn text(&self) -> Cow<'static, str> {
        Cow::Owned(format!("the server answers {}, after the effect", self.0))
    }

    fn choices(at: &Offer<'_>) -> Vec<Choice> {
        Choice::only(8, Fault::ErrorAfter(504), at.is_write())
    }

    fn rank(&self) -> Rank {
        Rank::Third
    }

    fn class(&self) -> FaultKind {
        FaultKind::LostAnswer
    }

    fn after(&self, _: &dyn Site, _: Option<&ApiServer>) -> Received {
        Received::Answered(self.0)
    }

    fn likely(&self, after: &Aftermath) -> String {
        likely::unanswered(after)
    }
}
