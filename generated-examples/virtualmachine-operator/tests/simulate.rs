//! Runs the operator under many schedules of faults. docs/simulation.md has the variables that control this.
use kube::CustomResourceExt;
use kube_codegen_runtime::manager::Manager;
use kube_codegen_simulation::{Budget, Simulation};

use virtualmachine_operator::{REPORTER, generated, register};

#[test]
fn no_schedule_of_faults_breaks_the_operator() {
    Simulation::new(REPORTER)
        .crd(&generated::infra_example_com::v1::VirtualMachine::crd())
        .budget(Budget::Schedules(200))
        .operator(|client| async move {
            // The API server in memory calls no webhooks over the network.
            let builder = Manager::builder(client, REPORTER).without_webhooks();
            let mut manager = builder.build()?;
            register(&mut manager);
            manager.run(std::future::pending()).await
        })
        .run();
}
