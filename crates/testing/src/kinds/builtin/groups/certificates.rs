//! `certificates.k8s.io`: who asks for a certificate, and what a change of a request's state keeps.

use serde_json::Value;

use crate::{
    kinds::builtin::{
        strategy::{Group, Strategy},
        validate::certificates::{self, APPROVALS},
    },
    values::object::{at, copy, list, map, now, section, text},
};

pub(super) const GROUP: Group = Group {
    name: "certificates.k8s.io",
    kinds: &[
        Strategy {
            kind: "CertificateSigningRequest",
            selectors: &["spec.signerName"],
            subresources: &["approval"],
            identify,
            validate: certificates::request,
            restore,
            unwritten: |subresource| Some(unwritten(subresource)),
            ..Strategy::PLAIN
        },
        Strategy {
            kind: "ClusterTrustBundle",
            needs_version: true,
            ..Strategy::PLAIN
        },
        Strategy {
            kind: "PodCertificateRequest",
            needs_version: true,
            ..Strategy::PLAIN
        },
    ],
    ..Group::EMPTY
};

/// Sets who asks.
fn identify(object: &mut Value, user: &mut Value) {
    let spec = section(object, "spec");
    for field in ["username", "uid", "groups", "extra"] {
        spec.remove(field);
    }
    for (field, value) in map(user) {
        spec.insert(field.clone(), value.clone());
    }
}

/// Returns the fields of a request that a write through a subresource cannot change.
fn unwritten(subresource: &str) -> &'static [&'static str] {
    match subresource {
        "approval" => &["spec", "status.certificate"],
        "status" => &["spec", "status.conditions"],
        _ => &["spec", "status"],
    }
}

/// Keeps what a write cannot change, and sets the times of conditions.
fn restore(object: &mut Value, subresource: &str, old: &Value) {
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
