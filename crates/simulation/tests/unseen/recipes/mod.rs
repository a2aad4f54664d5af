//! The ten recipes of the cookbook on kube's `Controller`, each with six mistakes that authors of operators make.
//!
//! A row has the phrase of the likely cause that leads its author to the line that is wrong. Where the report cannot tell, the row has the oracle alone: the
//! mistake is found, and its cause is not.

mod app;
mod members;
mod modes;
mod outside;
mod references;

use kube_codegen_simulation::{FaultKind, Found, Oracle, Scenario, Simulation};
use serde_json::{Value, json};

use super::crd;
use app::Machines;

/// A mistake, the oracle that finds it, and what the likely cause says; empty where it does not say what the mistake is.
type Row = (&'static str, Oracle, &'static str);

const SECRET: &[Row] = &[
    (
        "no watch of the Secret",
        Oracle::Idempotence,
        "does not watch secrets",
    ),
    (
        "the Secret is mapped by its own name",
        Oracle::Idempotence,
        "it is mapped to no object",
    ),
    (
        "the Secret is cached for ever",
        Oracle::Idempotence,
        "what the process keeps in memory decides",
    ),
    (
        "deletionTimestamp is not looked at",
        Oracle::History,
        "does not look at `metadata.deletionTimestamp`",
    ),
    (
        "the child is only created",
        Oracle::History,
        "sends nothing once it exists",
    ),
    (
        "quick retries",
        Oracle::Rest,
        "The error policy repeats a reconcile that fails every",
    ),
];

const COPY: &[Row] = &[
    (
        "only the own namespace is watched",
        Oracle::Idempotence,
        "does not watch configmaps in namespace team",
    ),
    (
        "the copy is kept",
        Oracle::History,
        "What was asked for earlier, by the spec or by an object that it names, is left",
    ),
    (
        "no owner reference",
        Oracle::OwnerReferences,
        "Set an owner reference when it is created",
    ),
    (
        "the copy is in the namespace of the source",
        Oracle::OwnerReferences,
        "the child is in another namespace than its owner",
    ),
    (
        "the permission is remembered",
        Oracle::Idempotence,
        "what the process keeps in memory decides",
    ),
    (
        "the copy is not watched",
        Oracle::EndState,
        "does not watch configmaps in namespace default",
    ),
];

const EXTERNAL: &[Row] = &[
    (
        "the finalizer comes off first",
        Oracle::EndState,
        "took the finalizer off too early",
    ),
    (
        "no finalizer",
        Oracle::Deletion,
        "is gone at once, since it has no finalizer",
    ),
    (
        "the number of the machine is noted later",
        Oracle::EndState,
        "machines machine-* is added twice",
    ),
    (
        "a machine that is gone is an error",
        Oracle::Deletion,
        "machines * was removed at",
    ),
    (
        "the machine is cached for ever",
        Oracle::Idempotence,
        "what the process keeps in memory decides",
    ),
    (
        "the status comes before the machine",
        Oracle::EndState,
        "when machines *1 was not written yet. The status makes the operator take as done",
    ),
];

const PERIODIC: &[Row] = &[
    (
        "the time is in memory",
        Oracle::Idempotence,
        "what the process keeps in memory decides",
    ),
    (
        "no period",
        Oracle::Rest,
        "Each reconcile writes something that differs",
    ),
    ("starts are counted", Oracle::Rest, "a counter"),
    (
        "the status is replaced without its version",
        Oracle::Rest,
        "send that with its resourceVersion",
    ),
    (
        "a reconcile returns before the status",
        Oracle::ObservedGeneration,
        "the reconcile returns before that",
    ),
    (
        "all objects have one time",
        Oracle::Eventually,
        "what the process keeps in memory decides",
    ),
];

const WAIT: &[Row] = &[
    (
        "children are not watched",
        Oracle::Idempotence,
        "does not watch deployments",
    ),
    (
        "a status has no generation of its own",
        Oracle::Idempotence,
        "a predicate on the generation",
    ),
    (
        "a reconcile waits in a loop",
        Oracle::Rest,
        "A reconcile does not end",
    ),
    (
        "a reconcile asks for the next one at once",
        Oracle::Rest,
        "requeues itself after a short time",
    ),
    (
        "deletionTimestamp is not looked at",
        Oracle::History,
        "does not look at `metadata.deletionTimestamp`",
    ),
    (
        "what was ready is not looked at",
        Oracle::EndState,
        "The status makes the operator take as done",
    ),
];

const ROLLING: &[Row] = &[
    (
        "the selector is too wide",
        Oracle::Requests,
        "also finds those of other objects",
    ),
    (
        "members that are too many stay",
        Oracle::History,
        "What was asked for earlier, by the spec or by an object that it names, is left",
    ),
    (
        "a delete has no precondition",
        Oracle::Preconditions,
        "as a precondition",
    ),
    (
        "the selector follows the image",
        Oracle::Rest,
        "That field cannot change",
    ),
    (
        "an error is ignored",
        Oracle::Idempotence,
        "the error was ignored",
    ),
    (
        "children are not watched",
        Oracle::Idempotence,
        "does not watch deployments",
    ),
];

const ADOPT: &[Row] = &[
    (
        "objects without an owner are not watched",
        Oracle::Idempotence,
        "it is mapped to no object",
    ),
    (
        "a foreign object is retried",
        Oracle::Requests,
        "Take AlreadyExists as done",
    ),
    (
        "no permission is asked for",
        Oracle::Strangers,
        "Look at its owner reference",
    ),
    (
        "no retry",
        Oracle::EndState,
        "the reconcile is not repeated",
    ),
    (
        "a conflict is taken as success",
        Oracle::EndState,
        "failed with 409",
    ),
    (
        "the child is only created",
        Oracle::History,
        "sends nothing once it exists",
    ),
];

const PAUSE: &[Row] = &[
    (
        "a pause comes before the deletion",
        Oracle::Deletion,
        "such as a pause or a guard on the status",
    ),
    (
        "a pause is remembered",
        Oracle::Idempotence,
        "what the process keeps in memory decides",
    ),
    (
        "a pause is not reported",
        Oracle::ObservedGeneration,
        "the reconcile returns before that",
    ),
    (
        "a pause is a guard in the status",
        Oracle::ObservedGeneration,
        "takes the status as right",
    ),
    (
        "a pause stops the Deployment for good",
        Oracle::History,
        "what the operator sends does not set that field",
    ),
    (
        "finalizers of others are replaced",
        Oracle::Metadata,
        "A merge patch of `metadata.finalizers`",
    ),
];

const DRY_RUN: &[Row] = &[
    (
        "a dry run leaves its copy",
        Oracle::History,
        "What was asked for earlier, by the spec or by an object that it names, is left",
    ),
    (
        "the plan grows",
        Oracle::Rest,
        "Each reconcile adds an entry to status.plan",
    ),
    (
        "the plan has the order of a map",
        Oracle::Rest,
        "or the same in another order",
    ),
    (
        "the plan is shown by polling",
        Oracle::Rest,
        "requeues itself after a short time",
    ),
    (
        "the plan stays",
        Oracle::History,
        "keeps what an earlier reconcile has written",
    ),
    (
        "the plan has a time",
        Oracle::History,
        "It comes from the time, a random number",
    ),
];

const SUMMARY: &[Row] = &[
    (
        "what becomes ready is added",
        Oracle::Idempotence,
        "adds to the former value",
    ),
    (
        "children of all are counted",
        Oracle::Idempotence,
        "finds the children of other objects",
    ),
    (
        "the generation of a child is reported",
        Oracle::ObservedGeneration,
        "that of a child",
    ),
    (
        "the status is written once",
        Oracle::EndState,
        "true for a moment only",
    ),
    (
        "a conflict of the status is taken as success",
        Oracle::EndState,
        "failed with 409",
    ),
    (
        "children are not watched",
        Oracle::Idempotence,
        "does not watch deployments",
    ),
];

/// Returns the simulation of a recipe with a mistake, or of the recipe as it is.
fn simulation(recipe: &str, bug: &'static str) -> Simulation {
    let image = || json!({"type": "string", "enum": ["one", "two"]});
    let spec = match recipe {
        "secret" => {
            json!({"image": image(), "secretName": {"type": "string", "enum": ["password"]}})
        }
        "rolling" | "summary" => {
            json!({"image": image(), "members": {"type": "integer", "minimum": 1, "maximum": 3}})
        }
        "copy" => json!({"from": {"type": "string", "enum": ["settings", "other"]}}),
        _ => json!({"image": image()}),
    };
    let mut app = crd("App", &spec);
    let optional = json!({"paused": {"type": "boolean"}, "dryRun": {"type": "boolean"}});
    let schema = &mut app["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"];
    if let (Value::Object(more), "pause" | "dry run") = (optional, recipe) {
        schema["properties"].as_object_mut().unwrap().extend(more);
    }
    let machines = Machines::default();
    let of_operator = machines.clone();
    let simulation = Simulation::new(&format!("{recipe}: {bug}"))
        .crd(&app)
        .threads(1);
    let simulation = match recipe {
        "adopt" => simulation,
        _ => simulation.without_scenario(Scenario::Strangers),
    };
    let start = move |client| (client, bug, of_operator.clone());
    match recipe {
        "secret" => simulation
            .operator(move |it| references::secret(start(it)))
            .prepare(|server| {
                let secret = json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "password", "namespace": "default"}, "data": {"key": "dmFsdWU="}});
                server.seed(&secret).unwrap();
            }),
        "copy" => simulation
            .operator(move |it| references::copy(start(it)))
            .prepare(|server| {
                for name in ["default", "team"] {
                    let namespace = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}});
                    server.seed(&namespace).unwrap();
                }
            })
            .workload(references::shared())
            .sample(&references::app(&json!({"from": "settings"}))),
        "external" => {
            let (read, restored) = (machines.clone(), machines);
            simulation
                .operator(move |it| outside::external(start(it)))
                .outside(
                    "machines",
                    move || read.lock().unwrap().clone(),
                    move |before| *restored.lock().unwrap() = before,
                )
        }
        "periodic" => match bug {
            // A field of which every value is right hides it.
            "no period" => simulation,
            _ => simulation.free("App", "status.last"),
        }
            .operator(move |it| outside::periodic(start(it)))
            .eventually("the last check is not older than the period", outside::is_recent),
        "wait" => simulation.operator(move |it| members::wait(start(it))),
        "rolling" => simulation.operator(move |it| members::rolling(start(it))),
        "summary" => simulation.operator(move |it| members::summary(start(it))),
        "adopt" => simulation
            .operator(move |it| references::adopt(start(it)))
            .workload(references::given_away())
            .sample(&references::app(&json!({"image": "one"}))),
        "pause" => simulation
            .operator(move |it| modes::pause(start(it)))
            .workload(modes::paused())
            // What others do to the child meanwhile stays as it is.
            .without_fault(FaultKind::Delete)
            .without_fault(FaultKind::Drift)
            .sample(&references::app(&json!({"image": "one"}))),
        "dry run" => simulation
            .operator(move |it| modes::dry_run(start(it)))
            .sample(&references::app(&json!({"image": "one"})))
            .workload(modes::tried())
            // What others do to the child meanwhile stays as it is.
            .without_fault(FaultKind::Delete)
            .without_fault(FaultKind::Drift),
        other => panic!("no recipe {other}"),
    }
}

/// Returns the likely cause in one line.
fn cause(found: &Found) -> String {
    let report = found.to_string();
    let cause = report.split_once("likely cause:").map(|(_, cause)| cause);
    cause
        .unwrap_or_default()
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
}

/// Finds each mistake with the default budget, and compares what its report says.
fn name_the_mistakes(recipe: &str, table: &[Row]) {
    let mut wrong = Vec::new();
    for (bug, oracle, expected) in table {
        let found = match simulation(recipe, bug).explore() {
            Err(found) => Some(found),
            Ok(summary) => summary.taken_over,
        };
        let Some(found) = found else {
            wrong.push(format!("{bug}: is not found"));
            continue;
        };
        eprintln!("## {recipe}: {bug}\n{found}");
        let said = cause(&found);
        // Memory and predicates are told apart.
        let is_vague = expected.ends_with("in memory decides") && said.contains("predicate");
        if found.oracle != *oracle || !said.contains(expected) || is_vague {
            let what = (found.oracle, &found.message);
            wrong.push(format!("{bug}: {what:?}: {said}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn secret() {
    name_the_mistakes("secret", SECRET);
}

#[test]
fn copy() {
    name_the_mistakes("copy", COPY);
}

#[test]
fn external() {
    name_the_mistakes("external", EXTERNAL);
}

#[test]
fn periodic() {
    name_the_mistakes("periodic", PERIODIC);
}

#[test]
fn wait() {
    name_the_mistakes("wait", WAIT);
}

#[test]
fn rolling() {
    name_the_mistakes("rolling", ROLLING);
}

#[test]
fn adopt() {
    name_the_mistakes("adopt", ADOPT);
}

#[test]
fn pause() {
    name_the_mistakes("pause", PAUSE);
}

#[test]
fn dry_run() {
    name_the_mistakes("dry run", DRY_RUN);
}

#[test]
fn summary() {
    name_the_mistakes("summary", SUMMARY);
}

#[test]
fn recipes_are_right() {
    for recipe in [
        "secret", "copy", "external", "wait", "rolling", "adopt", "pause", "dry run", "summary",
    ] {
        if let Err(found) = simulation(recipe, "").explore() {
            panic!("{recipe}: {found}");
        }
    }
}
