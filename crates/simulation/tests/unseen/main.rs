//! Operators on kube's own `Controller` with errors that none of the mutants of `sites` has. The report of each names the place.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may panic")]

mod around;
mod calm;
mod causes;
mod claims;
mod cluster;
mod guard;
mod herd;
mod members;
mod nodes;
mod overlooked;
mod pages;
mod recipes;
mod references;
mod rejected;
mod right;
mod scheduled;
mod shards;
mod similar;
mod singleton;
mod spin;
mod styles;
mod tolerated;
mod upgrade;
mod volumes;

use std::{sync::Arc, time::Duration};

use futures::StreamExt as _;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::{
    Api, Client, ResourceExt as _,
    api::{ApiResource, DynamicObject, GroupVersionKind},
    runtime::{Controller, controller::Action, reflector::ObjectRef, watcher},
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
    let controller = Controller::new_with(objects(&client, kind), config.clone(), resource(kind))
        .owns(Api::<K>::namespaced(client.clone(), "default"), config);
    drive(controller, client, SOON, reconcile).await;
}

/// After this time, most controllers here repeat a reconcile that has failed.
const SOON: Duration = Duration::from_secs(1);

/// Runs a controller, which repeats a reconcile that has failed after `pause`.
async fn drive<F>(
    controller: Controller<DynamicObject>,
    client: Client,
    pause: Duration,
    reconcile: impl FnMut(Arc<DynamicObject>, Arc<Client>) -> F + Send + 'static,
) where
    F: Future<Output = kube::Result<Action>> + Send + 'static,
{
    controller
        .run(
            reconcile,
            move |_, _, _| Action::requeue(pause),
            Arc::new(client),
        )
        .for_each(|_| async {})
        .await;
}

/// Returns a controller that reconciles the objects to which each changed `ConfigMap` belongs, whoever its controller is.
fn with_maps(
    client: &Client,
    kind: &'static str,
    belongs: impl Fn(&ConfigMap, &DynamicObject) -> bool + Send + Sync + 'static,
) -> Controller<DynamicObject> {
    let config = watcher::Config::default();
    let controller = Controller::new_with(objects(client, kind), config.clone(), resource(kind));
    let known = controller.store();
    let maps = Api::<ConfigMap>::namespaced(client.clone(), "default");
    controller.watches(maps, config, move |map| {
        let mut objects = known.state();
        objects.retain(|object| belongs(&map, object));
        let references = objects.into_iter();
        references
            .map(|object| ObjectRef::from_obj_with(&*object, resource(kind)))
            .collect::<Vec<_>>()
    })
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
