//! The cleanup deletes the claims that the spec asks for now, not those that exist.

use std::sync::Arc;

use k8s_openapi::api::core::v1::{ConfigMap, PersistentVolumeClaim};
use kube::{
    Api, Client, ResourceExt as _,
    api::{DeleteParams, DynamicObject, PostParams, Preconditions},
    runtime::{
        controller::Action,
        finalizer::{Event, finalizer},
    },
};
use kube_codegen_simulation::{Oracle, Simulation};
use serde_json::{Value, json};

use super::{control, crd, found, objects};

const KIND: &str = "Store";

fn names(store: &DynamicObject) -> Vec<String> {
    let count = store.data["spec"]["replicas"].as_u64().unwrap_or(0);
    let name = store.name_any();
    (0..count).map(|index| format!("{name}-{index}")).collect()
}

async fn reconcile(store: Arc<DynamicObject>, client: Arc<Client>) -> kube::Result<Action> {
    let claims = Api::<PersistentVolumeClaim>::namespaced((*client).clone(), "default");
    let stores = objects(&client, KIND);
    let done = finalizer(&stores, "example.com/claims", store, |event| async {
        match event {
            Event::Apply(store) => {
                for name in names(&store) {
                    let claim: Value = json!({"metadata": {"name": name}, "spec": {
                        "accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}},
                    }});
                    let claim = serde_json::from_value(claim).unwrap();
                    match claims.create(&PostParams::default(), &claim).await {
                        Err(kube::Error::Api(status)) if status.reason == "AlreadyExists" => {}
                        other => drop(other?),
                    }
                }
            }
            Event::Cleanup(store) => {
                for name in names(&store) {
                    let Some(claim) = claims.get_opt(&name).await? else {
                        continue;
                    };
                    let params = DeleteParams::default().preconditions(Preconditions {
                        uid: claim.uid(),
                        resource_version: None,
                    });
                    claims.delete(&name, &params).await?;
                }
            }
        }
        Ok::<_, kube::Error>(Action::await_change())
    });
    match done.await {
        Ok(action) => Ok(action),
        Err(error) => Err(kube::Error::Service(Box::new(error))),
    }
}

#[test]
fn a_claim_that_the_spec_no_longer_asks_for_is_left() {
    let replicas = json!({"replicas": {"type": "integer", "minimum": 1, "maximum": 4}});
    let found = found(
        Simulation::new("stores")
            .crd(&crd(KIND, &replicas))
            .objects(1)
            .without(Oracle::OwnerReferences)
            .operator(|client| control::<ConfigMap, _>(client, KIND, reconcile)),
    );
    assert!(
        [Oracle::Deletion, Oracle::History].contains(&found.oracle),
        "{found}"
    );
}
