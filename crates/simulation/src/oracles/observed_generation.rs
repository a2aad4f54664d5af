//! A status says which generation of the spec it is about.

use serde_json::Value;

use super::{
    check::{AtRest, Check, Run},
    violation::Violation,
};
use crate::state::{id, text};

pub(super) const DEMANDS: &str = "status.observedGeneration reaches metadata.generation";

#[derive(Default)]
pub(super) struct ObservedGeneration;

impl Check for ObservedGeneration {
    fn rested(&self, run: &Run<'_>, _: &AtRest<'_>) -> Vec<Violation> {
        let outdated = run.server.filter_map(|object| {
            let status = object.get("status")?;
            let conditions = status.get("conditions").and_then(Value::as_array);
            let named = conditions.into_iter().flatten().map(|condition| {
                let of = format!(" of condition {}", text(condition, "/type"));
                (condition.get("observedGeneration"), of)
            });
            let all = std::iter::once((status.get("observedGeneration"), String::new()));
            let generation = &object["metadata"]["generation"];
            // The deletion itself is a new generation, which a finalizer need not report.
            let is_deleted = object["metadata"].get("deletionTimestamp").is_some();
            let mut outdated = all
                .chain(named)
                .filter_map(|(observed, of)| Some((observed?, of)))
                .filter(|(observed, _)| *observed != generation);
            let (observed, of) = outdated.next()?;
            let message = || {
                let id = id(object);
                format!("{id}: observedGeneration{of} is {observed}, generation {generation}")
            };
            let is_wrong = run.demands.is_object_of_user(object) && !is_deleted && !run.is_hopeless;
            is_wrong.then(message)
        });
        outdated.into_iter().map(Violation::new).collect()
    }
}
