//! The life cycle of namespaces: those of every cluster, what a new one contains, and the removal of a deleted one.
//!
//! It is an option of the server; without it, namespaces need not exist.

use std::{net::SocketAddr, sync::Arc};

use kube::core::response::{Status, StatusDetails, reason};
use serde_json::{Value, json};

use crate::{
    fields,
    handlers::{
        gc::{self, Propagation},
        internal,
        read::current,
    },
    kinds::kind::Kind,
    request::Request,
    storage::store::Store,
    values::{
        object::{self, deleting, strings},
        status::{Answer, cause, forbidden, no_details, stale},
    },
};

/// The namespaces of every cluster (<https://kubernetes.io/docs/concepts/overview/working-with-objects/namespaces/>).
const INITIAL: [&str; 4] = ["default", "kube-node-lease", "kube-public", "kube-system"];
/// The admission plugin `NamespaceLifecycle` protects them.
const IMMORTAL: [&str; 3] = ["default", "kube-system", "kube-public"];
const SERVER: &str = "kube-apiserver";
/// The Service of the server itself.
const SERVICE: &str = "kubernetes";
const ROOT_CA: &str = "kube-root-ca.crt";

pub(crate) fn is_namespace(kind: &Kind) -> bool {
    kind.group.is_empty() && kind.kind == "Namespace"
}

/// Switches the life cycle on, and creates the initial namespaces.
pub(crate) fn start(store: &mut Store) {
    store.namespaces = true;
    for name in INITIAL {
        let namespace =
            json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}});
        internal::create(store, SERVER, &namespace).ok();
    }
    let service = json!({
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {
            "name": SERVICE,
            "namespace": "default",
            "labels": {"component": "apiserver", "provider": "kubernetes"},
        },
        "spec": {
            "clusterIP": "10.96.0.1",
            "clusterIPs": ["10.96.0.1"],
            "ports": [{"name": "https", "port": 443, "targetPort": 6443}],
        },
    });
    internal::create(store, SERVER, &service).ok();
}

/// Makes the Service of the server lead to the address at which it listens.
pub(crate) fn listens(store: &mut Store, address: SocketAddr) {
    if !store.namespaces {
        return;
    }
    let metadata =
        |labels: Value| json!({"name": SERVICE, "namespace": "default", "labels": labels});
    let ports = json!([{"name": "https", "port": address.port(), "protocol": "TCP"}]);
    let endpoints = json!({
        "apiVersion": "v1",
        "kind": "Endpoints",
        "metadata": metadata(json!({"endpointslice.kubernetes.io/skip-mirror": "true"})),
        "subsets": [{"addresses": [{"ip": address.ip()}], "ports": ports}],
    });
    let slice = json!({
        "apiVersion": "discovery.k8s.io/v1",
        "kind": "EndpointSlice",
        "metadata": metadata(json!({"kubernetes.io/service-name": SERVICE})),
        "addressType": "IPv4",
        "endpoints": [{"addresses": [address.ip()], "conditions": {"ready": true}}],
        "ports": ports,
    });
    for object in [endpoints, slice] {
        // A copy of a server that listens has them already.
        if internal::create(store, SERVER, &object).is_err() {
            internal::update(store, SERVER, &object).ok();
        }
    }
}

/// Creates what each namespace contains: the default account and the certificate authority.
pub(crate) fn created(store: &mut Store, namespace: &str) {
    if !store.accounts {
        return;
    }
    let metadata = |name: &str| json!({"name": name, "namespace": namespace});
    let account =
        json!({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": metadata("default")});
    let mut authority = json!({
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": metadata(ROOT_CA),
        "data": {"ca.crt": store.authority},
    });
    authority["metadata"]["annotations"] = json!({"kubernetes.io/description": "Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the internal service IP or kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes clusters."});
    for object in [account, authority] {
        // The objects may exist in a store that was seeded.
        internal::create(store, "kube-controller-manager", &object).ok();
    }
}

/// Refuses a new object in a namespace that does not exist or is being deleted.
pub(crate) fn admit(store: &Store, kind: &Kind, namespace: &str, name: &str) -> Answer<()> {
    if !store.namespaces || !kind.namespaced {
        return Ok(());
    }
    let Some(found) = find(store, namespace) else {
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

/// Refuses the deletion of a namespace that every cluster needs.
pub(crate) fn admit_delete(store: &Store, kind: &Kind, name: &str) -> Answer<()> {
    if store.namespaces && is_namespace(kind) && IMMORTAL.contains(&name) {
        return Err(forbidden(kind, name, "this namespace may not be deleted"));
    }
    Ok(())
}

/// Deletes the objects of a namespace.
pub(crate) fn empty(store: &mut Store, namespace: &str) {
    let inside: Vec<_> = store
        .inside(namespace)
        .map(|(kind, object)| (kind.clone(), object))
        .collect();
    for (kind, object) in inside {
        gc::delete(store, &kind, &object, Propagation::Background, None);
    }
}

/// Replaces the finalizers of a namespace; a deleted one without finalizers is removed.
pub(crate) fn finalize(store: &mut Store, request: &Request, body: &Value) -> Answer<Arc<Value>> {
    let kind = &request.target.kind;
    let old = current(store, &request.target)?;
    let asked = object::text(body, "/metadata/resourceVersion");
    if !asked.is_empty() && asked != object::text(&old, "/metadata/resourceVersion") {
        return Err(stale(kind, &request.target.name));
    }
    let mut new = Value::clone(&old);
    let spec = object::section(&mut new, "spec");
    object::copy(spec, object::at(body, "/spec"), "finalizers");
    if object::list(&new, "/spec/finalizers").is_empty() {
        object::section(&mut new, "spec").remove("finalizers");
    }
    fields::track(&mut new, Some(&old), request);
    if request.dry_run() {
        return Ok(Arc::new(new));
    }
    let is_left = |pointer| object::list(&new, pointer).is_empty();
    if deleting(&new) && is_left("/spec/finalizers") && is_left("/metadata/finalizers") {
        gc::remove(store, kind, &old);
        return Ok(Arc::new(new));
    }
    Ok(store.write(kind, new))
}

/// Removes a deleted namespace that contains nothing more.
pub(crate) fn finish(store: &mut Store, namespace: &str) {
    if !store.namespaces || namespace.is_empty() {
        return;
    }
    let Some(found) = find(store, namespace).filter(|found| deleting(found)) else {
        return;
    };
    let mut others = strings(&found, "/metadata/finalizers");
    others.extend(
        strings(&found, "/spec/finalizers")
            .into_iter()
            .filter(|name| name != "kubernetes"),
    );
    if others.is_empty()
        && store.inside(namespace).next().is_none()
        && let Some(kind) = store.kinds.named("v1", "Namespace").cloned()
    {
        gc::remove(store, &kind, &found);
    }
}

fn find(store: &Store, namespace: &str) -> Option<Arc<Value>> {
    store.get(store.kinds.named("v1", "Namespace")?, "", namespace)
}

/// Returns why a new Pod is refused, after its account was set as the admission plugin `ServiceAccount` does.
pub(crate) fn admit_pod(store: &Store, kind: &Kind, pod: &mut Value) -> Answer<()> {
    if !store.namespaces || !store.accounts || kind.kind != "Pod" || !kind.group.is_empty() {
        return Ok(());
    }
    let account = match object::text(pod, "/spec/serviceAccountName") {
        "" => "default".to_owned(),
        name => name.to_owned(),
    };
    let namespace = object::namespace(pod).to_owned();
    let exists = store
        .kinds
        .named("v1", "ServiceAccount")
        .is_some_and(|kind| store.get(kind, &namespace, &account).is_some());
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
