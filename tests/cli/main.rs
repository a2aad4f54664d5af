//! Tests the command line: transcripts in `*.md`, and what a transcript cannot show.
//!
//! `TRYCMD=overwrite cargo test --test cli` accepts the current output.
#![allow(clippy::panic, clippy::unwrap_used)]

mod chart;
mod client_crate;
#[path = "../common/mod.rs"]
mod common;
mod deploy;
#[cfg(feature = "dev")]
mod dev;
mod examples;
mod generate;
mod memory;
mod new;
mod rbac;
mod update;

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    process::{Command, Output},
};

use tempfile::TempDir;

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

const CRDKIND: &str = include_str!("../../fixtures/crdkind.yaml");

#[test]
fn transcripts() {
    trycmd::TestCases::new().case("tests/cli/*.md");
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

/// Returns the paths of all files below a directory, except build artifacts.
fn paths(root: &Path) -> Vec<PathBuf> {
    let mut paths = Vec::new();
    let mut pending = vec![root.to_owned()];
    while let Some(directory) = pending.pop() {
        for entry in fs::read_dir(directory).unwrap() {
            let path = entry.unwrap().path();
            if !path.is_dir() {
                paths.push(path);
            } else if !path.ends_with("target") {
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
    cargo_with(package, args, &[])
}

/// Like [`cargo`], with environment variables.
fn cargo_with(package: &Path, args: &[&str], variables: &[(&str, &Path)]) -> String {
    fs::copy(
        Path::new(ROOT).join("Cargo.lock"),
        package.join("Cargo.lock"),
    )
    .unwrap();
    let output = Command::new(env!("CARGO"))
        .current_dir(package)
        .args(args)
        .env(
            "CARGO_TARGET_DIR",
            Path::new(env!("CARGO_TARGET_TMPDIR")).join("packages"),
        )
        .env("RUSTDOCFLAGS", "-D warnings")
        .env_remove("K8S_OPENAPI_ENABLED_VERSION")
        .envs(variables.iter().copied())
        .output()
        .unwrap();
    assert!(output.status.success(), "{args:?}: {}", stderr(&output));
    stdout(&output)
}
