//! What was not tried is seen where a test passes, and fails it where all single faults are required.

use std::{env, process::Command, sync::Arc, time::Duration};

use futures::{StreamExt as _, future};
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kube::{
    Api, Client,
    api::PostParams,
    runtime::{Controller, controller::Action, watcher},
};
use kube_codegen_simulation::{Budget, Oracle, Simulation, Workload};
use serde_json::json;

use super::{CHILD, MAPS, label, map, operator, world};

/// When an operator does something once: in the last phase of a run that begins with the first one.
const LATE: Duration = Duration::from_secs(140);

#[test]
#[ignore = "run by other tests"]
fn few_schedules() {
    if env::var_os(CHILD).is_some() {
        world(false, &["a"]).budget(Budget::Schedules(3)).run();
    }
}

#[test]
#[ignore = "run by other tests"]
fn coverage() {
    if env::var_os(CHILD).is_some() {
        world(false, &["a"]).budget(Budget::Coverage(10)).run();
    }
}

/// Checks that each single fault is tried. The Secrets have no owner.
fn all_is_tried(simulation: Simulation, workload: Workload) {
    let summary = simulation
        .kind::<Secret>()
        .workload(workload)
        .without(Oracle::OwnerReferences)
        .budget(Budget::Coverage(0))
        .explore()
        .unwrap();
    assert!(summary.missed.is_empty(), "{:?}", summary.missed);
}

/// What a process does long after its start is in no run that begins with the last phase, where the run without faults has shown it.
#[test]
fn faults_at_what_comes_with_the_age_of_a_process_are_tried() {
    let text = |text: &str| json!({"data": {"text": text}});
    let change = |workload: Workload, to: &str| {
        let workload = workload.phase(to);
        workload.patch(&format!("{MAPS}/a"), text(to))
    };
    let workload = Workload::new("maps").create(MAPS, map("a"));
    let workload = ["two", "three", "four"].into_iter().fold(workload, change);
    let workload = workload.phase("delete").delete(&format!("{MAPS}/a"));
    let aging = |client: Client| async move {
        let late = async {
            tokio::time::sleep(LATE).await;
            let secrets = Api::<Secret>::namespaced(client.clone(), "default");
            drop(secrets.get_opt("late").await);
            future::pending::<()>().await;
        };
        future::join(operator(client.clone(), false), late).await;
    };
    all_is_tried(Simulation::new("aging").operator(aging), workload);
}

/// Creates a Secret for the second text, and tries it again, which the server rejects: the run without faults waits for a later attempt.
async fn note(map: Arc<ConfigMap>, client: Client) -> kube::Result<Action> {
    let text = map.data.as_ref().and_then(|data| data.get("text"));
    let labels = map.metadata.labels.as_ref();
    if text.is_some_and(|text| text == "two") && labels.and_then(|all| all.get("text")) != text {
        let secrets = Api::<Secret>::namespaced(client.clone(), "default");
        let mut secret = Secret::default();
        secret.metadata.name = Some("note".to_owned());
        for _ in 0..2 {
            match secrets.create(&PostParams::default(), &secret).await {
                Err(kube::Error::Api(status)) if status.code == 409 => {}
                other => drop(other?),
            }
        }
    }
    label(map, client, false).await
}

#[test]
fn faults_while_a_run_waits_for_a_later_attempt_are_tried() {
    let operator = |client: Client| async move {
        let maps = Api::<ConfigMap>::all(client.clone());
        let controller = Controller::new(maps, watcher::Config::default()).run(
            |map, client: Arc<Client>| note(map, (*client).clone()),
            |_, _, _| Action::requeue(Duration::from_secs(1)),
            Arc::new(client),
        );
        controller.for_each(|_| async {}).await;
    };
    let workload = Workload::new("maps").create(MAPS, map("a")).phase("change");
    let workload = workload.patch(&format!("{MAPS}/a"), json!({"data": {"text": "two"}}));
    all_is_tried(Simulation::new("notes").operator(operator), workload);
}

#[test]
fn an_empty_variable_is_not_set() {
    let mut command = command("budget::few_schedules");
    let output = command.env("SIMULATE_REQUIRE", "").output().unwrap();
    assert!(output.status.success(), "{output:?}");
}

/// Returns the output of an ignored test of this program, and whether it has passed.
fn run(which: &str, require: bool) -> (String, bool) {
    let mut command = command(which);
    if require {
        command.env("SIMULATE_REQUIRE", "singles");
    }
    let output = command.output().unwrap();
    let printed = [output.stdout, output.stderr].concat();
    (String::from_utf8(printed).unwrap(), output.status.success())
}

/// Returns the command that runs an ignored test of this program.
fn command(which: &str) -> Command {
    let mut command = Command::new(env::current_exe().unwrap());
    command
        .args(["--exact", "--ignored", which])
        .env(CHILD, "1")
        .env_remove("SIMULATE_REQUIRE");
    command
}

#[test]
fn what_was_not_tried_is_seen_where_the_test_passes() {
    let (output, passes) = run("budget::few_schedules", false);
    assert!(passes, "{output}");
    assert!(output.contains("labels: warning: "), "{output}");
    assert!(output.contains("single faults were not tried"), "{output}");
    let (output, passes) = run("budget::few_schedules", true);
    assert!(!passes, "{output}");
    assert!(output.contains("single faults were not tried"), "{output}");
}

#[test]
fn the_coverage_does_not_depend_on_the_machine() {
    let (output, passes) = run("budget::coverage", true);
    assert!(passes, "{output}");
    assert!(output.contains("each of "), "{output}");
    assert!(!output.contains("warning"), "{output}");
    let summary = world(false, &["a"])
        .budget(Budget::Coverage(10))
        .explore()
        .unwrap();
    assert!(summary.missed.is_empty(), "{summary}");
    assert!(summary.schedules >= summary.kinds as u64 + 10, "{summary}");
}
