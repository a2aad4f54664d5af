//! Runs the operator under many schedules of faults; docs/simulation.md has the variables that control this.
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

const NETWORKS: &str = "/apis/samplecrd.k8s.io/v1/namespaces/default/networks";

fn network(name: &str, gateway: &str) -> Value {
    json!({
        "apiVersion": "samplecrd.k8s.io/v1",
        "kind": "Network",
        "metadata": {"name": name, "namespace": "default"},
        "spec": {"cidr": "192.168.0.0/16", "gateway": gateway},
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
            return Err(format!("{key} is {real:?}"));
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
    for name in files(directory).keys() {
        fs::remove_file(directory.join(name)).unwrap();
    }
    for (name, content) in before {
        fs::write(directory.join(name), content).unwrap();
    }
}

#[test]
fn no_schedule_of_faults_breaks_the_operator() {
    let directory = TempDir::new().unwrap();
    let [read, restored, operators, compared] = [(); 4].map(|()| directory.path().to_owned());
    let workload = Workload::new("two networks")
        .create(NETWORKS, network("a", "192.168.0.1"))
        .create(NETWORKS, network("b", "192.168.0.2"))
        .phase("change")
        .patch(
            &format!("{NETWORKS}/a"),
            json!({"spec": {"gateway": "192.168.0.3"}}),
        )
        .phase("an invalid change")
        .patch(
            &format!("{NETWORKS}/a"),
            json!({"spec": {"gateway": "10.0.0.1"}}),
        )
        .phase("change back")
        .patch(
            &format!("{NETWORKS}/a"),
            json!({"spec": {"gateway": "192.168.0.1"}}),
        )
        .same_as("create")
        .phase("delete one and create it again")
        .delete(&format!("{NETWORKS}/b"))
        .create(NETWORKS, network("b", "192.168.0.4"))
        .phase("delete")
        .delete(&format!("{NETWORKS}/a"))
        .delete(&format!("{NETWORKS}/b"))
        .leaves_nothing();
    Simulation::new(REPORTER)
        .crd(&Network::crd())
        .workload(workload)
        // The scenarios start from it.
        .sample(&network("a", "192.168.0.1"))
        // A network whose name is too long for a file gets an Event and no file, which the scenario would take as an error.
        .without_scenario(Scenario::Names)
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
                let check = Duration::from_secs(60);
                register(&mut manager, Settings { directory, check });
                manager.run(std::future::pending()).await
            }
        })
        .run();
}
