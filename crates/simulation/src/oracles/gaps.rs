//! A change replaces a child that could have been updated: until it is there again, it serves nothing.

use super::{
    check::{Check, Moment, Notice},
    violation::Violation,
};
use crate::state::id;

pub(super) const DEMANDS: &str = "a change replaces no child that could be updated";

#[derive(Default)]
pub(super) struct Gaps;

impl Check for Gaps {
    fn noticed(&self, notice: &Notice<'_>) -> Option<Violation> {
        let Moment::Replaced(new) = notice.0 else {
            return None;
        };
        let key = id(new);
        Some(Violation::new(format!(
            "{key} was deleted and created again by a change, although the server accepts it as an update: until it is there again, it serves nothing"
        )))
    }
}
