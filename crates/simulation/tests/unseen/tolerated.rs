//! Operators that are right, and that were once called wrong: run-once Jobs, Jobs that run each time they are gone, a child with several owners, ports
//! that two objects share out among themselves, and a child of the cluster. And errors beside them that must still be found.

use std::{collections::BTreeSet, sync::Arc, time::Duration};

use k8s_openapi::api::{batch::v1::Job, core::v1::ConfigMap, rbac::v1::ClusterRole};
use kube::{
    Api, Client, ResourceExt as _,
    api::{DynamicObject, ListParams, Patch, PatchParams, PostParams},
    runtime::{Controller, controller::Action, watcher},
};
use kube_codegen_simulation::{Budget, FaultKind, Found, Oracle, Scenario, Simulation, Summary};
use serde_json::{Value, json};

use super::{SOON, control, crd, drive, objects, owners, resource, with_maps};

fn simulation(kind: &str) -> Simulation {
    let text = json!({"text": {"type": "string"}});
    Simulation::new(&kind.to_lowercase()).crd(&crd(kind, &text))
}

fn explore(simulation: Simulation) -> Result<Summary, Box<Found>> {
    simulation.budget(Budget::Coverage(60)).explore()
}

fn assert_silent(simulation: Simulation) -> Summary {
    explore(simulation).unwrap_or_else(|found| panic!("{found}"))
}

fn is_deleted(object: &DynamicObject) -> bool {
    object.metadata.deletion_timestamp.is_some()
}

fn job(owner: &DynamicObject, kind: &str, ttl: Option<u32>) -> Value {
    json!({
        "apiVersion": "batch/v1", "kind": "Job",
        "metadata": {"name": owner.name_any(), "ownerReferences": owners(owner, kind)},
        "spec": {"ttlSecondsAfterFinished": ttl, "template": {"spec": {
            "restartPolicy": "Never",
            "containers": [{"name": "task", "image": "example.com/task:1", "args": [owner.data["spec"]["text"]]}],
        }}},
    })
}

/// Runs a Job once for each object, with the spec that the object had then, and notes that it is done.
async fn once(import: Arc<DynamicObject>, client: Arc<Client>) -> kube::Result<Action> {
    const KIND: &str = "Import";
    if is_deleted(&import) || import.data.pointer("/status/phase") == Some(&json!("Succeeded")) {
        return Ok(Action::await_change());
    }
    let jobs = Api::<Job>::namespaced((*client).clone(), "default");
    let name = import.name_any();
    let Some(known) = jobs.get_opt(&name).await? else {
        let child = serde_json::from_value(job(&import, KIND, None));
        let child: Job = child.map_err(kube::Error::SerdeError)?;
        return match jobs.create(&PostParams::default(), &child).await {
            Err(kube::Error::Api(status)) if status.code == 409 => {
                Ok(Action::requeue(Duration::from_secs(1)))
            }
            other => other.map(|_| Action::await_change()),
        };
    };
    let is_own = known
        .owner_references()
        .iter()
        .any(|it| Some(&it.uid) == import.uid().as_ref());
    if !is_own {
        return Ok(Action::requeue(Duration::from_secs(5)));
    }
    if known.status.and_then(|it| it.succeeded) == Some(1) {
        let patch = Patch::Merge(json!({"status": {"phase": "Succeeded"}}));
        let done = objects(&client, KIND)
            .patch_status(&name, &PatchParams::default(), &patch)
            .await;
        match done {
            Err(kube::Error::Api(status)) if status.code == 404 => {}
            other => drop(other?),
        }
    }
    Ok(Action::await_change())
}

#[test]
fn a_job_that_runs_once_is_not_reported() {
    assert_silent(
        simulation("Import").operator(|client| control::<Job, _>(client, "Import", once)),
    );
}

/// Has a Job whenever there is none: it runs again when its time to live has ended.
async fn again(backup: Arc<DynamicObject>, client: Arc<Client>) -> kube::Result<Action> {
    const KIND: &str = "Backup";
    if is_deleted(&backup) {
        return Ok(Action::await_change());
    }
    let jobs = Api::<Job>::namespaced((*client).clone(), "default");
    if jobs.get_opt(&backup.name_any()).await?.is_none() {
        let child = serde_json::from_value(job(&backup, KIND, Some(600)));
        let child: Job = child.map_err(kube::Error::SerdeError)?;
        jobs.create(&PostParams::default(), &child).await?;
    }
    Ok(Action::await_change())
}

#[test]
fn a_job_that_runs_again_after_its_time_to_live_is_not_reported() {
    let simulation =
        simulation("Backup").operator(|client| control::<Job, _>(client, "Backup", again));
    let summary = assert_silent(simulation);
    assert!(
        summary.scenarios.contains(&Scenario::EndedJobs),
        "{summary}"
    );
}

/// Each object has the child whose name its spec says: several objects are owners of one child.
async fn shared(view: Arc<DynamicObject>, client: Arc<Client>) -> kube::Result<Action> {
    if is_deleted(&view) {
        return Ok(Action::await_change());
    }
    let name = view.data["spec"]["configName"].as_str().unwrap_or_default();
    let uid = view.uid().unwrap_or_default();
    let child = json!({
        "apiVersion": "v1", "kind": "ConfigMap",
        "metadata": {"name": name, "ownerReferences": [{
            "apiVersion": "example.com/v1", "kind": "View", "name": view.name_any(), "uid": uid,
        }]},
        "data": {"of": name},
    });
    let maps = Api::<ConfigMap>::namespaced((*client).clone(), "default");
    // Each owner has a field manager of its own, so that their references add up.
    let params = PatchParams::apply(&format!("views-{uid}")).force();
    maps.patch(name, &params, &Patch::Apply(child)).await?;
    Ok(Action::requeue(Duration::from_secs(300)))
}

async fn views(client: Client) {
    let is_named =
        |map: &ConfigMap, view: &DynamicObject| view.data["spec"]["configName"] == *map.name_any();
    let controller = with_maps(&client, "View", is_named);
    drive(controller, client, SOON, shared).await;
}

#[test]
fn a_child_with_a_shared_name_is_not_reported() {
    let name =
        json!({"configName": {"type": "string", "enum": ["one"]}, "text": {"type": "string"}});
    let simulation = Simulation::new("views").crd(&crd("View", &name));
    assert_silent(simulation.operator(views));
}

/// Gives each object the lowest port that no other one has.
async fn ports(tunnel: Arc<DynamicObject>, client: Arc<Client>) -> kube::Result<Action> {
    const KIND: &str = "Tunnel";
    let name = tunnel.name_any();
    let maps = Api::<ConfigMap>::namespaced((*client).clone(), "default");
    if is_deleted(&tunnel) || maps.get_opt(&name).await?.is_some() {
        return Ok(Action::await_change());
    }
    let port = |map: &ConfigMap| map.data.as_ref()?.get("port")?.parse::<u16>().ok();
    let all = maps.list(&ListParams::default()).await?;
    let taken: BTreeSet<u16> = all.iter().filter_map(port).collect();
    let free = (8000..9000)
        .find(|port| !taken.contains(port))
        .unwrap_or_default();
    let child = json!({
        "apiVersion": "v1", "kind": "ConfigMap",
        "metadata": {"name": name, "ownerReferences": owners(&tunnel, KIND)},
        "data": {"port": free.to_string()},
    });
    let child: ConfigMap = serde_json::from_value(child).map_err(kube::Error::SerdeError)?;
    maps.create(&PostParams::default(), &child).await?;
    Ok(Action::await_change())
}

/// Runs a controller that reconciles one object at a time.
async fn one_at_a_time<F>(
    client: Client,
    kind: &'static str,
    reconcile: fn(Arc<DynamicObject>, Arc<Client>) -> F,
) where
    F: Future<Output = kube::Result<Action>> + Send + 'static,
{
    let config = watcher::Config::default();
    let maps = Api::<ConfigMap>::namespaced(client.clone(), "default");
    let controller = Controller::new_with(objects(&client, kind), config.clone(), resource(kind))
        .owns(maps, config)
        .with_config(kube::runtime::controller::Config::default().concurrency(1));
    drive(controller, client, SOON, reconcile).await;
}

#[test]
fn ports_that_change_places_are_not_reported() {
    assert_silent(
        simulation("Tunnel")
            .without_fault(FaultKind::Drift)
            .operator(|client| one_at_a_time(client, "Tunnel", ports)),
    );
}

/// Two objects that are reconciled at the same time take the same port.
#[test]
fn equal_ports_are_found() {
    let found = explore(
        simulation("Tunnel")
            .without_fault(FaultKind::Drift)
            .operator(|client| control::<ConfigMap, _>(client, "Tunnel", ports)),
    );
    let found = found.unwrap_err();
    assert!(found.to_string().contains("data.port"), "{found}");
}

/// Has a role of the cluster for each object, and leaves those of others alone.
async fn roles(team: Arc<DynamicObject>, client: Arc<Client>) -> kube::Result<Action> {
    const KIND: &str = "Team";
    if is_deleted(&team) {
        return Ok(Action::await_change());
    }
    let name = format!("team-{}", team.name_any());
    let roles = Api::<ClusterRole>::all((*client).clone());
    let known = roles.get_opt(&name).await?;
    let uid = team.uid();
    let is_own = |role: &ClusterRole| {
        role.owner_references()
            .iter()
            .any(|it| Some(&it.uid) == uid.as_ref())
    };
    if known.is_some_and(|it| !is_own(&it)) {
        return Ok(Action::requeue(Duration::from_secs(5)));
    }
    let child = json!({
        "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole",
        "metadata": {"name": name, "ownerReferences": owners(&team, KIND)},
        "rules": [{"apiGroups": [""], "resources": ["pods"], "verbs": ["get"], "resourceNames": [team.data["spec"]["text"]]}],
    });
    let params = PatchParams::apply("teams").force();
    roles.patch(&name, &params, &Patch::Apply(child)).await?;
    Ok(Action::requeue(Duration::from_secs(300)))
}

#[test]
fn the_owner_of_a_stranger_of_the_cluster_is_left_alone() {
    let mut definition = crd("Team", &json!({"text": {"type": "string"}}));
    definition["spec"]["scope"] = "Cluster".into();
    let simulation = Simulation::new("teams")
        .crd(&definition)
        .operator(|client| async move {
            let config = watcher::Config::default();
            let teams: Api<DynamicObject> = Api::all_with(client.clone(), &resource("Team"));
            let controller = Controller::new_with(teams, config.clone(), resource("Team"))
                .owns(Api::<ClusterRole>::all(client.clone()), config);
            drive(controller, client, SOON, roles).await;
        });
    let summary = assert_silent(simulation);
    assert!(
        summary.scenarios.contains(&Scenario::Strangers),
        "{summary}"
    );
    assert!(summary.taken_over.is_none(), "{summary:?}");
}

async fn applies(note: Arc<DynamicObject>, client: Arc<Client>) -> kube::Result<Action> {
    if is_deleted(&note) {
        return Ok(Action::await_change());
    }
    let child = json!({
        "apiVersion": "v1", "kind": "ConfigMap",
        "metadata": {"name": note.name_any(), "ownerReferences": owners(&note, "Memo")},
        "data": {"text": note.data["spec"]["text"]},
    });
    let maps = Api::<ConfigMap>::namespaced((*client).clone(), "default");
    let params = PatchParams::apply("memos").force();
    maps.patch(&note.name_any(), &params, &Patch::Apply(child))
        .await?;
    Ok(Action::requeue(Duration::from_secs(300)))
}

#[test]
fn an_apply_that_takes_over_is_reported_and_does_not_end_the_search() {
    let simulation =
        simulation("Memo").operator(|client| control::<ConfigMap, _>(client, "Memo", applies));
    let summary = assert_silent(simulation.clone());
    let taken_over = summary.taken_over.as_ref().unwrap();
    assert_eq!(taken_over.oracle, Oracle::Strangers, "{taken_over}");
    let report = taken_over.to_string();
    assert!(
        report.contains(".without_scenario(Scenario::Strangers)"),
        "{report}"
    );
    // All else was tried.
    assert!(summary.missed.is_empty() && summary.kinds > 20, "{summary}");
    let summary = assert_silent(simulation.without_scenario(Scenario::Strangers));
    assert!(summary.taken_over.is_none(), "{summary:?}");
}
