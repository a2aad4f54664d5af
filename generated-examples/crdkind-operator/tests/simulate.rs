//! No schedule of faults leads the operator to another state. docs/simulation.md explains `SIMULATE_SEED`, `SIMULATE_BUDGET` and
//! `SIMULATE_REPLAY`.
use std::{env, time::Duration};

use crdkind_operator::{
    REPORTER,
    generated::iksoon_test_com::v1::CrdKind,
    register,
    settings::{Images, Settings},
};
use kube::CustomResourceExt;
use kube_codegen_runtime::manager::Manager;
use kube_codegen_simulation::{Budget, Simulation};

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

/// The same seed gives the same requests, answers and events, byte by byte. `SIMULATE_SEEDS` sets the number of seeds.
#[test]
fn runs_are_repeatable() {
    let seeds = env::var("SIMULATE_SEEDS").map_or(1, |text| text.parse().unwrap_or(1));
    for seed in 0..seeds {
        let transcript = || {
            let run = simulation().seed(seed).budget(Budget::Schedules(16));
            run.transcript().0
        };
        let (first, second) = (transcript(), transcript());
        assert!(first.lines().count() > 100, "{first}");
        let mut lines = first.lines().zip(second.lines());
        let different = lines.find(|(one, other)| one != other);
        assert!(first == second, "seed {seed}: {different:?}");
    }
}
