//! Operators that are right, although their children depend on more than the spec: Kubernetes sets the pull policy of a new container by its
//! image, and keeps it when the image changes; a new object has a new password. And one that is not: it sets a pull policy in new children only.

use std::{
    sync::Arc,
    time::{SystemTime, UNIX_EPOCH},
};

use k8s_openapi::api::{apps::v1::Deployment, core::v1::Secret};
use kube::{
    Api, Client, ResourceExt as _,
    api::{DynamicObject, Patch, PatchParams, PostParams},
    runtime::controller::Action,
};
use kube_codegen_simulation::{Budget, Oracle, Scenario, Simulation};
use serde_json::{Value, json};

use super::{control, crd, found, owners};

const KIND: &str = "Site";

async fn apply(site: &DynamicObject, client: &Client, container: Value) -> kube::Result<Action> {
    let name = site.name_any();
    let labels = json!({"site": name});
    let child = json!({
        "apiVersion": "apps/v1", "kind": "Deployment",
        "metadata": {"name": name, "ownerReferences": owners(site, KIND)},
        "spec": {
            "selector": {"matchLabels": labels},
            "template": {"metadata": {"labels": labels}, "spec": {"containers": [container]}},
        },
    });
    let deployments = Api::<Deployment>::namespaced(client.clone(), "default");
    let params = PatchParams::apply("sites").force();
    let patch = Patch::Apply(child);
    deployments.patch(&name, &params, &patch).await?;
    Ok(Action::await_change())
}

/// Sets the image, and nothing else.
async fn images(site: Arc<DynamicObject>, client: Arc<Client>) -> kube::Result<Action> {
    if site.metadata.deletion_timestamp.is_some() {
        return Ok(Action::await_change());
    }
    let container = json!({"name": "site", "image": site.data["spec"]["image"]});
    apply(&site, &client, container).await
}

/// Sets the pull policy of a new child, and leaves that of another as it is.
async fn policies(site: Arc<DynamicObject>, client: Arc<Client>) -> kube::Result<Action> {
    if site.metadata.deletion_timestamp.is_some() {
        return Ok(Action::await_change());
    }
    let deployments = Api::<Deployment>::namespaced((*client).clone(), "default");
    let known = deployments.get_opt(&site.name_any()).await?;
    let containers = known
        .and_then(|it| it.spec?.template.spec)
        .map(|it| it.containers);
    let policy = match containers.as_ref().and_then(|it| it.first()) {
        Some(container) => json!(container.image_pull_policy),
        None => site.data["spec"]["pullPolicy"].clone(),
    };
    let container = json!({"name": "site", "image": "example.com/site", "imagePullPolicy": policy});
    apply(&site, &client, container).await
}

/// Generates a password for a new object.
async fn passwords(site: Arc<DynamicObject>, client: Arc<Client>) -> kube::Result<Action> {
    let secrets = Api::<Secret>::namespaced((*client).clone(), "default");
    let name = site.name_any();
    if site.metadata.deletion_timestamp.is_some() || secrets.get_opt(&name).await?.is_some() {
        return Ok(Action::await_change());
    }
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let password = now.unwrap_or_default().as_nanos().to_string();
    let child = json!({
        "apiVersion": "v1", "kind": "Secret",
        "metadata": {"name": name, "ownerReferences": owners(&site, KIND)},
        "stringData": {"password": password},
    });
    let child: Secret = serde_json::from_value(child).map_err(kube::Error::SerdeError)?;
    secrets.create(&PostParams::default(), &child).await?;
    Ok(Action::await_change())
}

fn assert_silent(simulation: Simulation) {
    // They take over an object of a user that has the name of a child.
    let simulation = simulation.without_scenario(Scenario::Strangers);
    let summary = simulation.budget(Budget::Schedules(150)).explore();
    assert!(summary.is_ok(), "{}", summary.unwrap_err());
}

#[test]
fn a_pull_policy_that_the_server_keeps_is_not_reported() {
    let image = json!({"image": {"type": "string", "example": "site"}});
    assert_silent(
        Simulation::new("sites")
            .crd(&crd(KIND, &image))
            .operator(|client| control::<Deployment, _>(client, KIND, images)),
    );
}

#[test]
fn a_new_password_of_a_new_object_is_not_reported() {
    let text = json!({"text": {"type": "string"}});
    assert_silent(
        Simulation::new("sites")
            .crd(&crd(KIND, &text))
            .operator(|client| control::<Secret, _>(client, KIND, passwords)),
    );
}

#[test]
fn a_pull_policy_that_is_only_set_in_a_new_child_is_found() {
    let policy = json!({"pullPolicy": {"type": "string", "enum": ["Always", "IfNotPresent"]}});
    let found = found(
        Simulation::new("sites")
            .crd(&crd(KIND, &policy))
            .objects(1)
            .operator(|client| control::<Deployment, _>(client, KIND, policies)),
    );
    assert_eq!(found.oracle, Oracle::History, "{found}");
    assert!(found.to_string().contains("imagePullPolicy"), "{found}");
}
