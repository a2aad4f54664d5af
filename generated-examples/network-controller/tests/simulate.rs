//! Runs the operator under many schedules of faults; docs/simulation.md has the variables that control this.
#![allow(clippy::unwrap_used, reason = "a test may panic")]
use std::{fs, path::Path, time::Duration};

use kube::CustomResourceExt;
use kube_codegen_runtime::{informer::ObjectKey, manager::Manager};
use kube_codegen_simulation::{Simulation, Workload};
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
    let objects = server.list::<Network>();
    let keys = networks.keys().map_err(|error| error.to_string())?;
    if keys.len() != objects.len() {
        return Err(format!(
            "{keys:?} are configured for {} objects",
            objects.len()
        ));
    }
    for object in &objects {
        let key = ObjectKey::of(object);
        let desired = configuration(&key, &object.spec)?;
        let real = networks.get(&key).map_err(|error| error.to_string())?;
        if real.as_ref() != Some(&desired) {
            return Err(format!("{key} is {real:?}"));
        }
    }
    Ok(())
}

fn clear(directory: &Path) {
    for entry in fs::read_dir(directory).unwrap() {
        fs::remove_file(entry.unwrap().path()).unwrap();
    }
}

#[test]
fn no_schedule_of_faults_breaks_the_operator() {
    let directory = TempDir::new().unwrap();
    let [first, operators, compared] = [(); 3].map(|()| directory.path().to_owned());
    let workload = Workload::new("two networks")
        .call("clears the directory", move |_| clear(&first))
        .create(NETWORKS, network("a", "192.168.0.1"))
        .create(NETWORKS, network("b", "192.168.0.2"))
        .phase("change")
        .patch(
            &format!("{NETWORKS}/a"),
            json!({"spec": {"gateway": "192.168.0.3"}}),
        )
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
