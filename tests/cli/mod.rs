//! Tests the command line: transcripts in `*.md`, and what a transcript cannot show.
//!
//! `TRYCMD=overwrite cargo test --test generator cli::` accepts the current output.
#![allow(clippy::panic, clippy::unwrap_used)]

mod add;
mod catalogues;
mod chart;
mod client_crate;
mod deploy;
mod dev;
mod diff;
mod examples;
mod generate;
mod inputs;
mod links;
mod memory;
mod new;
mod rbac;
mod terminal;
mod update;
mod workflow;

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    process::{Command, Output},
    sync::atomic::{AtomicUsize, Ordering},
};

use tempfile::TempDir;

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

const CRDKIND: &str = include_str!("../../fixtures/crdkind.yaml");

#[test]
fn transcripts() {
    // A transcript that is overwritten has no path of this machine.
    let crates = fs::canonicalize(Path::new(ROOT).join("crates")).unwrap();
    let crates = crates.display().to_string();
    let cases = trycmd::TestCases::new();
    cases.insert_var("[CRATES]", crates).unwrap();
    cases.case("tests/cli/*.md");
}

fn kube_codegen(directory: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kube-codegen"));
    command.current_dir(directory);
    command
}

fn run(directory: &Path, args: &[&str]) -> Output {
    kube_codegen(directory).args(args).output().unwrap()
}

/// Runs a command that has to succeed, and returns its output.
fn succeed(directory: &Path, args: &[&str]) -> String {
    let output = run(directory, args);
    assert!(
        output.status.success(),
        "{}{}",
        stdout(&output),
        stderr(&output)
    );
    stdout(&output)
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

/// Returns a directory with a file `crd.yaml`.
fn directory(crds: &str) -> TempDir {
    let directory = TempDir::new().unwrap();
    fs::write(directory.path().join("crd.yaml"), crds).unwrap();
    directory
}

/// Returns the paths of all files below a directory, except build artifacts and git's.
fn paths(root: &Path) -> Vec<PathBuf> {
    let mut paths = Vec::new();
    let mut pending = vec![root.to_owned()];
    while let Some(directory) = pending.pop() {
        for entry in fs::read_dir(directory).unwrap() {
            let path = entry.unwrap().path();
            if !path.is_dir() {
                paths.push(path);
            } else if !path.ends_with("target") && !path.ends_with(".git") {
                pending.push(path);
            }
        }
    }
    paths.sort();
    paths
}

/// Returns the texts of all files below a directory, by relative path.
fn files(root: &Path) -> BTreeMap<String, String> {
    let relative = |path: &Path| path.strip_prefix(root).unwrap().display().to_string();
    let paths = paths(root);
    paths
        .iter()
        .map(|path| (relative(path), fs::read_to_string(path).unwrap()))
        .collect()
}

/// Runs cargo in a scaffolded package, with the dependency versions of this repository.
fn cargo(package: &Path, args: &[&str]) -> String {
    let mut command = in_package(env!("CARGO"), package);
    let output = command.args(args).output().unwrap();
    let (out, err) = (stdout(&output), stderr(&output));
    assert!(output.status.success(), "{args:?}: {out}{err}");
    out
}

/// Runs targets of the Makefile in a scaffolded package, and returns the output; on failure, as an error.
fn make(package: &Path, targets: &[&str]) -> Result<String, String> {
    let mut command = in_package("make", package);
    let tool = format!("KUBE_CODEGEN={}", env!("CARGO_BIN_EXE_kube-codegen"));
    // The lock file of this repository lacks the new package, whose own one a CI runner would insist on.
    let output = command.arg(tool).args(targets).env_remove("CI").output();
    let output = output.unwrap();
    let text = format!("{}{}", stdout(&output), stderr(&output));
    if output.status.success() {
        Ok(text)
    } else {
        Err(text)
    }
}

/// Returns a command in a scaffolded package that builds with the dependency versions of this repository.
fn in_package(program: &str, package: &Path) -> Command {
    static PACKAGES: AtomicUsize = AtomicUsize::new(1);
    let lock = Path::new(ROOT).join("Cargo.lock");
    fs::copy(lock, package.join("Cargo.lock")).unwrap();
    // All packages share the compiled dependencies. Cargo takes two of one name and version for the same one, wherever
    // they are, and would run the tests of the other.
    let manifest = package.join("Cargo.toml");
    let text = fs::read_to_string(&manifest).unwrap();
    if text.contains("\nversion = \"0.1.0\"\n") {
        let version = PACKAGES.fetch_add(1, Ordering::Relaxed);
        fs::write(
            &manifest,
            text.replacen("0.1.0", &format!("0.1.{version}"), 1),
        )
        .unwrap();
    }
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("packages");
    let mut command = Command::new(program);
    command
        .current_dir(package)
        .env("CARGO_TARGET_DIR", target)
        // Each package has programs of its own, which take gigabytes with debug information.
        .env("CARGO_PROFILE_DEV_DEBUG", "false")
        .env("CARGO_INCREMENTAL", "0")
        .env("RUSTDOCFLAGS", "-D warnings")
        .env_remove("K8S_OPENAPI_ENABLED_VERSION");
    command
}
