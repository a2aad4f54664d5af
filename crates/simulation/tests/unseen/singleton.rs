//! A rule demands the name of the only object.

use std::sync::Arc;

use k8s_openapi::api::core::v1::ConfigMap;
use kube::{
    Api, Client, ResourceExt as _,
    api::{DynamicObject, PostParams},
    runtime::controller::Action,
};
use kube_codegen_simulation::Simulation;
use serde_json::json;

use super::{control, crd, found, owners};

const KIND: &str = "Platform";

/// Creates the child of the only object, and never changes it.
async fn reconcile(platform: Arc<DynamicObject>, client: Arc<Client>) -> kube::Result<Action> {
    if platform.metadata.deletion_timestamp.is_some() {
        return Ok(Action::await_change());
    }
    let child = json!({
        "apiVersion": "v1", "kind": "ConfigMap",
        "metadata": {"name": platform.name_any(), "ownerReferences": owners(&platform, KIND)},
        "data": {"text": platform.data["spec"]["text"]},
    });
    let child = serde_json::from_value(child).map_err(kube::Error::SerdeError)?;
    let maps = Api::<ConfigMap>::namespaced((*client).clone(), "default");
    match maps.create(&PostParams::default(), &child).await {
        Err(kube::Error::Api(status)) if status.code == 409 => {}
        other => drop(other?),
    }
    Ok(Action::await_change())
}

/// Only an object that the server accepts is changed, which the error needs.
#[test]
fn an_object_with_a_demanded_name_is_simulated() {
    let mut definition = crd(KIND, &json!({"text": {"type": "string"}}));
    definition["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["x-kubernetes-validations"] =
        json!([{"rule": "self.metadata.name == 'cluster'"}]);
    let found = found(
        Simulation::new("platforms")
            .crd(&definition)
            .operator(|client| control::<ConfigMap, _>(client, KIND, reconcile)),
    );
    let report = found.to_string();
    assert!(report.contains("platforms/cluster"), "{report}");
}
