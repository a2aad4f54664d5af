//! What the fields that the author has named may say: at rest what is, and before that nothing that has never been, since the operator sees the past.

use std::collections::BTreeMap;

use serde_json::Value;

use super::{
    check::{Answer, AtRest, Check, Run},
    violation::Violation,
};
use crate::{
    scenario::Scenario,
    state::{id, text},
};

pub(super) const DEMANDS: &str = "the status says what is";

#[derive(Default)]
pub(super) struct Truth {
    /// What each field of each object could say so far, by its number and the uid of the object.
    known: BTreeMap<(usize, String), Vec<Value>>,
}

impl Check for Truth {
    fn begins(&mut self, run: &Run<'_>) {
        self.changed(run);
        // The operator may have reported this before.
        for (number, truth) in run.demands.truths.iter().enumerate() {
            let said = run.server.filter_map(|object| {
                let is_of = text(object, "/kind") == truth.kind;
                let said = object.pointer(&truth.field)?.clone();
                is_of.then(|| (text(object, "/metadata/uid").to_owned(), said))
            });
            for (uid, said) in said {
                self.known.entry((number, uid)).or_default().push(said);
            }
        }
    }

    fn changed(&mut self, run: &Run<'_>) {
        for (number, truth) in run.demands.truths.iter().enumerate() {
            let is_of = |object: &Value| text(object, "/kind") == truth.kind;
            let objects = run
                .server
                .filter_map(|object| is_of(object).then(|| object.clone()));
            for object in objects {
                let now = (truth.expected)(run.server, &object);
                let key = (number, text(&object, "/metadata/uid").to_owned());
                let known = self.known.entry(key).or_default();
                if !known.contains(&now) {
                    known.push(now);
                }
            }
        }
    }

    fn answered(&mut self, run: &Run<'_>, answer: &Answer<'_>) -> Vec<Violation> {
        let object = answer.object;
        let mut found = Vec::new();
        if !answer.is_change() {
            return found;
        }
        let uid = text(object, "/metadata/uid");
        for (number, truth) in run.demands.truths.iter().enumerate() {
            let said = object.pointer(&truth.field).filter(|it| !it.is_null());
            let Some(said) = said.filter(|_| text(object, "/kind") == truth.kind) else {
                continue;
            };
            let known = self.known.get(&(number, uid.to_owned()));
            if known.is_some_and(|known| !known.contains(said)) {
                let (id, field) = (id(object), &truth.field);
                let message = format!("{id}: {field} says {said}, which was never true");
                found.push(Violation::new(message));
            }
        }
        found
    }

    fn rested(&self, run: &Run<'_>, rest: &AtRest<'_>) -> Vec<Violation> {
        // What cannot be done is not said in a status, but Pods that do not get ready are.
        let is_about_pods = matches!(
            rest.workload.scenario,
            Some(Scenario::FailingWorkloads | Scenario::LostNode)
        );
        if run.is_hopeless && !is_about_pods {
            return Vec::new();
        }
        let mut found = Vec::new();
        for truth in &run.demands.truths {
            // What is being deleted need not be reported on.
            let is_of = |object: &Value| {
                let is_deleted = object["metadata"].get("deletionTimestamp").is_some();
                text(object, "/kind") == truth.kind && !is_deleted
            };
            let objects = run
                .server
                .filter_map(|object| is_of(object).then(|| object.clone()));
            for object in objects.iter().filter(|it| (rest.is_in_reach)(it)) {
                let said = object.pointer(&truth.field).unwrap_or(&Value::Null);
                let expected = (truth.expected)(run.server, object);
                if *said != expected {
                    let (id, field) = (id(object), &truth.field);
                    let message = format!("{id}: {field} is {said}, but must be {expected}");
                    found.push(Violation::new(message));
                }
            }
        }
        found
    }
}
