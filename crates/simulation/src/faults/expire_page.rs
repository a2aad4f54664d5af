//! The second page of a list expires.

use std::borrow::Cow;

use super::{
    Fault, FaultKind,
    act::{Act, Aftermath, Choice, Offer, Rank, Sent, Showing, Shown, Site},
};

pub(super) struct ExpirePage;

impl Act for ExpirePage {
    fn kind(&self) -> FaultKind {
        FaultKind::ExpirePage
    }

    fn text(&self) -> Cow<'static, str> {
        Cow::Borrowed("the second page of the list expires (410)")
    }

    fn choices(at: &Offer<'_>) -> Vec<Choice> {
        Choice::only(13, Fault::ExpirePage, at.has_second_page)
    }

    fn rank(&self) -> Rank {
        Rank::Third
    }

    fn is_about_lists(&self) -> bool {
        true
    }

    fn hides_events(&self) -> bool {
        true
    }

    fn happens_later(&self) -> bool {
        true
    }

    fn before(&self, at: &dyn Site) -> Sent {
        at.expire_second_page();
        Sent::Passes
    }

    fn shows(&self, at: &dyn Site) -> Shown {
        at.expire_second_page();
        Shown::at_once(Showing::Expires)
    }

    fn likely(&self, _: &Aftermath) -> String {
        "The second page of a list was rejected with 410 Expired, and the objects on the first page were taken as all that there are. Begin the list again, or act on no part of a list.".to_owned()
    }
}
