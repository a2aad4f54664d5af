//! The next child is named by the number of children: after a deletion from outside, the wrong one is created.

use std::sync::Arc;

use k8s_openapi::api::core::v1::ConfigMap;
use kube::{
    Api, Client, ResourceExt as _,
    api::{DeleteParams, DynamicObject, ListParams, PostParams, Preconditions},
    runtime::controller::Action,
};
use kube_codegen_simulation::{Fault, Oracle, Scenario, Simulation};
use serde_json::{Value, json};

use super::{control, crd, found, owners};

const KIND: &str = "Cache";

async fn reconcile(cache: Arc<DynamicObject>, client: Arc<Client>) -> kube::Result<Action> {
    if cache.metadata.deletion_timestamp.is_some() {
        return Ok(Action::await_change());
    }
    let (name, wanted) = (cache.name_any(), &cache.data["spec"]["shards"]);
    let wanted = usize::try_from(wanted.as_u64().unwrap_or(0)).unwrap();
    let maps = Api::<ConfigMap>::namespaced((*client).clone(), "default");
    let selector = ListParams::default().labels(&format!("cache={name}"));
    let mut shards = maps.list(&selector).await?.items;
    shards.sort_by_key(ConfigMap::name_any);
    for index in shards.len()..wanted {
        let child = json!({"metadata": {
            "name": format!("{name}-{index}"), "labels": {"cache": name}, "ownerReferences": owners(&cache, KIND),
        }});
        let child = serde_json::from_value(child).unwrap();
        match maps.create(&PostParams::default(), &child).await {
            Err(kube::Error::Api(status)) if status.reason == "AlreadyExists" => {}
            other => drop(other?),
        }
    }
    for shard in shards.iter().skip(wanted) {
        let params = DeleteParams::default().preconditions(Preconditions {
            uid: shard.uid(),
            resource_version: None,
        });
        match maps.delete(&shard.name_any(), &params).await {
            Err(kube::Error::Api(status)) if status.code == 404 => {}
            other => drop(other?),
        }
    }
    Ok(Action::await_change())
}

#[test]
fn a_child_that_is_named_by_the_number_of_children() {
    let shards: Value = json!({"shards": {"type": "integer", "minimum": 2, "maximum": 4}});
    let simulation = Simulation::new("caches")
        .crd(&crd(KIND, &shards))
        .objects(1)
        .operator(|client| control::<ConfigMap, _>(client, KIND, reconcile));
    // Objects and managers of users show it, too.
    let scenarios = Scenario::ALL.iter();
    let found = found(scenarios.fold(simulation, |all, it| all.without_scenario(*it)));
    assert_eq!(found.oracle, Oracle::EndState, "{found}");
    let [decision] = found.schedule.decisions.as_slice() else {
        panic!("{found}")
    };
    assert!(matches!(decision.fault, Fault::Delete(_)), "{found}");
}
