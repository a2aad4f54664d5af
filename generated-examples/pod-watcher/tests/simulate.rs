//! Runs the operator under many schedules of faults; docs/simulation.md lists the variables that control the simulation.
use k8s_openapi::api::core::v1::Pod;
use kube_codegen_runtime::manager::Manager;
use kube_codegen_simulation::Simulation;
use pod_watcher::{REPORTER, register};

#[test]
fn no_schedule_of_faults_breaks_the_operator() {
    Simulation::new(REPORTER)
        .kind::<Pod>()
        .operator(|client| async move {
            let mut manager = Manager::builder(client, REPORTER).build()?;
            register(&mut manager);
            manager.run(std::future::pending()).await
        })
        .run();
}
