//! Two objects can ask for a child of one name.

use std::sync::Arc;

use k8s_openapi::api::core::v1::ConfigMap;
use kube::{
    Api, Client, ResourceExt as _,
    api::{DynamicObject, Patch, PatchParams},
    runtime::controller::Action,
};
use kube_codegen_simulation::{Oracle, Simulation};
use serde_json::json;

use super::{control, crd, found};

const KIND: &str = "Route";

async fn reconcile(route: Arc<DynamicObject>, client: Arc<Client>) -> kube::Result<Action> {
    if route.metadata.deletion_timestamp.is_some() {
        return Ok(Action::await_change());
    }
    let host = route.data["spec"]["host"].as_str().unwrap_or_default();
    let reference = json!({
        "apiVersion": "example.com/v1", "kind": KIND, "name": route.name_any(), "uid": route.uid(),
    });
    let child = json!({
        "apiVersion": "v1", "kind": "ConfigMap",
        "metadata": {"name": host, "ownerReferences": [reference]},
        "data": {"route": route.name_any()},
    });
    let maps = Api::<ConfigMap>::namespaced((*client).clone(), "default");
    let params = PatchParams::apply("routes").force();
    maps.patch(host, &params, &Patch::Apply(child)).await?;
    // Watched as owned only through a controller reference: looks again instead.
    Ok(Action::requeue(std::time::Duration::from_secs(10)))
}

#[test]
fn two_objects_that_claim_one_name() {
    let host = json!({"host": {"type": "string", "pattern": "^[a-z]+$"}});
    let found = found(
        Simulation::new("routes")
            .crd(&crd(KIND, &host))
            .operator(|client| control::<ConfigMap, _>(client, KIND, reconcile)),
    );
    assert_eq!(found.oracle, Oracle::Rest, "{found}");
    assert!(found.message.contains("back and forth"), "{found}");
}
