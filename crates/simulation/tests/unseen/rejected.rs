//! A strategic merge patch adds a port of another number to those that are there, and the server rejects what comes of it.

use std::sync::Arc;

use k8s_openapi::api::core::v1::Service;
use kube::{
    Api, Client, ResourceExt as _,
    api::{DynamicObject, Patch, PatchParams, PostParams},
    runtime::controller::Action,
};
use kube_codegen_simulation::{Oracle, Simulation};
use serde_json::json;

use super::{control, crd, found, owners};

const KIND: &str = "Listener";

async fn reconcile(listener: Arc<DynamicObject>, client: Arc<Client>) -> kube::Result<Action> {
    if listener.metadata.deletion_timestamp.is_some() {
        return Ok(Action::await_change());
    }
    let name = listener.name_any();
    let child = json!({
        "apiVersion": "v1", "kind": "Service",
        "metadata": {"name": name, "ownerReferences": owners(&listener, KIND)},
        "spec": {"selector": {"app": name}, "ports": [{"name": "http", "port": listener.data["spec"]["port"]}]},
    });
    let services = Api::<Service>::namespaced((*client).clone(), "default");
    if services.get_opt(&name).await?.is_some() {
        let params = PatchParams::default();
        services
            .patch(&name, &params, &Patch::Strategic(child))
            .await?;
    } else {
        let child: Service = serde_json::from_value(child).map_err(kube::Error::SerdeError)?;
        services.create(&PostParams::default(), &child).await?;
    }
    Ok(Action::await_change())
}

#[test]
fn the_report_says_what_the_server_rejects() {
    let port = json!({"port": {"type": "integer", "minimum": 1, "maximum": 65535}});
    let found = found(
        Simulation::new("listeners")
            .crd(&crd(KIND, &port))
            .objects(1)
            .operator(|client| control::<Service, _>(client, KIND, reconcile)),
    );
    assert_eq!(found.oracle, Oracle::Rest, "{found}");
    let rejected = "the server has rejected the last";
    assert!(found.message.contains(rejected), "{found}");
    assert!(
        found.message.contains("Duplicate value: \"http\""),
        "{found}"
    );
}
