//! What was not tried is seen where a test passes, and fails it where all single faults are required.

use std::{env, process::Command};

use kube_codegen_simulation::Budget;

use super::{CHILD, world};

#[test]
#[ignore = "run by other tests"]
fn few_schedules() {
    if env::var_os(CHILD).is_some() {
        world(false, &["a"]).budget(Budget::Schedules(3)).run();
    }
}

#[test]
#[ignore = "run by other tests"]
fn coverage() {
    if env::var_os(CHILD).is_some() {
        world(false, &["a"]).budget(Budget::Coverage(10)).run();
    }
}

/// Returns the output of an ignored test of this program, and whether it has passed.
fn run(which: &str, require: bool) -> (String, bool) {
    let mut command = Command::new(env::current_exe().unwrap());
    command
        .args(["--exact", "--ignored", which])
        .env(CHILD, "1")
        .env_remove("SIMULATE_REQUIRE");
    if require {
        command.env("SIMULATE_REQUIRE", "singles");
    }
    let output = command.output().unwrap();
    let printed = [output.stdout, output.stderr].concat();
    (String::from_utf8(printed).unwrap(), output.status.success())
}

#[test]
fn what_was_not_tried_is_seen_where_the_test_passes() {
    let (output, passes) = run("budget::few_schedules", false);
    assert!(passes, "{output}");
    assert!(output.contains("labels: warning: "), "{output}");
    assert!(output.contains("single faults were not tried"), "{output}");
    let (output, passes) = run("budget::few_schedules", true);
    assert!(!passes, "{output}");
    assert!(output.contains("single faults were not tried"), "{output}");
}

#[test]
fn the_coverage_does_not_depend_on_the_machine() {
    let (output, passes) = run("budget::coverage", true);
    assert!(passes, "{output}");
    assert!(output.contains("each of "), "{output}");
    assert!(!output.contains("warning"), "{output}");
    let summary = world(false, &["a"])
        .budget(Budget::Coverage(10))
        .explore()
        .unwrap();
    assert!(summary.missed.is_empty(), "{summary}");
    assert!(summary.schedules >= summary.kinds as u64 + 10, "{summary}");
}
