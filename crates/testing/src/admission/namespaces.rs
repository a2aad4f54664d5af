//! The admission plugins `NamespaceLifecycle` and `ServiceAccount`: what may be created in a namespace, and deleted.

use kube::core::response::{Status, StatusDetails, reason};
use serde_json::Value;

use crate::{
    kinds::{kind::Kind, status::forbidden, store::Store},
    values::{
        object::{self, deleting},
        status::{Answer, cause, no_details},
    },
};

/// The admission plugin `NamespaceLifecycle` protects them.
const IMMORTAL: [&str; 3] = ["default", "kube-system", "kube-public"];
/// Rejects a new object in a namespace that does not exist or is being deleted.
pub(crate) fn admit(store: &Store, kind: &Kind, namespace: &str, name: &str) -> Answer<()> {
    if !store.namespaces || !kind.namespaced {
        return Ok(());
    }
    let Some(found) = store.find("v1", "Namespace", "", namespace) else {
        let status = Status::failure(
            &format!("namespaces {namespace:?} not found"),
            reason::NOT_FOUND,
        );
        let details = StatusDetails {
            name: namespace.to_owned(),
            kind: "namespaces".to_owned(),
            ..no_details()
        };
        return Err(status.with_code(404).with_details(details).boxed());
    };
    if !deleting(&found) {
        return Ok(());
    }
    let why = format!(
        "unable to create new content in namespace {namespace} because it is being terminated"
    );
    let mut status = forbidden(kind, name, &why);
    if let Some(details) = &mut status.details {
        details.causes = vec![cause(
            "metadata.namespace",
            "NamespaceTerminating",
            format!("namespace {namespace} is being terminated"),
        )];
    }
    Err(status)
}

/// Rejects the deletion of a namespace that every cluster needs.
pub(crate) fn admit_delete(store: &Store, kind: &Kind, name: &str) -> Answer<()> {
    if store.namespaces && kind.is_namespace() && IMMORTAL.contains(&name) {
        return Err(forbidden(kind, name, "this namespace may not be deleted"));
    }
    Ok(())
}

/// Returns why a new Pod is rejected, after its account was set as the admission plugin `ServiceAccount` does.
pub(crate) fn admit_pod(store: &Store, kind: &Kind, pod: &mut Value) -> Answer<()> {
    if !store.namespaces || !store.accounts || !kind.is_pod() {
        return Ok(());
    }
    let account = match object::text(pod, "/spec/serviceAccountName") {
        "" => "default".to_owned(),
        name => name.to_owned(),
    };
    let namespace = object::namespace(pod).to_owned();
    let exists = store
        .find("v1", "ServiceAccount", &namespace, &account)
        .is_some();
    if !exists {
        let why = format!(
            "error looking up service account {namespace}/{account}: serviceaccount {account:?} not found"
        );
        return Err(forbidden(kind, object::name(pod), &why));
    }
    object::put(pod, "/spec/serviceAccountName", account.clone().into());
    object::put(pod, "/spec/serviceAccount", account.into());
    Ok(())
}
