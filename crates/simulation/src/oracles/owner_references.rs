//! Children name their owner, so that the garbage collector removes them with it.

use serde_json::Value;

use super::{
    check::{Answer, Check, Run},
    violation::{Variety, Violation},
};
use crate::state::{id, owner_name, text};

pub(super) const DEMANDS: &str = "children have an owner reference";

#[derive(Default)]
pub(super) struct OwnerReferences;

impl Check for OwnerReferences {
    fn answered(&mut self, run: &Run<'_>, answer: &Answer<'_>) -> Vec<Violation> {
        if !answer.has_created() {
            return Vec::new();
        }
        let (key, seen) = (answer.key, answer.seen);
        let owners = answer
            .object
            .pointer("/metadata/ownerReferences")
            .and_then(Value::as_array)
            .map(Vec::as_slice)
            .unwrap_or_default();
        let is_other = |other: &Value| {
            let uid = text(other, "/metadata/uid");
            let reference = owners.iter().find(|owner| text(owner, "/uid") == uid)?;
            let is_it = refers(reference, other, &seen.namespace);
            (!is_it).then(|| (owner_name(reference), id(other)))
        };
        if !owners.is_empty() {
            let others = run.server.filter_map(is_other).into_iter().take(1);
            let wrong = others.map(|(named, other)| {
                let message = format!(
                    "{key} was created with an owner reference to {named}, with the uid of {other}: for the garbage collector, that owner does not exist"
                );
                Violation::new(message).of(Variety::UidOfAnother)
            });
            return wrong.collect();
        }
        if run.demands.is_of_user(&seen.group, &seen.resource) {
            return Vec::new();
        }
        let possible_owners = run.server.filter_map(|other| {
            let namespace = text(other, "/metadata/namespace");
            let near = namespace.is_empty() || namespace == seen.namespace;
            (near && run.demands.is_object_of_user(other)).then_some(())
        });
        if possible_owners.is_empty() {
            return Vec::new();
        }
        let message = format!("{key} was created without an owner reference");
        vec![Violation::new(message)]
    }
}

/// Whether an owner reference of an object in a namespace is one to `owner`, whose uid it has.
fn refers(reference: &Value, owner: &Value, namespace: &str) -> bool {
    let group = |object: &Value| {
        let version = text(object, "/apiVersion");
        version
            .rsplit_once('/')
            .map_or("", |(group, _)| group)
            .to_owned()
    };
    let place = text(owner, "/metadata/namespace");
    group(reference) == group(owner)
        && text(reference, "/kind") == text(owner, "/kind")
        && text(reference, "/name") == text(owner, "/metadata/name")
        && (place.is_empty() || place == namespace)
}
