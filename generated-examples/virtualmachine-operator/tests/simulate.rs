//! Runs the operator under many schedules of faults. docs/simulation.md lists the variables that control the simulation.
use std::collections::BTreeMap;

use kube::CustomResourceExt;
use kube_codegen_runtime::manager::Manager;
use kube_codegen_simulation::Simulation;

use virtualmachine_operator::{
    REPORTER, controller, generated,
    machines::{Machines, Size},
};

#[test]
fn no_schedule_of_faults_breaks_the_operator() {
    let machines = Machines::default();
    let (known, restored) = (machines.clone(), machines.clone());
    let read = move || -> BTreeMap<String, (i32, String)> {
        let all = known.all().into_iter();
        all.map(|(uid, size)| (uid, (size.cpu, size.memory)))
            .collect()
    };
    let restore = move |before: BTreeMap<String, (i32, String)>| {
        let all = before.into_iter();
        let all = all.map(|(uid, (cpu, memory))| (uid, Size { cpu, memory }));
        restored.replace(all.collect());
    };
    Simulation::new(REPORTER)
        .outside("machines", read, restore)
        .crd(&generated::infra_example_com::v1::VirtualMachine::crd())
        .operator(move |client| {
            let machines = machines.clone();
            async move {
                // The API server in memory calls no webhooks over the network.
                let builder = Manager::builder(client, REPORTER).without_webhooks();
                let mut manager = builder.build()?;
                controller::register(&mut manager, machines);
                manager.run(std::future::pending()).await
            }
        })
        .run();
}
