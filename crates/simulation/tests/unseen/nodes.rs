//! An operator of four replicas and a Pod of its own, while one node is lost.

use std::sync::Arc;

use k8s_openapi::api::{
    apps::v1::{Deployment, DeploymentStatus},
    core::v1::Pod,
};
use kube::{
    Api, Client, ResourceExt as _,
    api::{DynamicObject, Patch, PatchParams},
    runtime::{Controller, controller::Action, watcher},
};
use kube_codegen_simulation::{Budget, FaultKind, Oracle, Scenario, Simulation};
use serde_json::{Value, json};

use super::{around::explore, crd, objects, owners, resource};

const KIND: &str = "Shop";
const REPLICAS: i32 = 4;

struct Context {
    client: Client,
    /// The number of replicas that are ready follows from the condition of the Deployment.
    by_condition: bool,
}

fn simulation(by_condition: bool) -> Simulation {
    let simulation = Simulation::new("shops")
        .crd(&crd(KIND, &json!({"text": {"type": "string"}})))
        .budget(Budget::Coverage(0))
        // It takes over what belongs to others.
        .without_scenario(Scenario::Strangers)
        .without_scenario(Scenario::Namespaces)
        .truth(KIND, "/status/readyReplicas", |server, shop| {
            let name = shop["metadata"]["name"].as_str().unwrap_or_default();
            let deployment = server.get::<Deployment>("default", name);
            json!(
                deployment
                    .and_then(|it| it.status?.ready_replicas)
                    .unwrap_or(0)
            )
        })
        .truth(KIND, "/status/isOpen", |server, shop| {
            let name = shop["metadata"]["name"].as_str().unwrap_or_default();
            json!(
                server
                    .get::<Pod>("default", name)
                    .is_some_and(|pod| is_ready(&pod))
            )
        })
        .operator(move |client| run(client, by_condition));
    let faults = FaultKind::ALL.iter().copied();
    faults.fold(simulation, Simulation::without_fault)
}

async fn run(client: Client, by_condition: bool) {
    use futures::StreamExt as _;
    let config = watcher::Config::default();
    let context = Context {
        client: client.clone(),
        by_condition,
    };
    Controller::new_with(objects(&client, KIND), config.clone(), resource(KIND))
        .owns(Api::<Deployment>::all(client.clone()), config.clone())
        .owns(Api::<Pod>::all(client), config)
        .run(
            async |shop, context: Arc<Context>| reconcile(&shop, &context).await,
            |_, _: &kube::Error, _| Action::requeue(std::time::Duration::from_secs(1)),
            Arc::new(context),
        )
        .for_each(|_| async {})
        .await;
}

fn is_ready(pod: &Pod) -> bool {
    let conditions = pod.status.as_ref().and_then(|it| it.conditions.as_ref());
    let mut conditions = conditions.into_iter().flatten();
    conditions.any(|it| it.type_ == "Ready" && it.status == "True")
}

fn ready_replicas(status: DeploymentStatus, by_condition: bool) -> i32 {
    if !by_condition {
        return status.ready_replicas.unwrap_or(0);
    }
    let mut conditions = status.conditions.into_iter().flatten();
    let is_available = conditions.any(|it| it.type_ == "Available" && it.status == "True");
    if is_available { REPLICAS } else { 0 }
}

async fn apply<K>(api: &Api<K>, name: &str, child: Value) -> kube::Result<K>
where
    K: Clone + std::fmt::Debug + serde::de::DeserializeOwned,
{
    let params = PatchParams::apply("shops").force();
    api.patch(name, &params, &Patch::Apply(child)).await
}

async fn reconcile(shop: &DynamicObject, context: &Context) -> kube::Result<Action> {
    if shop.metadata.deletion_timestamp.is_some() {
        return Ok(Action::await_change());
    }
    let (name, client) = (shop.name_any(), context.client.clone());
    let metadata = json!({"name": name, "ownerReferences": owners(shop, KIND), "annotations": {"text": shop.data["spec"]["text"]}});
    let labels = json!({"shop": name});
    let containers = json!([{"name": "shop", "image": "example.com/shop:1"}]);
    let deployments = Api::<Deployment>::namespaced(client.clone(), "default");
    let child = json!({
        "apiVersion": "apps/v1", "kind": "Deployment", "metadata": metadata,
        "spec": {"replicas": REPLICAS, "selector": {"matchLabels": labels}, "template": {
            "metadata": {"labels": labels}, "spec": {"containers": containers},
        }},
    });
    let deployment = apply(&deployments, &name, child).await?;
    let pods = Api::<Pod>::namespaced(client.clone(), "default");
    let child = json!({"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": {"containers": containers}});
    let pod = apply(&pods, &name, child).await?;
    let status = deployment.status.unwrap_or_default();
    let new = json!({"readyReplicas": ready_replicas(status, context.by_condition), "isOpen": is_ready(&pod)});
    if shop.data.get("status") != Some(&new) {
        let (params, patch) = (PatchParams::default(), Patch::Merge(json!({"status": new})));
        match objects(&client, KIND)
            .patch_status(&name, &params, &patch)
            .await
        {
            Err(kube::Error::Api(status)) if status.code == 404 => {}
            other => drop(other?),
        }
    }
    Ok(Action::await_change())
}

#[test]
fn an_operator_that_counts_what_is_ready_is_silent() {
    let summary = explore(simulation(false)).unwrap_or_else(|found| panic!("{found}"));
    assert!(summary.scenarios.contains(&Scenario::LostNode), "{summary}");
}

#[test]
fn a_pod_of_the_operator_gets_ready() {
    let scenarios = Scenario::ALL.iter().copied();
    let simulation = scenarios.fold(simulation(false), Simulation::without_scenario);
    let simulation = simulation.eventually("the shops are open", |server| {
        let pods = server.list::<Pod>();
        let closed = pods.iter().find(|pod| !is_ready(pod));
        closed.map_or(Ok(()), |pod| {
            Err(format!("{} is not ready", pod.name_any()))
        })
    });
    explore(simulation).unwrap_or_else(|found| panic!("{found}"));
}

#[test]
fn a_condition_does_not_say_how_many_replicas_are_ready() {
    let found = explore(simulation(true)).unwrap_err();
    assert_eq!(found.oracle, Oracle::Truth, "{found}");
    assert!(found.to_string().contains("loses a node"), "{found}");
    let missed = explore(simulation(true).without_scenario(Scenario::LostNode));
    assert!(missed.is_ok(), "{}", missed.unwrap_err());
}
