//! A condition that changes its status again and again, without a change of the user, says nothing.

use std::collections::HashMap;

use serde_json::Value;

use super::{
    check::{Answer, Check, Run},
    violation::Violation,
};
use crate::state::{id, text};

pub(super) const DEMANDS: &str = "conditions do not flap";

/// A condition may change its status so often in one phase.
const CHANGES: u32 = 4;

#[derive(Default)]
pub(super) struct Conditions {
    /// The status of each condition, by the uid of its object and its type, and how often it has changed in this phase.
    known: HashMap<(String, String), (String, u32)>,
}

impl Check for Conditions {
    fn begins_phase(&mut self, _: &Run<'_>) {
        self.known.clear();
    }

    fn answered(&mut self, _: &Run<'_>, answer: &Answer<'_>) -> Vec<Violation> {
        let is_status = answer.point.subresource == "status" || answer.has_created();
        let mut found = Vec::new();
        if !answer.is_change() || !is_status {
            return found;
        }
        let object = answer.object;
        let conditions = object
            .pointer("/status/conditions")
            .and_then(Value::as_array);
        let uid = text(object, "/metadata/uid");
        for condition in conditions.into_iter().flatten() {
            let (kind, status) = (text(condition, "/type"), text(condition, "/status"));
            let key = (uid.to_owned(), kind.to_owned());
            let last = self
                .known
                .entry(key)
                .or_insert_with(|| (status.to_owned(), 0));
            if last.0 != status {
                *last = (status.to_owned(), last.1 + 1);
            }
            if last.1 > CHANGES {
                found.push(Violation::new(format!(
                    "the status of condition {kind} of {} changed five times without a change of the user",
                    id(object)
                )));
            }
        }
        found
    }
}
