//! Validates CustomResourceDefinitions as `apiextensions.k8s.io` does: kube-codegen-schema has the rules, and this what depends on the state before.

mod accept;
mod formats;

pub(crate) use accept::establish;
pub(crate) use formats::warnings;

use kube::core::response::StatusCause;
use kube_codegen_schema::definition;
use serde_json::{Value, json};

use crate::{
    kinds::kind::Kind,
    values::{
        object::{at, flag, list, now, put, strings, text},
        status::{cause, of_field},
    },
    webhooks,
};

pub(crate) fn is_definition(kind: &Kind) -> bool {
    kind.group == "apiextensions.k8s.io" && kind.kind == "CustomResourceDefinition"
}

/// The finalizer of a deleted definition that still has instances.
pub(crate) const CLEANUP: &str = "customresourcecleanup.apiextensions.k8s.io";

/// Marks a definition as deleted.
pub(crate) fn end(crd: &mut Value) {
    let mut finalizers = strings(crd, "/metadata/finalizers");
    if !finalizers.iter().any(|name| name == CLEANUP) {
        finalizers.push(CLEANUP.to_owned());
    }
    put(crd, "/metadata/finalizers", finalizers.into());
    put(crd, "/metadata/deletionTimestamp", now());
    terminating(
        crd,
        true,
        "InstanceDeletionPending",
        "CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon",
    );
}

/// Sets the condition `Terminating`, which holds until there are no more instances.
pub(crate) fn terminating(crd: &mut Value, holds: bool, reason: &str, message: &str) {
    let condition = json!({
        "type": "Terminating",
        "status": if holds { "True" } else { "False" },
        "reason": reason,
        "message": message,
        "lastTransitionTime": now(),
    });
    let others = list(crd, "/status/conditions").iter();
    let others = others.filter(|it| text(it, "/type") != "Terminating");
    let all: Vec<Value> = others.cloned().chain([condition]).collect();
    put(crd, "/status/conditions", all.into());
}

/// Sets the defaults that depend on other fields.
pub(crate) fn default(crd: &mut Value) {
    let kind = text(crd, "/spec/names/kind").to_owned();
    if text(crd, "/spec/names/singular").is_empty() {
        put(crd, "/spec/names/singular", kind.to_lowercase().into());
    }
    if text(crd, "/spec/names/listKind").is_empty() && !kind.is_empty() {
        put(crd, "/spec/names/listKind", format!("{kind}List").into());
    }
    if at(crd, "/spec/conversion").is_null() {
        put(crd, "/spec/conversion/strategy", "None".into());
    }
    let service = "/spec/conversion/webhook/clientConfig/service";
    if at(crd, service).is_object() && at(crd, &format!("{service}/port")).is_null() {
        put(crd, &format!("{service}/port"), 443.into());
    }
}

/// Returns the violations of a definition, which replaces `old`.
pub(crate) fn check(crd: &Value, old: Option<&Value>) -> Vec<StatusCause> {
    let mut causes: Vec<_> = definition::causes(crd).into_iter().map(of_field).collect();
    causes.extend(stored(crd));
    if let Some(old) = old
        && webhooks::conversion_flaw(old).is_none()
        && let Some((bundle, why)) = webhooks::conversion_flaw(crd)
    {
        let why = format!("unable to load root certificates: {why}");
        causes.push(invalid(
            "spec.conversion.webhookClientConfig.caBundle",
            bundle,
            &why,
        ));
    }
    if let Some(old) = old {
        causes.extend(unchanged(crd, old));
    }
    causes
}

fn invalid(path: &str, value: &Value, why: &str) -> StatusCause {
    let message = format!("Invalid value: {value}: {why}");
    cause(path, "FieldValueInvalid", message)
}

/// The status, which a new definition does not have yet, names the version that is stored.
fn stored(crd: &Value) -> Option<StatusCause> {
    let versions = list(crd, "/spec/versions").iter();
    let mut stored = versions.filter(|version| flag(version, "/storage"));
    let why = match (stored.next(), stored.next()) {
        (Some(_), None) => return None,
        (None, _) => "must have at least one stored version".to_owned(),
        (Some(first), Some(_)) => {
            format!("must have the storage version {}", text(first, "/name"))
        }
    };
    let none = Value::Array(Vec::new());
    Some(invalid("status.storedVersions", &none, &why))
}

/// Rejects changes of what stored objects depend on.
fn unchanged(crd: &Value, old: &Value) -> Vec<StatusCause> {
    let mut causes = Vec::new();
    for pointer in [
        "/spec/group",
        "/spec/scope",
        "/spec/names/kind",
        "/spec/names/plural",
    ] {
        if at(crd, pointer) != at(old, pointer) && !at(old, pointer).is_null() {
            let path = pointer.trim_start_matches('/').replace('/', ".");
            causes.push(invalid(&path, at(crd, pointer), "field is immutable"));
        }
    }
    let versions = list(crd, "/spec/versions");
    for (index, stored) in strings(old, "/status/storedVersions").iter().enumerate() {
        if !versions
            .iter()
            .any(|version| text(version, "/name") == stored)
        {
            let why = format!(
                "missing from spec.versions; {stored} was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in {stored} and removes {stored} from status.storedVersions"
            );
            let path = format!("status.storedVersions[{index}]");
            causes.push(invalid(&path, &stored.as_str().into(), &why));
        }
    }
    causes
}
