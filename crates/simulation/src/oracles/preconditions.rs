//! A delete must not hit a new object of the same name.

use super::{
    check::{Answer, Check, Run},
    violation::Violation,
};
use crate::{point::Verb, state::text};

pub(super) const DEMANDS: &str = "a delete has a uid or a resourceVersion as precondition";

#[derive(Default)]
pub(super) struct Preconditions;

impl Check for Preconditions {
    fn answered(&mut self, _: &Run<'_>, answer: &Answer<'_>) -> Vec<Violation> {
        let is_deleted = answer.is_write() && answer.status < 300 && !answer.is_free;
        if !is_deleted || answer.point.verb != Verb::Delete {
            return Vec::new();
        }
        let options = answer.seen.sent();
        let has = |pointer: &str| !text(&options, pointer).is_empty();
        if has("/preconditions/uid") || has("/preconditions/resourceVersion") {
            return Vec::new();
        }
        let message = format!("{} was deleted by its name alone", answer.key);
        vec![Violation::new(message)]
    }
}
