//! The writes of the controllers. The object may have changed or gone, its name may be in use, and a quota or a webhook may forbid a write: it is tried again at
//! the next change.

use serde_json::Value;

use super::{
    events::Source,
    pass::{AGENT, Pass},
};
use crate::values::{
    object::{at, list, put, text},
    status::Answer,
};

impl Pass<'_> {
    /// Returns the result of a write, which is tried again at the next change if it failed. The object may have changed or gone, its name
    /// may be in use, and a quota or a webhook may forbid the write; any other error is written as a Warning, or the object would never
    /// change, and nobody would know why.
    pub(super) fn accepted(
        &mut self,
        object: &Value,
        reason: &str,
        answer: Answer<Value>,
    ) -> Option<Value> {
        self.has_failed |= answer.is_err();
        answer
            .inspect_err(|status| {
                if !matches!(status.code, 403 | 404 | 409) {
                    let source = Source::Controller(AGENT);
                    self.warning(source, object, reason, &status.message);
                }
            })
            .ok()
    }

    /// Creates an object and returns it.
    pub(super) fn create(&mut self, object: &Value) -> Option<Value> {
        let created = self.client.create(AGENT, object);
        self.accepted(object, "FailedCreate", created)
    }

    /// Updates an object, and returns whether it could.
    pub(super) fn update(&mut self, object: &Value) -> bool {
        let updated = self.client.update(AGENT, object);
        self.accepted(object, "FailedUpdate", updated).is_some()
    }

    /// Deletes an object, and returns whether it could.
    pub(super) fn delete(&mut self, object: &Value) -> bool {
        let deleted = self.client.delete(AGENT, object);
        self.accepted(object, "FailedDelete", deleted).is_some()
    }

    /// Writes the status if it differs. Conditions that do not change keep their times.
    pub(super) fn set_status(&mut self, object: &Value, mut status: Value) {
        let before = list(object, "/status/conditions");
        if let Some(conditions) = status.get_mut("conditions").and_then(Value::as_array_mut) {
            for condition in conditions {
                keep_times(before, condition);
            }
        }
        if *at(object, "/status") == status {
            return;
        }
        let mut changed = object.clone();
        put(&mut changed, "/status", status);
        let agent = match text(object, "/kind") {
            "Pod" => "kubelet",
            _ => AGENT,
        };
        let updated = self.client.update_status(agent, &changed);
        self.accepted(object, "FailedUpdate", updated);
    }
}

fn keep_times(before: &[Value], condition: &mut Value) {
    let old = before
        .iter()
        .find(|old| at(old, "/type") == at(condition, "/type"));
    let Some(old) = old.filter(|old| at(old, "/status") == at(condition, "/status")) else {
        return;
    };
    condition["lastTransitionTime"] = at(old, "/lastTransitionTime").clone();
    if condition.get("lastUpdateTime").is_some() && at(old, "/reason") == at(condition, "/reason") {
        condition["lastUpdateTime"] = at(old, "/lastUpdateTime").clone();
    }
}
