//! One pass of the controllers over the store.

use std::{collections::HashMap, sync::Arc, time::Duration};

use serde_json::{Value, json};
use tokio::time::Instant;

use super::Controllers;
use crate::{
    handlers::client::Client,
    values::object::{self, at, deleting, flag, list, now, put, text},
};

pub(super) const AGENT: &str = "kube-controller-manager";

/// The Events that have been written, by what they say about which object.
#[derive(Debug, Default)]
pub(super) struct Events {
    pub(super) known: HashMap<String, Known>,
    pub(super) swept: Option<Instant>,
}

/// One written Event.
#[derive(Clone, Debug)]
pub(super) struct Known {
    pub(super) namespace: String,
    pub(super) name: String,
    pub(super) written: Instant,
}

pub(super) struct Pass<'a> {
    pub(super) client: Client<'a>,
    pub(super) options: &'a Controllers,
    pub(super) events: &'a mut Events,
    /// How many Pods may still be created; `None` until one is.
    pub(super) room: Option<usize>,
    /// Whether something failed, which is tried again at any change.
    pub(super) has_failed: bool,
    before: &'a HashMap<String, Instant>,
    waits: HashMap<String, Instant>,
    deadline: Option<Instant>,
    pub(super) now: Instant,
}

impl<'a> Pass<'a> {
    pub(super) fn new(
        client: Client<'a>,
        options: &'a Controllers,
        before: &'a HashMap<String, Instant>,
        events: &'a mut Events,
    ) -> Self {
        Self {
            client,
            options,
            events,
            room: None,
            has_failed: false,
            before,
            waits: HashMap::new(),
            deadline: None,
            now: Instant::now(),
        }
    }

    /// Returns the waits under way, and when the first of them ends.
    pub(super) fn finish(self) -> (HashMap<String, Instant>, Option<Instant>) {
        (self.waits, self.deadline)
    }

    /// Returns whether the time has passed since this wait was first asked for.
    pub(super) fn waited(&mut self, what: String, time: Duration) -> bool {
        let start = self.before.get(&what).copied().unwrap_or(self.now);
        self.waits.insert(what, start);
        let Some(end) = start.checked_add(time) else {
            return false; // It never ends.
        };
        if end <= self.now {
            return true;
        }
        self.deadline = Some(self.deadline.map_or(end, |earlier| earlier.min(end)));
        false
    }

    /// Returns the objects of a kind that are not being deleted.
    pub(super) fn list(&self, api_version: &str, kind: &str) -> Vec<Arc<Value>> {
        let mut objects = self.client.list(api_version, kind);
        objects.retain(|object| !deleting(object));
        objects
    }

    /// Returns the objects of a kind that `owner` controls and that are not being deleted, in the order of their names.
    pub(super) fn owned(&self, owner: &Value, kind: &str) -> Vec<Arc<Value>> {
        let uid = object::uid(owner);
        self.client
            .dependents(uid)
            .into_iter()
            .filter(|(known, object)| {
                known.kind == kind && !known.custom && !deleting(object) && {
                    list(object, "/metadata/ownerReferences")
                        .iter()
                        .any(|it| text(it, "/uid") == uid && flag(it, "/controller"))
                }
            })
            .map(|(_, object)| object)
            .collect()
    }

    /// Returns the Pods that are being deleted.
    pub(super) fn deleted_pods(&self) -> Vec<Arc<Value>> {
        let mut pods = self.client.list("v1", "Pod");
        pods.retain(|pod| deleting(pod));
        pods
    }
}

/// Returns a condition that has just changed.
pub(super) fn condition(kind: &str, holds: bool, reason: &str, message: &str) -> Value {
    let mut condition = json!({
        "type": kind,
        "status": if holds { "True" } else { "False" },
        "lastTransitionTime": now(),
    });
    for (field, text) in [("reason", reason), ("message", message)] {
        if !text.is_empty() {
            condition[field] = text.into();
        }
    }
    condition
}

/// Returns the reference of a child to its controller.
pub(super) fn controller_of(owner: &Value) -> Value {
    json!([{
        "apiVersion": at(owner, "/apiVersion"),
        "kind": at(owner, "/kind"),
        "name": object::name(owner),
        "uid": object::uid(owner),
        "controller": true,
        "blockOwnerDeletion": true,
    }])
}

/// Returns a Pod made from the template of its owner.
pub(super) fn pod_of(owner: &Value, template: &Value) -> Value {
    let mut pod = json!({
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "namespace": object::namespace(owner),
            "generateName": format!("{}-", object::name(owner)),
            "ownerReferences": controller_of(owner),
        },
        "spec": at(template, "/spec"),
    });
    for field in ["labels", "annotations"] {
        let pointer = format!("/metadata/{field}");
        if let Some(value) = template.pointer(&pointer) {
            put(&mut pod, &pointer, value.clone());
        }
    }
    pod
}

pub(super) fn number(object: &Value, pointer: &str) -> i64 {
    at(object, pointer).as_i64().unwrap_or_default()
}

/// Returns whether a Pod has neither succeeded nor failed.
pub(super) fn active(pod: &Value) -> bool {
    !matches!(text(pod, "/status/phase"), "Succeeded" | "Failed")
}

pub(super) fn ready(pod: &Value) -> bool {
    list(pod, "/status/conditions")
        .iter()
        .any(|it| text(it, "/type") == "Ready" && text(it, "/status") == "True")
}

/// Removes the fields that are zero, which the server does not write.
pub(super) fn without_zeros(mut status: Value) -> Value {
    if let Some(fields) = status.as_object_mut() {
        fields.retain(|_, value| value.as_i64() != Some(0));
    }
    status
}

/// Returns a short hash of a template (FNV-1a of 32 bits, which the crate `fnv` does not have, in the letters of client-go's `SafeEncodeString`).
pub(super) fn hash(template: &Value) -> String {
    const LETTERS: &[u8] = b"bcdfghjklmnpqrstvwxz2456789";
    let sum = template
        .to_string()
        .bytes()
        .fold(0x811c_9dc5_u32, |sum, byte| {
            (sum ^ u32::from(byte)).wrapping_mul(0x0100_0193)
        });
    sum.to_string()
        .bytes()
        .map(|digit| char::from(LETTERS[usize::from(digit) % LETTERS.len()]))
        .collect()
}
