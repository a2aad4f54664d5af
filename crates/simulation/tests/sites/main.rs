//! The simulation against an operator that is right, and against its mutants: each pattern of errors is found.

mod operator;
mod site;

use std::collections::BTreeSet;

use kube_codegen_simulation::{
    Budget, Found,
    Oracle::{
        self, Counts, Deletion, EndState, History, Idempotence, OwnerReferences, Panics,
        Preconditions, Requests, Rest,
    },
    Simulation, Summary,
};
use operator::Bug;

fn simulation(bug: Bug) -> Simulation {
    Simulation::new(&format!("sites with {bug:?}"))
        .crd(&site::crd())
        .operator(move |client| operator::run(client, bug))
}

fn explore(bug: Bug, schedules: u64) -> Result<Summary, Box<Found>> {
    simulation(bug)
        .budget(Budget::Schedules(schedules))
        .explore()
}

#[test]
fn an_operator_that_is_right_breaks_no_oracle() {
    simulation(Bug::None).budget(Budget::Schedules(120)).run();
}

/// Mutants that a few schedules find.
const QUICK: &[(Bug, &[Oracle])] = &[
    (Bug::DeleteByName, &[Preconditions]),
    (Bug::NoOwner, &[OwnerReferences]),
    (Bug::NotIdempotent, &[Counts, Deletion, EndState, History]),
    (Bug::StatusFlaps, &[Rest, Idempotence, Requests]),
    (Bug::StaleRead, &[Counts, EndState, Deletion, History]),
    (Bug::LeakOnRename, &[History, EndState]),
    (Bug::HotLoop, &[Requests, Rest]),
    (Bug::Rewrites, &[Rest, Idempotence, Requests]),
    (Bug::Panics, &[Panics]),
];

/// Mutants that need one certain fault.
const SLOW: &[(Bug, &[Oracle])] = &[
    (Bug::HalfDone, &[EndState, History]),
    (Bug::EdgeTriggered, &[EndState, History]),
    (Bug::IgnoredError, &[EndState, Counts, History]),
    (Bug::MissedDelete, &[Deletion, Counts, EndState]),
    (Bug::FinalizerTooEarly, &[Deletion, Counts, EndState]),
    (Bug::ConflictSwallowed, &[EndState, History]),
];

#[test]
fn mutants_are_found() {
    find(QUICK, 200);
}

#[test]
#[ignore = "takes minutes without optimisation: cargo test --release -p kube-codegen-simulation --test sites -- --ignored --nocapture"]
fn every_mutant_is_found() {
    find(QUICK, 200);
    find(SLOW, 5_000);
}

/// Each mutant is found, by an oracle that fits.
fn find(mutants: &[(Bug, &[Oracle])], schedules: u64) {
    let mut missed = Vec::new();
    for (bug, oracles) in mutants {
        match explore(*bug, schedules) {
            Ok(summary) => missed.push(format!("{bug:?} was not found: {summary}")),
            Err(found) => {
                eprintln!(
                    "{bug:?}: {:?} after {} schedules, {} faults: {}",
                    found.oracle,
                    found.schedules,
                    found.schedule.decisions.len(),
                    found.message
                );
                if !oracles.contains(&found.oracle) {
                    missed.push(format!(
                        "{bug:?} was found by {:?}: {}",
                        found.oracle, found.message
                    ));
                }
            }
        }
    }
    assert!(missed.is_empty(), "{missed:#?}");
}

/// The same schedule gives the same run, byte by byte.
#[test]
fn runs_are_repeatable() {
    let mut different = BTreeSet::new();
    for seed in 0..3 {
        let transcript = || {
            let run = simulation(Bug::None)
                .seed(seed)
                .budget(Budget::Schedules(20));
            run.transcript().0
        };
        if transcript() != transcript() {
            different.insert(seed);
        }
    }
    assert!(
        different.is_empty(),
        "different runs of seeds {different:?}"
    );
}
