//! Bounds what the controllers create: a workload may want two thousand million Pods, and memory does not.

use super::{events::Source, pass::Pass};
use serde_json::Value;

/// How many Pods one pass creates, as real controllers do at a time. The changes that it makes lead to the next pass.
const STEP: usize = 500;
/// How many Pods there are when the controllers stop creating more.
pub(crate) const MOST: usize = 1_000;

impl Pass<'_> {
    /// Returns whether one more Pod may be created for an owner, and writes why if not.
    pub(super) fn has_room(&mut self, controller: &str, owner: &Value) -> bool {
        if self.room.created >= STEP {
            return false;
        }
        let found = match self.room.found {
            Some(found) => found,
            None => self.client.list("v1", "Pod").len(),
        };
        self.room.found = Some(found);
        if found + self.room.created >= MOST {
            let message = format!(
                "Error creating: there are {MOST} Pods, and the controllers in memory create no more"
            );
            self.warning(
                Source::Controller(controller),
                owner,
                "FailedCreate",
                &message,
            );
            return false;
        }
        self.room.created += 1;
        true
    }
}
