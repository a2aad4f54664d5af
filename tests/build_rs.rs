//! Checks the dependencies of the library without the command line, as build scripts use it.
use std::{collections::BTreeSet, process::Command};

/// Build scripts compile before everything else, so they must not wait for a command line, an HTTP stack or a runtime.
#[test]
fn the_library_has_few_dependencies() {
    let output = Command::new(env!("CARGO"))
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .args(["tree", "-p", "kube-codegen", "--no-default-features"])
        .args(["-e", "normal,build", "--prefix", "none", "--format", "{p}"])
        .args(["--offline", "--locked"])
        .output()
        .unwrap();
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{error}");
    let tree = String::from_utf8(output.stdout).unwrap();
    let lines = tree.lines();
    let crates: BTreeSet<&str> = lines.filter_map(|line| line.split(' ').next()).collect();
    assert!(crates.contains("kube-codegen") && crates.contains("syn"));
    for heavy in [
        "clap",
        "clap_builder",
        "tokio",
        "kube",
        "k8s-openapi",
        "minijinja",
        "toml",
        "hyper",
        "similar",
    ] {
        assert!(!crates.contains(heavy), "depends on {heavy}: {crates:?}");
    }
    assert!(crates.len() <= 50, "{} crates: {crates:?}", crates.len());
}
