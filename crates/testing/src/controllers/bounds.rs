//! Bounds the Pods that the controllers create: a workload may want two billion of them, more than memory holds.

use super::{events::Source, pass::Pass};
use serde_json::Value;

/// How many Pods there are when the controllers stop creating more.
const MOST: usize = 1_000;

impl Pass<'_> {
    /// Returns whether one more Pod may be created for an owner, and writes why if not.
    pub(super) fn has_room(&mut self, controller: &str, owner: &Value) -> bool {
        let count = || MOST.saturating_sub(self.client.list("v1", "Pod").len());
        let room = self.room.get_or_insert_with(count);
        let has_room = *room > 0;
        *room = room.saturating_sub(1);
        if !has_room {
            let message = format!(
                "Error creating: there are {MOST} Pods, and the controllers in memory create no more"
            );
            self.warning(
                Source::Controller(controller),
                owner,
                "FailedCreate",
                &message,
            );
        }
        has_room
    }
}
