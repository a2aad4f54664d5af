//! The operator has panicked, or ended by itself.

use super::{
    check::{Check, Moment, Notice},
    violation::Violation,
};

pub(super) const DEMANDS: &str = "the operator neither panics nor ends";

#[derive(Default)]
pub(super) struct Panics;

impl Check for Panics {
    fn noticed(&self, notice: &Notice<'_>) -> Option<Violation> {
        match notice.0 {
            Moment::Ended(why) => Some(Violation::new(format!(
                "the operator ended by itself: {why}"
            ))),
            Moment::Panicked(message) => Some(Violation::new(message)),
            _ => None,
        }
    }
}
