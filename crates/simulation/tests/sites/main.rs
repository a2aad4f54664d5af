//! The simulation against an operator that is right, and against its mutants: each pattern of errors is found.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod account;
mod bug;
mod kept;
mod operator;
mod raw;
mod site;

use std::{env, fs, time::Instant};

use bug::Bug;
use kube_codegen_simulation::{
    Budget, FaultKind,
    Oracle::{
        self, Counts, Deletion, EndState, History, Idempotence, Leader, OwnerReferences, Panics,
        Preconditions, Requests, Rest,
    },
    Scenario, Simulation, Summary, assert_repeatable,
};

fn simulation(bug: Bug) -> Simulation {
    let simulation = Simulation::new(&format!("sites with {bug:?}")).crd(&site::crd());
    // The operator takes over a child that belongs to a user, and serves one namespace.
    let simulation = simulation.without_scenario(Scenario::Strangers);
    let simulation = simulation.without_scenario(Scenario::Namespaces);
    match bug {
        Bug::TwoLeaders => return replicas(simulation, bug),
        Bug::WallClock => return simulation.replicas(2).operator(raw::run_replica),
        // A child is created once, and never changed.
        Bug::SeesChange | Bug::ActsOnEvents => {
            let simulation = simulation.without(Oracle::History);
            return simulation.operator(move |client| raw::run(client, bug));
        }
        _ => {}
    }
    simulation.operator(move |client| operator::run(client, bug))
}

fn replicas(simulation: Simulation, bug: Bug) -> Simulation {
    simulation
        .replicas(2)
        .operator(move |client| operator::run_replica(client, bug))
}

/// Tries each single fault; some of the points are reached in few runs, so this does not require that all are.
fn assert_right(simulation: Simulation) -> Summary {
    let summary = simulation.budget(Budget::Coverage(0)).explore();
    assert!(summary.is_ok(), "{}", summary.unwrap_err());
    summary.unwrap()
}

#[test]
fn an_operator_that_is_right_breaks_no_oracle() {
    let summary = assert_right(simulation(Bug::None));
    assert!(summary.schedules > 150, "{summary}");
}

#[test]
fn replicas_that_are_right_break_no_oracle() {
    let simulation = Simulation::new("two replicas").crd(&site::crd());
    // As above.
    let simulation = simulation.without_scenario(Scenario::Strangers);
    let simulation = simulation.without_scenario(Scenario::Namespaces);
    let summary = assert_right(replicas(simulation, Bug::None));
    assert!(summary.schedules > 250, "{summary}");
}

/// The search is cut off where its budget is spent.
#[test]
fn a_large_world_is_cut_off() {
    let summary = simulation(Bug::None)
        .workload(site::one())
        .exhaustive(2)
        .budget(Budget::Schedules(40))
        .explore()
        .unwrap();
    let exhaustion = summary.exhaustion.unwrap();
    assert!(!exhaustion.complete && exhaustion.states > 10, "{summary}");
}

/// A mutant, its description, and the oracles that may find it.
type Mutant = (Bug, &'static str, &'static [Oracle]);

const MUTANTS: &[Mutant] = &[
    (
        Bug::HalfDone,
        "if the Deployment exists, the operator assumes that nothing is left to do",
        &[EndState, History],
    ),
    (
        Bug::DeleteByName,
        "the operator deletes an object by name, without checking its uid",
        &[Preconditions],
    ),
    (
        Bug::EdgeTriggered,
        "the operator acts only on changes that this process has seen",
        &[EndState, History],
    ),
    (
        Bug::NoOwner,
        "a child has no owner reference",
        &[OwnerReferences],
    ),
    (
        Bug::IgnoredError,
        "the operator ignores a failed create, and records the generation as observed",
        &[EndState, Counts, History],
    ),
    (
        Bug::NotIdempotent,
        "the operator records a generated name only after the create",
        &[Counts, Deletion, EndState, History],
    ),
    (
        Bug::StatusFlaps,
        "the status counts reconciles",
        &[Rest, Idempotence, Requests],
    ),
    (
        Bug::StaleRead,
        "the operator decides from its cache whether a child exists",
        &[Counts, EndState, Deletion, History],
    ),
    (
        Bug::MissedDelete,
        "the operator cleans up on the deletion event, without a finalizer",
        &[Deletion, Counts, EndState],
    ),
    (
        Bug::FinalizerTooEarly,
        "the operator removes its finalizer before the cleanup",
        &[Deletion, Counts, EndState],
    ),
    (
        Bug::ConflictSwallowed,
        "the operator treats a conflict as success",
        &[EndState, History],
    ),
    (
        Bug::TwoLeaders,
        "a replica keeps working after it has lost the lease",
        &[Leader],
    ),
    (
        Bug::LeakOnRename,
        "after a child is renamed, the old one stays",
        &[History, EndState],
    ),
    (
        Bug::OnlyCreated,
        "the operator never changes an existing child",
        &[History],
    ),
    (
        Bug::HotLoop,
        "each reconcile requeues itself",
        &[Requests, Rest],
    ),
    (
        Bug::Rewrites,
        "each reconcile writes the time",
        &[Rest, Idempotence, Requests],
    ),
    (
        Bug::Panics,
        "the operator expects its cache to contain an object that it has just created",
        &[Panics],
    ),
];

/// Further mutants, which one kind of faults alone shows.
const ONE_FAULT: &[(Bug, FaultKind)] = &[
    (Bug::SeesChange, FaultKind::Merge),
    (Bug::ActsOnEvents, FaultKind::Double),
    (Bug::WallClock, FaultKind::Skew),
    (Bug::RemembersStatus, FaultKind::LateEffect),
    (Bug::Impatient, FaultKind::Stall),
    (Bug::ListsAny, FaultKind::StaleReconnect),
];

/// Returns the simulation with these kinds of faults alone, without scenarios.
fn only(bug: Bug, kinds: &[FaultKind], budget: Budget) -> Simulation {
    let others = FaultKind::ALL.iter().filter(|it| !kinds.contains(it));
    let simulation = simulation(bug).budget(budget);
    let scenarios = Scenario::ALL.iter();
    let simulation = scenarios.fold(simulation, |all, it| all.without_scenario(*it));
    others.fold(simulation, |all, it| all.without_fault(*it))
}

/// With this kind alone, the mutant is found; without any, it is not.
#[test]
fn each_of_these_faults_shows_an_error_that_no_other_schedule_has() {
    for (bug, kind) in ONE_FAULT {
        let found = only(*bug, &[*kind], Budget::Schedules(400)).explore();
        let found = match found {
            Err(found) => found,
            Ok(summary) => panic!("{bug:?} is not found by {kind:?}: {summary}"),
        };
        eprintln!("{bug:?}: {:?}, {} schedules", found.oracle, found.schedules);
        assert_eq!(found.schedule.decisions[0].fault.kind(), *kind, "{found}");
        if let Err(found) = only(*bug, &[], Budget::Schedules(4)).explore() {
            panic!("{bug:?} without {kind:?}: {found}");
        }
    }
}

/// Informers that begin with a streaming list have no pages.
#[test]
fn informers_survive_pages_that_expire() {
    let tried = |bug| {
        let simulation = only(bug, &[FaultKind::ExpirePage], Budget::Coverage(0));
        let summary = simulation.explore();
        let summary = summary.unwrap_or_else(|found| panic!("{found}"));
        assert!(summary.missed.is_empty(), "{summary}: {:?}", summary.missed);
        summary.kinds
    };
    assert_eq!((tried(Bug::None), tried(Bug::NoneInPages)), (0, 3));
}

/// Each mutant is found with the default budget. With `KUBE_CODEGEN_ACCEPT=1`, the result is written to the table of
/// docs/simulation.md.
#[test]
fn every_mutant_is_found() {
    let table = find();
    if env::var_os("KUBE_CODEGEN_ACCEPT").is_some() {
        write(&table);
    }
}

/// Finds each mutant by an oracle that fits, and returns the rows of a table.
fn find() -> String {
    let (mut table, mut missed) = (String::new(), Vec::new());
    for (bug, description, oracles) in MUTANTS {
        let begin = Instant::now();
        let found = match simulation(*bug).budget(Budget::Coverage(100)).explore() {
            Err(found) => found,
            Ok(summary) => {
                missed.push(format!("{bug:?} was not found: {summary}"));
                continue;
            }
        };
        eprintln!("{found}");
        let (oracle, schedules) = (found.oracle, found.schedules);
        let faults = match found.schedule.decisions.as_slice() {
            [] if found.schedule.hurry.is_empty() => "none".to_owned(),
            [] => "the user does not wait".to_owned(),
            decisions => {
                let names = decisions.iter().map(|decision| decision.fault.to_string());
                names.collect::<Vec<_>>().join("; ")
            }
        };
        let row = format!("| {description} | `{oracle:?}` | {schedules} | {faults} |\n");
        let seconds = begin.elapsed().as_secs_f64();
        eprint!("{seconds:>7.2} s {row}");
        table.push_str(&row);
        if !oracles.contains(&oracle) {
            missed.push(format!(
                "{bug:?} was found by {oracle:?}: {}",
                found.message
            ));
        }
    }
    assert!(missed.is_empty(), "{missed:#?}");
    table
}

/// Replaces the table in the docs.
fn write(table: &str) {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/simulation.md");
    let docs = fs::read_to_string(path).unwrap();
    let (before, rest) = docs.split_once("<!-- mutants -->\n").unwrap();
    let (_, after) = rest.split_once("<!-- end -->").unwrap();
    let head = "| Error in the operator | Oracle | Schedules | Faults of the smallest schedule |\n|---|---|---|---|\n";
    let docs = format!("{before}<!-- mutants -->\n{head}{table}\n<!-- end -->{after}");
    fs::write(path, docs).unwrap();
}

#[test]
fn runs_are_repeatable() {
    assert_repeatable(|| simulation(Bug::None));
}
