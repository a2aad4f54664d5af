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
use kube_codegen_simulation::{Budget, Oracle, Simulation, Workload};
use kube_codegen_testing::{Failure, On};
use serde_json::{Value, json};
use tokio::time::sleep;

const FOOS: &str = "/apis/example.com/v1alpha1/namespaces/default/foos";
const DEPLOYMENTS: &str = "/apis/apps/v1/namespaces/default/deployments";

fn simulation(name: &str) -> Simulation {
    Simulation::new(name)
        .crd(&Foo::crd())
        // Two objects of the same spec would ask for the same Deployment.
        .objects(1)
        // The controller looks again after a minute whether the name of a Deployment is free.
        .quiet(Duration::from_secs(70))
        .truth("Foo", "/status/availableReplicas", |server, object| {
            let [namespace, name] = [
                &object["metadata"]["namespace"],
                &object["spec"]["deploymentName"],
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
}

#[test]
fn no_schedule_of_faults_breaks_the_operator() {
    simulation(REPORTER).run();
}

fn foo(deployment: &str) -> Value {
    json!({
        "apiVersion": "example.com/v1alpha1",
        "kind": "Foo",
        "metadata": {"name": "a"},
        "spec": {"deploymentName": deployment, "replicas": 1},
    })
}

/// The name of the Deployment changes, and the server cannot delete the former one until all else is done.
#[test]
fn a_deletion_that_fails_is_repeated() {
    let a = format!("{FOOS}/a");
    let workload = Workload::new("a deletion that fails")
        .create(FOOS, foo("one"))
        .phase("another name")
        .call("deletes no Deployment for 30 seconds", |server| {
            let deletions = On::verb("delete").resource("deployments");
            server.fail_always(deletions, Failure::status(500));
            let server = server.clone();
            tokio::spawn(async move {
                sleep(Duration::from_secs(30)).await;
                server.clear_faults();
            });
        })
        .patch(&a, json!({"spec": {"deploymentName": "two"}}))
        .phase("delete")
        .delete(&a)
        .leaves_nothing()
        .phase("a new one with that name")
        .create(FOOS, foo("two"))
        .same_as("another name");
    simulation("deletions")
        // It fails without any fault of the simulation, too.
        .budget(Budget::Coverage(0))
        .workload(workload)
        .run();
}

/// Somebody else has a Deployment of the name, and deletes it later: no event leads from it to the Foo.
#[test]
fn a_name_is_taken_once_it_is_free() {
    let a = format!("{FOOS}/a");
    let labels = json!({"app": "other"});
    let other = json!({
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "one"},
        "spec": {
            "selector": {"matchLabels": labels},
            "template": {
                "metadata": {"labels": labels},
                "spec": {"containers": [{"name": "other", "image": "other"}]},
            },
        },
    });
    let workload = Workload::new("a name that is taken")
        .create(DEPLOYMENTS, other)
        .create(FOOS, foo("one"))
        .phase("the name is free")
        .delete(&format!("{DEPLOYMENTS}/one"))
        .phase("delete")
        .delete(&a)
        .leaves_nothing()
        .phase("a new one with that name")
        .create(FOOS, foo("one"))
        .same_as("the name is free");
    simulation("names")
        // While the name is taken, the status says nothing.
        .without(Oracle::Truth)
        .budget(Budget::Coverage(0))
        .workload(workload)
        .run();
}
