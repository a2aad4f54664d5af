//! The life cycle of namespaces: those of every cluster, what a new one contains, and the removal of a deleted one.
//!
//! It is an option of the server; without it, namespaces need not exist.

use std::net::SocketAddr;

use serde_json::{Value, json};

use super::pass::AGENT;
use crate::{
    handlers::{
        client::{Client, check},
        removal::{self, Propagation},
    },
    kinds::store::Store,
    values::object::{deleting, strings},
};

/// The namespaces of every cluster (<https://kubernetes.io/docs/concepts/overview/working-with-objects/namespaces/>).
const INITIAL: [&str; 4] = ["default", "kube-node-lease", "kube-public", "kube-system"];
const SERVER: &str = "kube-apiserver";
/// The Service of the server itself.
const SERVICE: &str = "kubernetes";
const ROOT_CA: &str = "kube-root-ca.crt";

/// Switches the life cycle on, and creates the initial namespaces.
pub(crate) fn start(store: &mut Store) {
    store.namespaces = true;
    for name in INITIAL {
        let namespace =
            json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}});
        check(Client::new(store).create(SERVER, &namespace));
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
    check(Client::new(store).create(SERVER, &service));
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
        if Client::new(store).create(SERVER, &object).is_err() {
            check(Client::new(store).update(SERVER, &object));
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
        check(Client::new(store).create(AGENT, &object));
    }
}

/// Deletes the objects of a namespace.
pub(crate) fn empty(store: &mut Store, namespace: &str) {
    let inside: Vec<_> = store
        .inside(namespace)
        .map(|(kind, object)| (kind.clone(), object))
        .collect();
    for (kind, object) in inside {
        removal::delete(store, &kind, &object, Propagation::Background, None);
    }
}

/// Removes a deleted namespace that contains nothing more.
pub(crate) fn finish(store: &mut Store, namespace: &str) {
    if !store.namespaces || namespace.is_empty() {
        return;
    }
    let Some(found) = store
        .find("v1", "Namespace", "", namespace)
        .filter(|found| deleting(found))
    else {
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
        removal::remove(store, &kind, &found);
    }
}
