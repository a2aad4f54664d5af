//! Runs the operator under many schedules of faults; docs/simulation.md has the variables that control this.
#![allow(clippy::unwrap_used, reason = "a test may panic")]
use k8s_openapi::api::core::v1::Secret;
use kube_codegen_runtime::manager::Manager;
use kube_codegen_simulation::Simulation;
use secret_copier::{REPORTER, copies::TYPE, register, settings::Settings};
use serde_json::json;

#[test]
fn no_schedule_of_faults_breaks_the_operator() {
    Simulation::new(REPORTER)
        .kind::<Secret>()
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
