//! Runs the operator under many schedules of faults; docs/simulation.md lists the variables that control the simulation.
#![allow(clippy::unwrap_used, reason = "a test may panic")]
use std::{collections::BTreeMap, fs, path::Path, time::Duration};

use kube::CustomResourceExt;
use kube_codegen_runtime::{informer::ObjectKey, manager::Manager};
use kube_codegen_simulation::{Scenario, Simulation, Workload};
use kube_codegen_testing::ApiServer;
use network_controller::{
    REPORTER,
    generated::samplecrd_k8s_io::v1::Network,
    networks::{Networks, configuration},
    register,
    settings::Settings,
};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::time::sleep;

const NETWORKS: &str = "/apis/samplecrd.k8s.io/v1/namespaces/default/networks";

fn network(name: &str, gateway: &str) -> Value {
    json!({
        "apiVersion": "samplecrd.k8s.io/v1",
        "kind": "Network",
        "metadata": {"name": name, "namespace": "default"},
        "spec": {"cidr": "192.168.0.0/16", "gateway": gateway},
    })
}

/// Names the first field that differs, and both values.
fn difference(path: &str, found: &Value, expected: &Value) -> String {
    let names: Vec<String> = match (found, expected) {
        (Value::Object(found), Value::Object(expected)) => {
            found.keys().chain(expected.keys()).cloned().collect()
        }
        (Value::Array(found), Value::Array(expected)) => {
            let longest = found.len().max(expected.len());
            (0..longest).map(|it| it.to_string()).collect()
        }
        _ => return format!("{path} is {found}, but must be {expected}"),
    };
    let at = |of: &Value, name: &str| of.pointer(&format!("/{name}")).cloned().unwrap_or_default();
    let mut pairs = names.iter().map(|it| (it, at(found, it), at(expected, it)));
    let differs = pairs.find(|(_, found, expected)| found != expected);
    differs.map_or_else(String::new, |(name, found, expected)| {
        difference(&format!("{path}/{name}"), &found, &expected)
    })
}

/// Compares the configured networks with the objects.
fn compare(server: &ApiServer, networks: &Networks) -> Result<(), String> {
    let mut objects = server.list::<Network>();
    objects.retain(|it| it.metadata.deletion_timestamp.is_none());
    let keys = networks.keys().map_err(|error| error.to_string())?;
    let left = |key: &&ObjectKey| !objects.iter().any(|it| ObjectKey::of(it) == **key);
    if let Some(key) = keys.iter().find(left) {
        return Err(format!("{key} is configured, and there is no object"));
    }
    for object in &objects {
        let key = ObjectKey::of(object);
        let real = networks.get(&key).map_err(|error| error.to_string())?;
        // An invalid change leaves the network as it is.
        if let Ok(desired) = configuration(&key, &object.spec)
            && real.as_ref() != Some(&desired)
        {
            return Err(match &real {
                Some(real) => format!("{key}: {}", difference("", real, &desired)),
                None => format!("{key} is not configured"),
            });
        }
    }
    Ok(())
}

/// The files of a directory, with their content.
fn files(directory: &Path) -> BTreeMap<String, String> {
    let files = fs::read_dir(directory).unwrap().map(|entry| {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        (name, fs::read_to_string(path).unwrap())
    });
    files.collect()
}

fn restore(directory: &Path, before: &BTreeMap<String, String>) {
    // A run may have ended while the disk failed.
    repair(directory);
    for name in files(directory).keys() {
        fs::remove_file(directory.join(name)).unwrap();
    }
    for (name, content) in before {
        fs::write(directory.join(name), content).unwrap();
    }
}

/// Lets each access to the files fail: where their directory was, a file is.
fn fail(directory: &Path) {
    fs::rename(directory, directory.with_extension("away")).unwrap();
    fs::write(directory, "").unwrap();
}

fn repair(directory: &Path) {
    if directory.is_file() {
        fs::remove_file(directory).unwrap();
        fs::rename(directory.with_extension("away"), directory).unwrap();
    }
}

/// Simulates the operator, which compares its files with the objects once in an interval.
fn simulate(name: &str, directory: &Path, check: Duration) -> Simulation {
    fs::create_dir(directory).unwrap();
    let [read, restored, operators, compared] = [(); 4].map(|()| directory.to_owned());
    Simulation::new(name)
        .crd(&Network::crd())
        .outside(
            "networks",
            move || files(&read),
            move |before| restore(&restored, &before),
        )
        .eventually("networks are configured", move |server| {
            compare(server, &Networks::new(compared.clone()))
        })
        .operator(move |client| {
            let directory = operators.clone();
            async move {
                let mut manager = Manager::builder(client, REPORTER).build()?;
                register(&mut manager, Settings { directory, check });
                manager.run(std::future::pending()).await
            }
        })
}

#[test]
fn no_schedule_of_faults_breaks_the_operator() {
    let directory = TempDir::new().unwrap();
    let (a, b) = (format!("{NETWORKS}/a"), format!("{NETWORKS}/b"));
    let workload = Workload::new("two networks")
        .create(NETWORKS, network("a", "192.168.0.1"))
        .create(NETWORKS, network("b", "192.168.0.2"))
        .phase("change")
        .patch(&a, json!({"spec": {"gateway": "192.168.0.3"}}))
        .patch(&b, json!({"spec": {"cidr": "192.168.0.0/24"}}))
        .phase("an invalid change")
        .patch(&a, json!({"spec": {"gateway": "10.0.0.1"}}))
        // It leaves the network as it is.
        .same_as("change")
        .phase("change back")
        .patch(&a, json!({"spec": {"gateway": "192.168.0.1"}}))
        .patch(&b, json!({"spec": {"cidr": "192.168.0.0/16"}}))
        .same_as("create")
        .phase("delete one and create it again")
        .delete(&b)
        .create(NETWORKS, network("b", "192.168.0.4"))
        .phase("delete")
        .delete(&a)
        .delete(&b)
        .leaves_nothing();
    // The comparisons are so rare that they hide no event that is missed.
    let check = Duration::from_secs(60 * 60);
    simulate(REPORTER, &directory.path().join("networks"), check)
        .workload(workload)
        // The scenarios start from it.
        .sample(&network("a", "192.168.0.1"))
        // A network whose name is too long for a file gets an Event and no file, which the scenario would take as an error.
        .without_scenario(Scenario::Names)
        .run();
}

#[test]
fn other_programs_and_a_failing_disk_do_not_break_the_operator() {
    let directory = TempDir::new().unwrap();
    let directory = directory.path().join("networks");
    let [changed, failing] = [(); 2].map(|()| directory.clone());
    let workload = Workload::new("two networks and other programs")
        .create(NETWORKS, network("a", "192.168.0.1"))
        .create(NETWORKS, network("b", "192.168.0.2"))
        .phase("other programs")
        .call("changes one file, and removes the other", move |_| {
            let (a, b) = (
                ObjectKey::namespaced("default", "a"),
                ObjectKey::namespaced("default", "b"),
            );
            let networks = Networks::new(changed.clone());
            if let Some(mut network) = networks.get(&a).unwrap() {
                network["plugins"][0]["type"] = json!("macvlan");
                networks.set(&a, &network).unwrap();
                let _ = networks.remove(&b);
            }
        })
        .same_as("create")
        .phase("delete while the disk fails")
        .call("lets the disk fail for five seconds", move |_| {
            let directory = failing.clone();
            fail(&directory);
            tokio::spawn(async move {
                sleep(Duration::from_secs(5)).await;
                repair(&directory);
            });
        })
        .delete(&format!("{NETWORKS}/a"))
        .delete(&format!("{NETWORKS}/b"))
        .leaves_nothing();
    simulate("other-programs", &directory, Duration::from_secs(60))
        .workload(workload)
        // It compares them once in a minute.
        .quiet(Duration::from_secs(70))
        .run();
}
