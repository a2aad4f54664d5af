//! Runs the operator under many schedules of faults; docs/simulation.md lists the variables that control the simulation.
use std::time::Duration;

use foo_controller::{
    REPORTER,
    generated::example_com::v1alpha1::Foo,
    register,
    steps::{Settings, Step},
};
use k8s_openapi::api::apps::v1::Deployment;
use kube::CustomResourceExt;
use kube_codegen_runtime::manager::Manager;
use kube_codegen_simulation::Simulation;
use serde_json::json;

#[test]
fn no_schedule_of_faults_breaks_the_operator() {
    Simulation::new(REPORTER)
        .crd(&Foo::crd())
        // Two objects of the same spec would ask for the same Deployment.
        .objects(1)
        // The controller looks again after a minute whether the name of a Deployment is free.
        .quiet(Duration::from_secs(70))
        .truth("Foo", "/status/availableReplicas", |server, foo| {
            let [namespace, name] = [
                &foo["metadata"]["namespace"],
                &foo["spec"]["deploymentName"],
            ]
            .map(|it| it.as_str().unwrap_or_default());
            let deployment = server.get::<Deployment>(namespace, name);
            json!(
                deployment
                    .and_then(|it| it.status?.available_replicas)
                    .unwrap_or(0)
            )
        })
        .operator(|client| async move {
            let mut manager = Manager::builder(client, REPORTER).build()?;
            let settings = Settings {
                step: Step::Control,
                every: Duration::from_secs(10),
            };
            register(&mut manager, settings);
            manager.run(std::future::pending()).await
        })
        .run();
}
