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
        // The same data, but the copies are immutable, and cannot become mutable.
        .phase("a mutable one in its place")
        .delete(&a)
        .create(SECRETS, secret("c2VjcmV0"))
        .same_as("create")
        .phase("delete")
        .delete(&a)
        .leaves_nothing();
    let elsewhere = "/api/v1/namespaces/one/secrets";
    let other = json!({
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"name": "a"},
        "data": {"other": "dmFsdWU="},
    });
    // It is no copy, and when it is gone, there is room for one.
    let taken = Workload::new("a secret of that name elsewhere")
        .create(elsewhere, other)
        .create(SECRETS, secret("c2VjcmV0"))
        .phase("the name is free")
        .delete(&format!("{elsewhere}/a"))
        .phase("delete")
        .delete(&a)
        .leaves_nothing()
        .phase("a new one with that name")
        .create(SECRETS, secret("c2VjcmV0"))
        .same_as("the name is free");
    Simulation::new(REPORTER)
        .kind::<Secret>()
        .workload(workload)
        .workload(taken)
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
