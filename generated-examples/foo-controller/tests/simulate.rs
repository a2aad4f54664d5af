//! Runs the operator under many schedules of faults; docs/simulation.md has the variables that control this.
use std::time::Duration;

use foo_controller::{
    REPORTER,
    generated::example_com::v1alpha1::Foo,
    register,
    steps::{Settings, Step},
};
use kube::CustomResourceExt;
use kube_codegen_runtime::manager::Manager;
use kube_codegen_simulation::Simulation;

#[test]
fn no_schedule_of_faults_breaks_the_operator() {
    Simulation::new(REPORTER)
        .crd(&Foo::crd())
        // Two objects of the same spec would ask for the same Deployment.
        .objects(1)
        // The controller looks again after a minute whether the name of a Deployment is free.
        .quiet(Duration::from_secs(70))
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
