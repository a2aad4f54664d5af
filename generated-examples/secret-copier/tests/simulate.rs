//! Runs the operator under many schedules of faults; docs/simulation.md lists the variables that control the simulation.
#![allow(clippy::unwrap_used, reason = "a test may panic")]
use k8s_openapi::api::core::v1::Secret;
use kube_codegen_runtime::manager::Manager;
use kube_codegen_simulation::{Simulation, Workload};
use secret_copier::{REPORTER, copies::TYPE, register, settings::Settings};
use serde_json::{Value, json};

const SECRETS: &str = "/api/v1/namespaces/default/secrets";

fn secret(password: &str) -> Value {
    json!({
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"name": "a"},
        "type": TYPE,
        "data": {"password": password},
    })
}

#[test]
fn no_schedule_of_faults_breaks_the_operator() {
    let a = format!("{SECRETS}/a");
    let mut immutable = secret("c2VjcmV0");
    immutable["immutable"] = json!(true);
    let workload = Workload::new("an immutable secret")
        .create(SECRETS, secret("c2VjcmV0"))
        .phase("immutable")
        .patch(&a, json!({"immutable": true}))
        .phase("another in its place")
        .delete(&a)
        .create(SECRETS, secret("Y2hhbmdlZA=="))
        .phase("none")
        .delete(&a)
        .leaves_nothing()
        .phase("immutable from the start")
        .create(SECRETS, immutable)
        .same_as("immutable")
        .phase("delete")
        .delete(&a)
        .leaves_nothing();
    Simulation::new(REPORTER)
        .kind::<Secret>()
        .workload(workload)
        .sample(&json!({"kind": "Secret", "type": TYPE, "data": {"password": "c2VjcmV0"}}))
        .prepare(|server| {
            for name in ["default", "one", "two"] {
                let namespace =
                    json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}});
                server.seed(&namespace).unwrap();
            }
        })
        .operator(|client| async move {
            let mut manager = Manager::builder(client, REPORTER).build()?;
            let settings = Settings {
                source_namespace: "default".to_owned(),
                exclude: Vec::new(),
            };
            register(&mut manager, settings);
            manager.run(std::future::pending()).await
        })
        .run();
}
