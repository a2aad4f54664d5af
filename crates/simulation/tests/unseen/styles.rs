//! Operators that are right, each in a style that is not the usual one: no oracle is violated, or one line says what is done on purpose.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use futures::StreamExt as _;
use k8s_openapi::{
    api::{batch::v1::Job, core::v1::ConfigMap},
    jiff::Timestamp,
};
use kube::{
    Api, Client, ResourceExt as _,
    api::{DynamicObject, ListParams, Patch, PatchParams, PostParams},
    runtime::{Controller, controller::Action, finalizer, watcher},
};
use kube_codegen_record::clock;
use kube_codegen_simulation::{Budget, Fault, FaultKind, Oracle, Scenario, Simulation};
use serde_json::{Value, json};

use super::{SOON, control, crd, drive, found, objects, owners, resource, with_maps};

const KIND: &str = "Note";

fn notes() -> Simulation {
    let text = json!({"text": {"type": "string"}});
    Simulation::new("notes").crd(&crd(KIND, &text))
}

fn assert_silent(simulation: Simulation) {
    // They take over an object of a user that has the name of a child.
    let simulation = simulation.without_scenario(Scenario::Strangers);
    let summary = simulation.budget(Budget::Coverage(60)).explore();
    assert!(summary.is_ok(), "{}", summary.unwrap_err());
}

fn is_deleted(note: &DynamicObject) -> bool {
    note.metadata.deletion_timestamp.is_some()
}

fn child(note: &DynamicObject, name: &str) -> Value {
    json!({
        "apiVersion": "v1", "kind": "ConfigMap",
        "metadata": {"name": name, "ownerReferences": owners(note, KIND)},
        "data": {"text": note.data["spec"]["text"]},
    })
}

async fn apply(client: &Client, child: &Value) -> kube::Result<()> {
    let maps = Api::<ConfigMap>::namespaced(client.clone(), "default");
    let name = child["metadata"]["name"].as_str().unwrap_or_default();
    let params = PatchParams::apply("notes").force();
    maps.patch(name, &params, &Patch::Apply(child)).await?;
    Ok(())
}

async fn named_by_uid(note: Arc<DynamicObject>, client: Arc<Client>) -> kube::Result<Action> {
    if !is_deleted(&note) {
        let name = format!("note-{}", note.uid().unwrap_or_default());
        apply(&client, &child(&note, &name)).await?;
    }
    Ok(Action::await_change())
}

/// Finds the child by a label, and gives a new one a random name.
async fn named_at_random(note: Arc<DynamicObject>, client: Arc<Client>) -> kube::Result<Action> {
    if is_deleted(&note) {
        return Ok(Action::await_change());
    }
    let uid = note.uid().unwrap_or_default();
    let maps = Api::<ConfigMap>::namespaced((*client).clone(), "default");
    let selector = ListParams::default().labels(&format!("note={uid}"));
    let known = maps.list(&selector).await?.items.into_iter().next();
    let name = known.map_or_else(
        || format!("{}-{:08x}", note.name_any(), fastrand::u32(..)),
        |known| known.name_any(),
    );
    let mut child = child(&note, &name);
    child["metadata"]["labels"] = json!({"note": uid});
    apply(&client, &child).await?;
    Ok(Action::await_change())
}

#[test]
fn a_child_is_named_by_the_uid_of_its_owner() {
    assert_silent(notes().operator(|client| control::<ConfigMap, _>(client, KIND, named_by_uid)));
}

#[test]
fn a_child_has_a_random_name() {
    let operator = |client| control::<ConfigMap, _>(client, KIND, named_at_random);
    // A create by apply that takes effect after its time-out gives a second child; this operator does not look for one.
    assert_silent(
        notes()
            .without_fault(FaultKind::LateEffect)
            .operator(operator),
    );
}

/// As kube's documentation does it, with an error policy that waits for minutes.
async fn patient(client: Client) {
    let config = watcher::Config::default();
    let reconcile = async |note: Arc<DynamicObject>, client: Arc<Client>| {
        if !is_deleted(&note) {
            apply(&client, &child(&note, &note.name_any())).await?;
            let status =
                Patch::Merge(json!({"status": {"observedGeneration": note.metadata.generation}}));
            let params = PatchParams::default();
            objects(&client, KIND)
                .patch_status(&note.name_any(), &params, &status)
                .await?;
        }
        kube::Result::Ok(Action::await_change())
    };
    let maps = Api::<ConfigMap>::namespaced(client.clone(), "default");
    let controller = Controller::new_with(objects(&client, KIND), config.clone(), resource(KIND))
        .owns(maps, config);
    drive(controller, client, Duration::from_secs(300), reconcile).await;
}

#[test]
fn a_failed_reconcile_is_repeated_after_minutes() {
    assert_silent(notes().operator(patient));
}

/// Each owner adds its owner reference to the only child.
async fn shared(note: Arc<DynamicObject>, client: Arc<Client>) -> kube::Result<Action> {
    if is_deleted(&note) {
        return Ok(Action::await_change());
    }
    let name = note.name_any();
    let mut references = owners(&note, KIND);
    references[0]["controller"] = false.into();
    let child = json!({
        "apiVersion": "v1", "kind": "ConfigMap",
        "metadata": {"name": "notes", "ownerReferences": references},
        "data": {"of": "notes"},
    });
    let maps = Api::<ConfigMap>::namespaced((*client).clone(), "default");
    let params = PatchParams::apply(&format!("notes-{name}")).force();
    maps.patch("notes", &params, &Patch::Apply(child)).await?;
    Ok(Action::await_change())
}

/// Runs a controller that watches all children, whoever their controller is.
async fn watching(client: Client) {
    let controller = with_maps(&client, KIND, |_, _| true);
    drive(controller, client, SOON, shared).await;
}

#[test]
fn a_child_has_several_owners() {
    assert_silent(notes().operator(watching));
}

/// Creates the child, and leaves it to others after that.
async fn created_once(note: Arc<DynamicObject>, client: Arc<Client>) -> kube::Result<Action> {
    if is_deleted(&note) {
        return Ok(Action::await_change());
    }
    let maps = Api::<ConfigMap>::namespaced((*client).clone(), "default");
    let mut child = child(&note, &note.name_any());
    child["data"] = json!({"colour": "red"});
    let child = serde_json::from_value(child).map_err(kube::Error::SerdeError)?;
    match maps.create(&PostParams::default(), &child).await {
        Err(kube::Error::Api(status)) if status.reason == "AlreadyExists" => {}
        other => drop(other?),
    }
    Ok(Action::await_change())
}

/// Creates the child, and never changes it.
async fn never_changed(note: Arc<DynamicObject>, client: Arc<Client>) -> kube::Result<Action> {
    let maps = Api::<ConfigMap>::namespaced((*client).clone(), "default");
    let name = note.name_any();
    if !is_deleted(&note) && maps.get_opt(&name).await?.is_none() {
        apply(&client, &child(&note, &name)).await?;
    }
    Ok(Action::await_change())
}

fn once() -> Simulation {
    notes().operator(|client| control::<ConfigMap, _>(client, KIND, created_once))
}

#[test]
fn defaults_are_written_once() {
    let found = found(once());
    let [decision] = found.schedule.decisions.as_slice() else {
        panic!("{found}")
    };
    assert!(matches!(decision.fault, Fault::Drift(_)), "{found}");
    assert_silent(once().without_fault(FaultKind::Drift));
}

/// Writes the time every ten seconds.
async fn heartbeat(note: Arc<DynamicObject>, client: Arc<Client>) -> kube::Result<Action> {
    let last = note
        .data
        .pointer("/status/lastSeen")
        .and_then(Value::as_str);
    let last: Option<Timestamp> = last.and_then(|last| last.parse().ok());
    let passed = last.map(|last| clock::now().as_second() - last.as_second());
    if is_deleted(&note) {
        return Ok(Action::await_change());
    }
    if passed.is_some_and(|passed| passed < 10) {
        return Ok(Action::requeue(Duration::from_secs(10)));
    }
    let status = Patch::Merge(json!({"status": {"lastSeen": clock::now().to_string()}}));
    let (notes, params) = (objects(&client, KIND), PatchParams::default());
    let name = note.name_any();
    match notes.patch_status(&name, &params, &status).await {
        Err(kube::Error::Api(status)) if status.code == 404 => {}
        other => drop(other?),
    }
    Ok(Action::requeue(Duration::from_secs(10)))
}

/// Without the oracle, runs without faults are not judged by it either.
#[test]
fn an_oracle_is_switched_off() {
    let simulation =
        || notes().operator(|client| control::<ConfigMap, _>(client, KIND, never_changed));
    assert_eq!(found(simulation()).oracle, Oracle::History);
    // Another client deletes the child: a new one follows from the newest spec.
    let simulation = simulation().without(Oracle::History);
    let without = [FaultKind::Delete, FaultKind::Drift, FaultKind::Hurry];
    assert_silent(
        without
            .into_iter()
            .fold(simulation, Simulation::without_fault),
    );
}

#[test]
fn a_heartbeat_does_not_count_as_a_change() {
    let simulation = || notes().operator(|client| control::<ConfigMap, _>(client, KIND, heartbeat));
    assert_eq!(found(simulation()).oracle, Oracle::Rest);
    assert_silent(simulation().free(KIND, "status.lastSeen"));
}

/// Starts a Job every five minutes.
async fn scheduled(note: Arc<DynamicObject>, client: Arc<Client>) -> kube::Result<Action> {
    if is_deleted(&note) {
        return Ok(Action::await_change());
    }
    let name = format!("{}-{}", note.name_any(), clock::now().as_second() / 300);
    let jobs = Api::<Job>::namespaced((*client).clone(), "default");
    let pod = json!({"restartPolicy": "Never", "containers": [{"name": "job", "image": "job"}]});
    let job = json!({
        "metadata": {"name": name, "ownerReferences": owners(&note, KIND)},
        "spec": {"template": {"spec": pod}},
    });
    let job = serde_json::from_value(job).map_err(kube::Error::SerdeError)?;
    match jobs.create(&PostParams::default(), &job).await {
        Err(kube::Error::Api(status)) if status.reason == "AlreadyExists" => {}
        other => drop(other?),
    }
    Ok(Action::requeue(Duration::from_secs(60)))
}

#[test]
fn a_job_every_five_minutes_does_not_count_as_a_change() {
    let simulation = || notes().operator(|client| control::<Job, _>(client, KIND, scheduled));
    found(simulation());
    assert_silent(simulation().free("Job", ""));
}

type Machines = Arc<Mutex<BTreeMap<String, String>>>;

fn change(machines: &Machines, change: impl FnOnce(&mut BTreeMap<String, String>)) {
    change(&mut machines.lock().unwrap_or_else(PoisonError::into_inner));
}

/// Starts a machine for each object, and stops it when the object is deleted, if `stops`.
async fn machine(
    note: Arc<DynamicObject>,
    context: Arc<(Client, Machines)>,
    stops: bool,
) -> Result<Action, finalizer::Error<kube::Error>> {
    let (client, machines) = &*context;
    let api = objects(client, KIND);
    finalizer(&api, "example.com/machine", note, async |event| {
        match event {
            finalizer::Event::Apply(note) => {
                let size = note.data["spec"]["text"].to_string();
                change(machines, |machines| {
                    machines.insert(note.uid().unwrap_or_default(), size);
                });
            }
            finalizer::Event::Cleanup(note) if stops => change(machines, |machines| {
                machines.remove(&note.uid().unwrap_or_default());
            }),
            finalizer::Event::Cleanup(_) => {}
        }
        Ok(Action::await_change())
    })
    .await
}

fn machines(stops: bool) -> Simulation {
    let machines = Machines::default();
    let [used, read, restored] = [machines.clone(), machines.clone(), machines];
    notes()
        .outside(
            "machines",
            move || read.lock().unwrap().clone(),
            move |before| *restored.lock().unwrap() = before,
        )
        .operator(move |client| {
            let context = (client.clone(), used.clone());
            async move {
                let api = objects(&client, KIND);
                Controller::new_with(api, watcher::Config::default(), resource(KIND))
                    .run(
                        move |note, context| machine(note, context, stops),
                        |_, _, _| Action::requeue(Duration::from_secs(1)),
                        Arc::new(context),
                    )
                    .for_each(|_| async {})
                    .await;
            }
        })
}

#[test]
fn a_machine_outside_of_the_cluster_is_stopped() {
    assert_silent(machines(true));
    let found = found(machines(false));
    assert_eq!(found.oracle, Oracle::Deletion, "{found}");
    assert!(found.message.contains("machines *"), "{found}");
}
