//! Small worlds of an operator on kube's own `Controller` are enumerated to the end.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod budget;
mod kept;
mod own;
mod picture;

use std::{
    env, fs,
    sync::Arc,
    time::{Duration, SystemTime},
};

use futures::StreamExt as _;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::{
    Api, Client,
    api::{Patch, PatchParams},
    runtime::{Controller, controller::Action, watcher},
};
use kube_codegen_simulation::{Budget, Oracle, Simulation, Workload, assert_repeatable};
use serde_json::{Value, json};

/// Set where a test of this program is run by another one.
const CHILD: &str = "SIMULATION_TEST_CHILD";

const MAPS: &str = "/api/v1/namespaces/default/configmaps";

/// Sets a label to the text of the object; with `swallow`, a conflict counts as success.
async fn label(map: Arc<ConfigMap>, client: Client, swallow: bool) -> kube::Result<Action> {
    let text = map.data.as_ref().and_then(|data| data.get("text"));
    let labels = map.metadata.labels.as_ref();
    if labels.and_then(|labels| labels.get("text")) == text {
        return Ok(Action::await_change());
    }
    let maps = Api::<ConfigMap>::namespaced(client, "default");
    let patch = Patch::Merge(json!({"metadata": {
        "resourceVersion": map.metadata.resource_version, "labels": {"text": text},
    }}));
    let name = map.metadata.name.as_deref().unwrap_or_default();
    match maps.patch(name, &PatchParams::default(), &patch).await {
        Err(kube::Error::Api(status)) if status.code == 404 || (swallow && status.code == 409) => {
            Ok(Action::await_change())
        }
        other => other.map(|_| Action::await_change()),
    }
}

async fn operator(client: Client, swallow: bool) {
    let maps = Api::<ConfigMap>::all(client.clone());
    Controller::new(maps, watcher::Config::default())
        .run(
            move |map, client: Arc<Client>| label(map, (*client).clone(), swallow),
            |_, _, _| Action::requeue(Duration::from_secs(1)),
            Arc::new(client),
        )
        .for_each(|_| async {})
        .await;
}

fn map(name: &str) -> Value {
    json!({
        "apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, "namespace": "default"},
        "data": {"text": "one"},
    })
}

fn world(swallow: bool, names: &[&str]) -> Simulation {
    let created = Workload::new("maps");
    let created = names
        .iter()
        .fold(created, |workload, name| workload.create(MAPS, map(name)));
    let deleted = names
        .iter()
        .fold(created.phase("delete"), |workload, name| {
            workload.delete(&format!("{MAPS}/{name}"))
        });
    let workload = deleted.leaves_nothing();
    Simulation::new("labels")
        .operator(move |client| operator(client, swallow))
        .workload(workload)
        .without(Oracle::OwnerReferences)
        .budget(Budget::Schedules(20_000))
}

#[test]
fn all_orders_with_one_fault_are_tried() {
    let summary = world(false, &["a", "b"]).exhaustive(1).explore().unwrap();
    eprintln!("{summary}");
    let exhaustion = summary.exhaustion.unwrap();
    assert!(exhaustion.complete && exhaustion.states > 20, "{summary}");
    assert!(summary.to_string().starts_with("exhausted: "), "{summary}");
}

#[test]
fn an_error_is_found_with_the_smallest_number_of_faults() {
    let found = world(true, &["a", "b"])
        .exhaustive(2)
        .explore()
        .unwrap_err();
    assert_eq!(found.oracle, Oracle::EndState, "{}", found.message);
    assert_eq!(found.schedule.decisions.len(), 1);
}

/// With `KUBE_CODEGEN_ACCEPT=1`, the report is written to docs/simulation.md.
#[test]
fn a_run_begins_with_what_the_phases_before_its_first_fault_have_left() {
    let mut labelled = map("a");
    labelled["metadata"]["labels"] = json!({"text": "one"});
    let workload = Workload::new("a change")
        .create(MAPS, labelled)
        .phase("change")
        .patch(&format!("{MAPS}/a"), json!({"data": {"text": "two"}}));
    let found = Simulation::new("labels")
        .operator(|client| operator(client, true))
        .workload(workload)
        .without(Oracle::OwnerReferences)
        .budget(Budget::Schedules(100))
        .explore()
        .unwrap_err();
    assert_eq!(found.oracle, Oracle::EndState, "{}", found.message);
    assert_eq!(found.schedule.from, 1, "{found}");
    let report = found.to_string();
    assert!(report.contains("begins with phase 1"), "{report}");
    assert!(!report.contains("creates /api/v1"), "{report}");
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/simulation.md");
    let docs = fs::read_to_string(path).unwrap();
    let (before, rest) = docs.split_once("<!-- failure -->\n").unwrap();
    let (_, after) = rest.split_once("<!-- end -->").unwrap();
    let new = format!("{before}<!-- failure -->\n```text\n{report}```\n<!-- end -->{after}");
    if env::var_os("KUBE_CODEGEN_ACCEPT").is_some() {
        fs::write(path, new).unwrap();
    } else {
        assert_eq!(new, docs, "run again with KUBE_CODEGEN_ACCEPT=1");
    }
}

#[test]
fn a_simulation_takes_any_duration() {
    let extremes = [
        Duration::ZERO,
        Duration::from_nanos(1),
        Duration::from_secs(i64::MAX as u64),
        Duration::MAX,
    ];
    for duration in extremes {
        let world = || world(false, &["a"]).budget(Budget::Schedules(2));
        // Too little patience or too much quiet is a failure. Too little quiet finds what it happens to find.
        let quiet = world().quiet(duration).explore();
        let patient = world().patience(duration).explore();
        let is_short = duration < Duration::from_secs(1);
        assert_eq!(
            (quiet.is_ok() && !is_short, patient.is_ok()),
            (false, !is_short),
            "{duration:?}"
        );
        let timed = world().budget(Budget::Time(duration.min(Duration::from_secs(1))));
        assert!(timed.explore().is_ok(), "{duration:?}");
    }
}

/// Each thread runs schedules in worlds of their own, and their results are read in the order in which they were chosen.
#[test]
fn the_number_of_threads_changes_no_result() {
    let explore = |swallow, threads| {
        let simulation = world(swallow, &["a"]).budget(Budget::Coverage(40));
        simulation.threads(threads).explore()
    };
    let calm = |threads| {
        let mut summary = explore(false, threads).unwrap();
        summary.time = Duration::ZERO;
        summary
    };
    assert_eq!(calm(1), calm(5));
    let report = |threads| explore(true, threads).unwrap_err().to_string();
    assert_eq!(report(1), report(5));
}

/// Which of several objects kube's `Controller` reconciles first, a randomly hashed map decides.
#[test]
fn runs_of_kubes_own_controller_with_one_object_are_repeatable() {
    assert_repeatable(|| world(false, &["a"]));
}

#[test]
#[should_panic(expected = "an oracle is violated: simulation of labels failed")]
fn runs_that_do_not_differ_but_violate_an_oracle_are_reported_as_such() {
    assert_repeatable(|| world(true, &["a"]));
}

#[test]
#[should_panic(expected = "two runs of seed 0 differ")]
fn an_operator_that_reads_the_clock_of_the_system_is_not_repeatable() {
    assert_repeatable(|| {
        world(false, &["a", "b", "c"]).operator(|client| async move {
            let maps = Api::<ConfigMap>::namespaced(client.clone(), "default");
            let now = SystemTime::UNIX_EPOCH.elapsed().unwrap().as_nanos();
            let _ = maps.get_opt(&format!("at-{now}")).await;
            operator(client, false).await;
        })
    });
}

#[test]
#[ignore = "takes minutes without optimisation: cargo test --release -p kube-codegen-simulation --test small -- --ignored"]
fn all_orders_of_three_objects_with_two_faults_are_tried() {
    let summary = world(false, &["a", "b", "c"])
        .exhaustive(2)
        .explore()
        .unwrap();
    eprintln!("{summary}");
    assert!(summary.exhaustion.unwrap().complete, "{summary}");
}
