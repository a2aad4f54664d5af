//! The schedule of a failure is kept in a file, which is a regression test as long as it fits the simulation.

use std::{env, fs, path::PathBuf, process::Command, sync::LazyLock};

use kube_codegen_simulation::Oracle;
use serde_json::Value;

use super::{CHILD, world};

/// Finds the error of the operator, and writes its schedule as `Simulation::run` does.
#[test]
#[ignore = "run by other tests"]
fn fails() {
    if env::var_os(CHILD).is_some() {
        world(true, &["a", "b"]).run();
    }
}

#[test]
#[ignore = "run by other tests"]
fn passes() {
    if env::var_os(CHILD).is_some() {
        world(false, &["a"]).run();
    }
}

/// Runs an ignored test of this program in a new directory; returns the directory and the output.
fn run_in(name: &str, which: &str, replay: Option<&str>) -> (PathBuf, String, bool) {
    let directory = env::temp_dir().join(format!("simulation-{name}-{}", std::process::id()));
    fs::create_dir_all(&directory).unwrap();
    let mut command = Command::new(env::current_exe().unwrap());
    command
        .current_dir(&directory)
        .args(["--exact", "--ignored", which])
        .env(CHILD, "1");
    if let Some(file) = replay {
        command.env("SIMULATE_REPLAY", file);
    }
    let output = command.output().unwrap();
    let printed = [output.stdout, output.stderr].concat();
    let printed = String::from_utf8(printed).unwrap();
    (directory, printed, output.status.success())
}

/// The file of the failure. All tests share it, since the search takes a second.
static FAILURE: LazyLock<PathBuf> = LazyLock::new(|| {
    let (directory, output, _) = run_in("kept", "kept::fails", None);
    let (_, file) = output.split_once("SIMULATE_REPLAY=").unwrap();
    let (file, command) = file.split_once(' ').unwrap();
    assert!(command.starts_with("cargo test"), "{output}");
    assert!(command.contains("kept::fails"), "{output}");
    directory.join(file)
});

/// Returns a copy of the file of the failure, with changes of its text.
fn kept(name: &str, changes: &[(&str, &str)]) -> PathBuf {
    let folder = env::temp_dir().join(format!("simulation-{name}-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    for file in fs::read_dir(FAILURE.parent().unwrap()).unwrap() {
        let file = file.unwrap();
        fs::copy(file.path(), folder.join(file.file_name())).unwrap();
    }
    let file = folder.join(FAILURE.file_name().unwrap());
    let mut text = fs::read_to_string(&file).unwrap();
    for (from, to) in changes {
        assert!(text.contains(from), "{text}");
        text = text.replace(from, to);
    }
    fs::write(&file, text).unwrap();
    file
}

#[test]
fn a_kept_schedule_fails_again_in_another_process() {
    let file = kept("again", &[]);
    let found = world(true, &["a", "b"]).replay(&file).unwrap_err();
    assert_eq!(found.oracle, Oracle::EndState, "{found}");
    let summary = world(false, &["a", "b"]).replay(&file).unwrap();
    assert_eq!((summary.schedules, summary.covered), (1, 1));
    let report = file.with_extension("timeline.json");
    let report: Value = serde_json::from_str(&fs::read_to_string(report).unwrap()).unwrap();
    assert_eq!(report["oracle"], "endState");
    let kinds = |kind: &str| {
        let timeline = report["timeline"].as_array().unwrap().iter();
        timeline.filter(|entry| entry["kind"] == kind).count()
    };
    assert_eq!(kinds("fault"), 1, "{report:#}");
    assert!(kinds("request") > 1 && kinds("phase") > 0, "{report:#}");
    let picture = fs::read_to_string(file.with_extension("html")).unwrap();
    assert!(picture.contains("step fault"), "{picture}");
    fs::remove_dir_all(file.parent().unwrap()).unwrap();
}

#[test]
#[should_panic(
    expected = "the workload \"other maps\" does not exist any more; the workloads are maps"
)]
fn a_kept_schedule_whose_workload_is_gone_fails() {
    let file = kept("workload", &[("\"maps\"", "\"other maps\"")]);
    let _ = world(true, &["a", "b"]).replay(file);
}

#[test]
#[should_panic(expected = "the operator no longer reaches patch services")]
fn a_kept_schedule_whose_point_is_gone_fails() {
    let file = kept("point", &[("\"configmaps\"", "\"services\"")]);
    let _ = world(true, &["a", "b"]).replay(file);
}

#[test]
fn other_simulations_ignore_a_kept_schedule() {
    let file = kept("other", &[("\"labels\"", "\"other\"")]);
    let (_, output, success) = run_in("other", "kept::passes", file.to_str());
    assert!(success, "{output}");
    assert!(
        output.contains("labels: SIMULATE_REPLAY belongs to another simulation"),
        "{output}"
    );
}

#[test]
#[should_panic(expected = "belongs to another simulation")]
fn a_regression_test_has_the_schedule_of_its_own_simulation() {
    let file = kept("regression", &[("\"labels\"", "\"other\"")]);
    let _ = world(true, &["a", "b"]).replay(file);
}
