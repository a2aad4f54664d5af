//! Owner references with a uid of another object, or of none.

use std::sync::Arc;

use k8s_openapi::api::core::v1::ConfigMap;
use kube::{
    Api, Client, ResourceExt,
    api::{DynamicObject, ListParams, Patch, PatchParams},
    runtime::controller::Action,
};
use kube_codegen_simulation::{Found, Oracle, Simulation};
use serde_json::json;

use super::{control, crd, found, objects, owners};

const KIND: &str = "Note";

async fn reconcile(note: &DynamicObject, client: &Client, uid: &str) -> kube::Result<Action> {
    if note.metadata.deletion_timestamp.is_some() {
        return Ok(Action::await_change());
    }
    let name = note.name_any();
    let mut references = owners(note, KIND);
    references[0]["uid"] = uid.into();
    let child = json!({
        "apiVersion": "v1", "kind": "ConfigMap",
        "metadata": {"name": name, "ownerReferences": references},
        "data": {"text": note.data["spec"]["text"]},
    });
    let maps = Api::<ConfigMap>::namespaced(client.clone(), "default");
    let params = PatchParams::apply("notes").force();
    maps.patch(&name, &params, &Patch::Apply(child)).await?;
    Ok(Action::await_change())
}

async fn first(note: Arc<DynamicObject>, client: Arc<Client>) -> kube::Result<Action> {
    let notes = objects(&client, KIND).list(&ListParams::default()).await?;
    let uid = notes.items.first().and_then(ResourceExt::uid);
    reconcile(&note, &client, &uid.unwrap_or_default()).await
}

async fn invented(note: Arc<DynamicObject>, client: Arc<Client>) -> kube::Result<Action> {
    let uid = format!("{:036}", note.metadata.generation.unwrap_or_default());
    reconcile(&note, &client, &uid).await
}

fn simulation() -> Simulation {
    let text = json!({"text": {"type": "string"}});
    Simulation::new("notes").crd(&crd(KIND, &text))
}

/// Both the message and the likely cause speak of the owner reference.
fn is_named(found: &Found) -> bool {
    let report = found.to_string();
    let (_, cause) = report.split_once("likely cause").unwrap_or_default();
    found.message.contains("owner reference") && cause.contains("owner reference")
}

#[test]
fn an_owner_reference_with_the_uid_of_another_object() {
    let found = found(simulation().operator(|client| control::<ConfigMap, _>(client, KIND, first)));
    assert_eq!(found.oracle, Oracle::OwnerReferences, "{found}");
    assert!(is_named(&found), "{found}");
}

#[test]
fn an_owner_reference_with_a_uid_that_no_object_has() {
    let simulation = simulation().patience(std::time::Duration::from_secs(60));
    let found =
        found(simulation.operator(|client| control::<ConfigMap, _>(client, KIND, invented)));
    assert_eq!(found.oracle, Oracle::Rest, "{found}");
    assert!(is_named(&found), "{found}");
}
