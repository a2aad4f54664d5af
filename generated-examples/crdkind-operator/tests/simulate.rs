//! No schedule of faults leads the operator to another state. docs/simulation.md explains `SIMULATE_SEED`, `SIMULATE_BUDGET` and
//! `SIMULATE_REPLAY`.
use std::time::Duration;

use crdkind_operator::{
    REPORTER,
    generated::iksoon_test_com::v1::CrdKind,
    register,
    settings::{Images, Settings},
};
use kube::CustomResourceExt;
use kube_codegen_runtime::manager::Manager;
use kube_codegen_simulation::{Simulation, assert_repeatable};

fn simulation() -> Simulation {
    Simulation::new(REPORTER)
        .crd(&CrdKind::crd())
        // The operator checks again after 10 seconds whether the name of a child is free.
        .operator(|client| async move {
            let mut manager = Manager::builder(client, REPORTER).build()?;
            let settings = Settings {
                look_again: Duration::from_secs(10),
                images: Images::default(),
            };
            register(&mut manager, settings);
            manager.run(std::future::pending()).await
        })
}

#[test]
fn no_schedule_of_faults_breaks_the_operator() {
    simulation().run();
}

#[test]
fn runs_are_repeatable() {
    assert_repeatable(simulation);
}
