//! Operators that do not work at all: without any fault, the server rejects what they write, they write nothing, or they remove what others have set in
//! the metadata of their objects. Runs with faults equal those without, so that no comparison shows it.

use std::{sync::Arc, time::Duration};

use k8s_openapi::api::{
    apps::v1::Deployment,
    core::v1::{ConfigMap, Secret},
};
use kube::{
    Api, Client, ResourceExt as _,
    api::{DynamicObject, ListParams, Patch, PatchParams, PostParams},
    runtime::{Controller, controller::Action, watcher},
};
use kube_codegen_simulation::{Budget, FaultKind, Found, Oracle, Scenario, Simulation, Summary};
use serde_json::json;

use super::{SOON, control, crd, drive, objects, owners, resource};

const KIND: &str = "Pool";
const FINALIZER: &str = "example.com/pools";

fn pools() -> Simulation {
    let text = json!({"text": {"type": "string"}});
    Simulation::new("pools").crd(&crd(KIND, &text)).objects(1)
}

fn explore(simulation: Simulation) -> Result<Summary, Box<Found>> {
    simulation.budget(Budget::Coverage(0)).explore()
}

async fn apply(pool: &DynamicObject, client: &Client) -> kube::Result<()> {
    let child = json!({
        "apiVersion": "v1", "kind": "ConfigMap",
        "metadata": {"name": pool.name_any(), "ownerReferences": owners(pool, KIND)},
        "data": {"text": pool.data["spec"]["text"]},
    });
    let maps = Api::<ConfigMap>::namespaced(client.clone(), "default");
    let params = PatchParams::apply("pools").force();
    let patch = Patch::Apply(child);
    maps.patch(&pool.name_any(), &params, &patch)
        .await
        .map(drop)
}

/// Runs a controller whose error policy waits for longer than the operator needs to count as at rest.
async fn patiently<F>(client: Client, reconcile: fn(Arc<DynamicObject>, Arc<Client>) -> F)
where
    F: Future<Output = kube::Result<Action>> + Send + 'static,
{
    drive(
        pools_and_maps(&client),
        client,
        Duration::from_secs(120),
        reconcile,
    )
    .await;
}

fn pools_and_maps(client: &Client) -> Controller<DynamicObject> {
    let config = watcher::Config::default();
    let maps = Api::<ConfigMap>::namespaced(client.clone(), "default");
    Controller::new_with(objects(client, KIND), config.clone(), resource(KIND)).owns(maps, config)
}

/// Writes its finalizer by an update without a resourceVersion, before anything else.
async fn without_version(pool: Arc<DynamicObject>, client: Arc<Client>) -> kube::Result<Action> {
    if pool.metadata.deletion_timestamp.is_some() {
        return Ok(Action::await_change());
    }
    let mut claimed = (*pool).clone();
    claimed.metadata.resource_version = None;
    claimed.metadata.labels = Some([("claimed".to_owned(), "yes".to_owned())].into());
    let (api, params) = (objects(&client, KIND), PostParams::default());
    api.replace(&pool.name_any(), &params, &claimed).await?;
    apply(&pool, &client).await?;
    Ok(Action::await_change())
}

#[test]
fn an_update_that_is_rejected_each_time_is_found() {
    let found = explore(pools().operator(|client| patiently(client, without_version)));
    let found = found.unwrap_err();
    assert_eq!(found.oracle, Oracle::Accepted, "{found}");
    let report = found.to_string();
    assert!(report.contains("update pools default/a → 422"), "{report}");
    assert!(report.contains("needs the resourceVersion"), "{report}");
}

/// Sends a selector that does not match the labels of its template: the server rejects each child.
async fn unmatched(pool: Arc<DynamicObject>, client: Arc<Client>) -> kube::Result<Action> {
    if pool.metadata.deletion_timestamp.is_some() {
        return Ok(Action::await_change());
    }
    let name = pool.name_any();
    let child = json!({
        "apiVersion": "apps/v1", "kind": "Deployment",
        "metadata": {"name": name, "ownerReferences": owners(&pool, KIND)},
        "spec": {
            "selector": {"matchLabels": {"app": name}},
            "template": {"metadata": {"labels": {"app": "pool"}}, "spec": {"containers": [{"name": "pool", "image": "pool"}]}},
        },
    });
    let deployments = Api::<Deployment>::namespaced((*client).clone(), "default");
    let params = PatchParams::apply("pools").force();
    let patch = Patch::Apply(child);
    deployments.patch(&name, &params, &patch).await?;
    Ok(Action::await_change())
}

#[test]
fn a_child_that_is_never_valid_is_found() {
    let found = explore(pools().operator(|client| patiently(client, unmatched))).unwrap_err();
    assert_eq!(found.oracle, Oracle::Accepted, "{found}");
    assert!(found.message.contains("selector"), "{found}");
}

/// Ignores all objects.
async fn idle(_: Arc<DynamicObject>, _: Arc<Client>) -> kube::Result<Action> {
    Ok(Action::await_change())
}

#[test]
fn an_operator_that_writes_nothing_is_a_doubt() {
    let simulation = pools().operator(|client| control::<ConfigMap, _>(client, KIND, idle));
    let summary = explore(simulation.clone()).unwrap_or_else(|found| panic!("{found}"));
    assert!(summary.doubts[0].contains("changed nothing"), "{summary:?}");
    let summary = explore(simulation.without(Oracle::Accepted));
    let summary = summary.unwrap_or_else(|found| panic!("{found}"));
    assert!(summary.doubts.is_empty(), "{summary:?}");
}

/// Asks for a kind that the server does not have, and goes on.
async fn curious(pool: Arc<DynamicObject>, client: Arc<Client>) -> kube::Result<Action> {
    if pool.metadata.deletion_timestamp.is_none() {
        let unknown: Api<DynamicObject> =
            Api::namespaced_with((*client).clone(), "default", &resource("Nothing"));
        let _ignored = unknown.list(&ListParams::default()).await;
        apply(&pool, &client).await?;
    }
    Ok(Action::await_change())
}

#[test]
fn a_read_that_fails_each_time_is_a_doubt() {
    let summary = explore(pools().operator(|client| patiently(client, curious)));
    let summary = summary.unwrap_or_else(|found| panic!("{found}"));
    let doubts = summary.doubts.join("\n");
    assert!(
        doubts.contains("/namespaces/default/nothings (404)"),
        "{summary:?}"
    );
}

/// Lists in a way that the server rejects, and goes on.
async fn confused(pool: Arc<DynamicObject>, client: Arc<Client>) -> kube::Result<Action> {
    if pool.metadata.deletion_timestamp.is_none() {
        let secrets = Api::<Secret>::namespaced((*client).clone(), "default");
        let unreadable = ListParams::default().fields("data.key=a");
        let _ignored = secrets.list(&unreadable).await;
        apply(&pool, &client).await?;
    }
    Ok(Action::await_change())
}

#[test]
fn a_list_that_is_rejected_each_time_is_a_doubt() {
    let summary = explore(pools().operator(|client| patiently(client, confused)));
    let summary = summary.unwrap_or_else(|found| panic!("{found}"));
    let doubts = summary.doubts.join("\n");
    assert!(doubts.contains("list secrets default → 400"), "{doubts}");
}

/// Ignores that the server rejects one of its two patches of a child.
async fn careless(pool: Arc<DynamicObject>, client: Arc<Client>) -> kube::Result<Action> {
    if pool.metadata.deletion_timestamp.is_none() {
        apply(&pool, &client).await?;
        let maps = Api::<ConfigMap>::namespaced((*client).clone(), "default");
        let invalid = json!({"metadata": {"labels": {"text": "not a label"}}});
        let merge = Patch::Merge(invalid);
        let _ignored = maps
            .patch(&pool.name_any(), &PatchParams::default(), &merge)
            .await;
    }
    Ok(Action::await_change())
}

#[test]
fn a_write_that_is_rejected_and_not_repeated_is_a_doubt() {
    let summary = explore(pools().operator(|client| patiently(client, careless)));
    let summary = summary.unwrap_or_else(|found| panic!("{found}"));
    let doubts = summary.doubts.join("\n");
    assert!(
        doubts.contains(
            "neither retried it successfully nor reported it: patch configmaps default/a"
        ),
        "{doubts}"
    );
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Style {
    /// Changes the list that it has read, and sends the version with it.
    Right,
    /// Sends a list of its own finalizer alone.
    Finalizers,
    /// Sends an empty list at the end.
    Empties,
    /// Replaces all labels of the object.
    Labels,
    /// Replaces all annotations.
    Annotations,
}

async fn claims(pool: &DynamicObject, client: &Client, style: Style) -> kube::Result<Action> {
    let (api, name, params) = (
        objects(client, KIND),
        pool.name_any(),
        PatchParams::default(),
    );
    let mut finalizers = pool.finalizers().to_vec();
    let is_claimed = finalizers.iter().any(|it| it == FINALIZER);
    let is_deleted = pool.metadata.deletion_timestamp.is_some();
    if is_deleted && !is_claimed {
        return Ok(Action::await_change());
    }
    if is_deleted || !is_claimed {
        finalizers.retain(|it| it != FINALIZER);
        if !is_deleted {
            finalizers.push(FINALIZER.to_owned());
        }
        if style == Style::Finalizers && !is_deleted {
            finalizers = vec![FINALIZER.to_owned()];
        }
        if style == Style::Empties && is_deleted {
            finalizers.clear();
        }
        let patch = json!({"metadata": {"finalizers": finalizers, "resourceVersion": pool.resource_version()}});
        api.patch(&name, &params, &Patch::Merge(patch)).await?;
        return Ok(Action::await_change());
    }
    let mine = Some([("pool".to_owned(), "yes".to_owned())].into());
    let mut changed = pool.clone();
    match style {
        Style::Labels => changed.metadata.labels = mine,
        Style::Annotations => changed.metadata.annotations = mine,
        Style::Right | Style::Finalizers | Style::Empties => {}
    }
    if changed != *pool {
        api.replace(&name, &PostParams::default(), &changed).await?;
    }
    apply(pool, client).await?;
    Ok(Action::await_change())
}

fn with_claims(style: Style) -> Simulation {
    pools().operator(move |client| async move {
        let reconcile = move |pool: Arc<DynamicObject>, client: Arc<Client>| async move {
            claims(&pool, &client, style).await
        };
        drive(pools_and_maps(&client), client, SOON, reconcile).await;
    })
}

#[test]
fn metadata_of_others_stays() {
    let calm = |style| {
        let faults = FaultKind::ALL.iter();
        faults.fold(with_claims(style), |it, kind| it.without_fault(*kind))
    };
    let summary = explore(calm(Style::Right)).unwrap_or_else(|found| panic!("{found}"));
    assert!(summary.doubts.is_empty(), "{summary:?}");
    assert!(summary.scenarios.contains(&Scenario::Metadata), "{summary}");
    for (style, path) in [
        (Style::Finalizers, "metadata.finalizers"),
        (Style::Empties, "metadata.finalizers"),
        (Style::Labels, "metadata.labels"),
        (Style::Annotations, "metadata.annotations"),
    ] {
        let found = explore(calm(style)).unwrap_err();
        assert_eq!(found.oracle, Oracle::Metadata, "{found}");
        let report = found.to_string();
        assert!(report.contains(path), "{report}");
    }
}
