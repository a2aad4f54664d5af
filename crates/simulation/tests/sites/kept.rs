//! Schedules that an earlier build has found fail in each later build, with the same oracle.
//!
//! `KUBE_CODEGEN_ACCEPT=1` looks for them again: where the requests of the operator have changed, a fault may have no place any more.

use std::{
    env, fs,
    panic::catch_unwind,
    path::{Path, PathBuf},
};

use kube_codegen_simulation::{Budget, Oracle};

use super::{bug::Bug, simulation};

/// Found by faults alone: by another client, and by a crash.
const KEPT: &[Bug] = &[
    Bug::EdgeTriggered,
    Bug::FinalizerTooEarly,
    Bug::ConflictSwallowed,
];

#[test]
fn schedules_that_another_build_has_found_fail_again() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/sites/kept");
    for bug in KEPT.iter().copied() {
        let file = folder.join(format!("{bug:?}.json"));
        if env::var_os("KUBE_CODEGEN_ACCEPT").is_some() {
            fs::rename(find(bug), &file).unwrap();
        }
        let found = simulation(bug).replay(&file).unwrap_err();
        assert_eq!(found.oracle, Oracle::EndState, "{found}");
        assert!(!found.schedule.decisions.is_empty(), "{found}");
    }
}

/// Finds the error, and returns the file with its schedule.
fn find(bug: Bug) -> PathBuf {
    let run = || simulation(bug).budget(Budget::Schedules(3_000)).run();
    assert!(catch_unwind(run).is_err(), "{bug:?} is not found");
    let name = format!("sites-with-{bug:?}-");
    let files = fs::read_dir("simulate/failures").unwrap();
    let files = files.map(|file| file.unwrap().path());
    let mut schedules = files.filter(|file| {
        let file = file.file_name().unwrap().to_string_lossy();
        file.starts_with(&name) && !file.contains("timeline")
    });
    schedules.next().unwrap()
}
