//! Operators on kube's own `Controller` with errors that none of the mutants of `sites` has. The report of each names the place.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod around;
mod calm;
mod causes;
mod claims;
mod cluster;
mod guard;
mod herd;
mod members;
mod nodes;
mod pages;
mod references;
mod refused;
mod right;
mod scheduled;
mod shards;
mod singleton;
mod spin;
mod styles;
mod tolerated;
mod upgrade;
mod volumes;

use std::{sync::Arc, time::Duration};

use futures::StreamExt as _;
use kube::{
    Api, Client, ResourceExt as _,
    api::{ApiResource, DynamicObject, GroupVersionKind},
    runtime::{Controller, controller::Action, watcher},
};
use kube_codegen_simulation::{Budget, Found, Simulation};
use serde_json::{Value, json};

/// Returns the CRD of a kind whose spec has these properties, all required.
fn crd(kind: &str, properties: &Value) -> Value {
    let singular = kind.to_lowercase();
    let required: Vec<&String> = properties.as_object().unwrap().keys().collect();
    json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": format!("{singular}s.example.com")},
        "spec": {
            "group": "example.com", "scope": "Namespaced",
            "names": {"kind": kind, "plural": format!("{singular}s"), "singular": singular, "listKind": format!("{kind}List")},
            "versions": [{"name": "v1", "served": true, "storage": true, "subresources": {"status": {}}, "schema": {"openAPIV3Schema": {
                "type": "object", "required": ["spec"], "properties": {
                    "spec": {"type": "object", "required": required, "properties": properties},
                    "status": {"type": "object", "x-kubernetes-preserve-unknown-fields": true},
                },
            }}}],
        },
    })
}

fn resource(kind: &str) -> ApiResource {
    ApiResource::from_gvk(&GroupVersionKind::gvk("example.com", "v1", kind))
}

fn objects(client: &Client, kind: &str) -> Api<DynamicObject> {
    Api::namespaced_with(client.clone(), "default", &resource(kind))
}

/// Returns the owner references of a child.
fn owners(object: &DynamicObject, kind: &str) -> Value {
    json!([{
        "apiVersion": "example.com/v1", "kind": kind, "name": object.name_any(), "uid": object.uid(),
        "controller": true, "blockOwnerDeletion": true,
    }])
}

/// Runs a controller of `kind` that owns children of `K`.
async fn control<K, F>(
    client: Client,
    kind: &'static str,
    reconcile: fn(Arc<DynamicObject>, Arc<Client>) -> F,
) where
    K: kube::Resource<DynamicType = (), Scope = k8s_openapi::NamespaceResourceScope>
        + Clone
        + std::fmt::Debug
        + serde::de::DeserializeOwned
        + Send
        + Sync
        + 'static,
    F: Future<Output = kube::Result<Action>> + Send + 'static,
{
    let config = watcher::Config::default();
    Controller::new_with(objects(&client, kind), config.clone(), resource(kind))
        .owns(Api::<K>::namespaced(client.clone(), "default"), config)
        .run(
            reconcile,
            |_, _, _| Action::requeue(Duration::from_secs(1)),
            Arc::new(client),
        )
        .for_each(|_| async {})
        .await;
}

/// Runs a simulation with the default seed, and returns what it finds.
fn found(simulation: Simulation) -> Box<Found> {
    let found = simulation
        .budget(Budget::Schedules(3_000))
        .explore()
        .unwrap_err();
    eprintln!("{found}");
    found
}
