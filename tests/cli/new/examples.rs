//! The operators in `generated-examples/` keep what `kube-codegen new` promises for theirs.
use std::{
    env,
    path::{Path, PathBuf},
    process::Command,
};

use serde_json::Value;
use tempfile::TempDir;

use crate::{
    cargo,
    cli::{ROOT, examples, run, stderr, succeed},
};

/// Returns the test programs of the examples, as the tests of the workspace build them.
fn programs() -> Vec<(String, PathBuf)> {
    let args = [
        "test",
        "--workspace",
        "--all-features",
        "--no-run",
        "--message-format=json",
        "--test=operator",
    ];
    let output = cargo().current_dir(ROOT).args(args).output();
    let output = output.unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
    let text = String::from_utf8(output.stdout).unwrap();
    let messages = text.lines().filter_map(|line| {
        let message: Value = serde_json::from_str(line).ok()?;
        // The operators themselves are built, too.
        if message["profile"]["test"] != true {
            return None;
        }
        let program = message["executable"].as_str()?.into();
        let manifest = Path::new(message["manifest_path"].as_str()?);
        let package = manifest.parent()?.file_name()?.to_str()?.to_owned();
        Some((package, program))
    });
    messages.collect()
}

/// `KUBE_CODEGEN_ACCEPT=1` writes the rights.
#[test]
#[ignore = "runs the tests and simulations of all examples: takes minutes"]
fn the_rights_of_each_example_are_those_that_its_tests_use() {
    let programs = programs();
    let accepts = env::var_os("KUBE_CODEGEN_ACCEPT").is_some();
    let logs = TempDir::new().unwrap();
    for example in examples::names() {
        let directory = Path::new(ROOT).join("generated-examples").join(example);
        let log = logs.path().join(example);
        let mut ran = 0;
        for (_, program) in programs.iter().filter(|(package, _)| package == example) {
            let status = Command::new(program)
                .current_dir(&directory)
                .arg("--quiet")
                .env("KUBE_CODEGEN_REQUESTS", &log)
                .env("KUBE_CODEGEN_E2E", "off")
                // The same requests on any machine.
                .env("SIMULATE_BUDGET", "150")
                .status();
            assert!(status.unwrap().success(), "{}", program.display());
            ran += 1;
        }
        assert_eq!(ran, 1, "{example}");
        let requests = format!("--requests={}", log.display());
        if accepts {
            succeed(
                &directory,
                &["rbac", "--write", "--page=docs/permissions.md", &requests],
            );
        }
        let output = run(
            &directory,
            &["rbac", "--check", "--page=docs/permissions.md", &requests],
        );
        assert!(output.status.success(), "{example}: {}", stderr(&output));
    }
}
