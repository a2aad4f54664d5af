//! The server rejects, without any fault, all requests of one sort.

use super::{
    check::{Check, Moment, Notice},
    violation::Violation,
};

pub(super) const DEMANDS: &str = "without faults, the server accepts what the operator sends";

#[derive(Default)]
pub(super) struct Accepted;

impl Check for Accepted {
    fn noticed(&self, notice: &Notice<'_>) -> Option<Violation> {
        let Moment::AllRejected { sentence, rejected } = &notice.0 else {
            return None;
        };
        Some(Violation {
            rejected: Some(rejected.clone()),
            ..Violation::new(sentence)
        })
    }
}
