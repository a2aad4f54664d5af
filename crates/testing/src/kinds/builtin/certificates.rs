//! Requests for certificates: who asks for one, and what a change of its state keeps.

use serde_json::Value;

use crate::{
    kinds::kind::Kind,
    values::object::{at, copy, list, map, now, section, text},
};

/// Conditions that the subresource `approval` alone sets.
pub(super) const APPROVALS: [&str; 2] = ["Approved", "Denied"];

pub(super) fn is_request(kind: &Kind) -> bool {
    kind.group == "certificates.k8s.io" && kind.kind == "CertificateSigningRequest"
}

/// Sets who asks, if an object is a new request.
pub(crate) fn identify(kind: &Kind, object: &mut Value, user: &mut Value) {
    if !is_request(kind) {
        return;
    }
    let spec = section(object, "spec");
    for field in ["username", "uid", "groups", "extra"] {
        spec.remove(field);
    }
    for (field, value) in map(user) {
        spec.insert(field.clone(), value.clone());
    }
}

/// Returns the fields of a request that a write through a subresource cannot change.
pub(super) fn unwritten(subresource: &str) -> &'static [&'static str] {
    match subresource {
        "approval" => &["spec", "status.certificate"],
        "status" => &["spec", "status.conditions"],
        _ => &["spec", "status"],
    }
}

/// Keeps what a write cannot change, and sets the times of conditions.
pub(super) fn changed(subresource: &str, old: &Value, object: &mut Value) {
    copy(map(object), old, "spec");
    if subresource.is_empty() {
        return;
    }
    let before = list(old, "/status/conditions");
    let of_type = |conditions: &[Value], name: &str| -> Vec<usize> {
        let conditions = conditions.iter().enumerate();
        let of_type = conditions.filter(|(_, it)| text(it, "/type") == name);
        of_type.map(|(index, _)| index).collect()
    };
    let Some(Value::Array(conditions)) = object.pointer_mut("/status/conditions") else {
        return;
    };
    if subresource == "status" {
        for name in APPROVALS {
            let (old, new) = (of_type(before, name), of_type(conditions, name));
            if old.len() == new.len() {
                for (old, new) in old.into_iter().zip(new) {
                    conditions[new] = before[old].clone();
                }
            }
        }
    }
    for condition in conditions.iter_mut().filter(|it| it.is_object()) {
        let same = |field: &str, other: &Value| at(other, field) == at(condition, field);
        let mut before = before
            .iter()
            .filter(|it| same("/type", it) && same("/status", it));
        let since = before.next().map(|it| at(it, "/lastTransitionTime"));
        let since = since.filter(|it| !it.is_null()).cloned();
        for (field, time) in [
            ("lastUpdateTime", now()),
            ("lastTransitionTime", since.unwrap_or_else(now)),
        ] {
            let known = map(condition).entry(field).or_insert(Value::Null);
            if known.is_null() {
                *known = time;
            }
        }
    }
}
