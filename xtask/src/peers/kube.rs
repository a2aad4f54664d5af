//! The tests of kube that need a cluster, from the packages that this workspace uses.
use super::server::Server;
use super::{Outcome, Result};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

const PACKAGES: [&str; 3] = ["kube", "kube-client", "kube-runtime"];
const FEATURES: &str = "kube/derive,kube/runtime,kube/ws,kube/kubelet-debug,kube/unstable-client,kube-client/ring,kube-client/rustls-tls,\
                        kube-client/ws,kube-client/kubelet-debug,kube-client/jsonpatch,kube-client/unstable-client";

/// Tests that fail on a control plane without kubelets, because they need containers that run.
const KUBELETS: [&str; 3] = [
    "can_get_pod_logs_and_evict",
    "pod_can_exec_and_write_to_stdin",
    "pod_can_exec_and_write_to_stdin_from_node_proxy",
];

/// Compiles the tests, and returns their programs.
pub(super) fn compile(folder: &Path) -> Result<Vec<PathBuf>> {
    let folder = folder.join("kube");
    workspace(&folder)?;
    let output = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
        .args([
            "test",
            "--no-run",
            "--lib",
            "--workspace",
            "--message-format=json",
        ])
        .args(["--features", FEATURES])
        .current_dir(&folder)
        .env("CARGO_TARGET_DIR", folder.join("target"))
        // The version of this workspace clashes with that of the tests.
        .env("K8S_OPENAPI_ENABLED_VERSION", "")
        .env("CARGO_PROFILE_TEST_DEBUG", "0")
        .env("CARGO_PROFILE_DEV_DEBUG", "0")
        .stderr(Stdio::inherit())
        .output()?;
    if !output.status.success() {
        return Err("the tests of kube do not compile".into());
    }
    let messages = String::from_utf8_lossy(&output.stdout);
    let messages = messages
        .lines()
        .filter_map(|line| serde_json::from_str(line).ok());
    let programs = messages.filter_map(|message: Value| {
        let is_test = message["profile"]["test"] == true;
        let program = message["executable"].as_str().filter(|_| is_test)?;
        Some(program.into())
    });
    Ok(programs.collect())
}

/// Creates a workspace of the packages, in which each has the others as dependencies.
fn workspace(folder: &Path) -> Result<()> {
    let metadata = crate::cargo(&["metadata", "--format-version=1"]).output()?;
    let metadata: Value = serde_json::from_slice(&metadata.stdout)?;
    let mut patches = String::new();
    for name in PACKAGES {
        let all = metadata["packages"].as_array().into_iter().flatten();
        let found = all.clone().find(|it| it["name"] == name);
        let manifest = found.and_then(|it| it["manifest_path"].as_str());
        let manifest = manifest.ok_or_else(|| format!("this workspace does not use {name}"))?;
        let from = Path::new(manifest).parent().unwrap_or(Path::new("."));
        let to = folder.join(name);
        copy(from, &to)?;
        if name != "kube" {
            // The package omits it, since it has no version.
            let mut text = fs::read_to_string(to.join("Cargo.toml"))?;
            text += "\n[dev-dependencies.kube]\npath = \"../kube\"\n";
            text +=
                "features = [\"client\", \"derive\", \"runtime\", \"unstable-client\", \"ws\"]\n";
            fs::write(to.join("Cargo.toml"), text)?;
        }
        patches += &[name, " = { path = \"", name, "\" }\n"].concat();
    }
    let members = PACKAGES.map(|name| format!("{name:?}")).join(", ");
    let text = format!(
        "[workspace]\nresolver = \"3\"\nmembers = [{members}]\n\n[patch.crates-io]\n{patches}"
    );
    fs::write(folder.join("Cargo.toml"), text)?;
    // The versions of this workspace, as far as they fit.
    fs::copy(crate::root().join("Cargo.lock"), folder.join("Cargo.lock"))?;
    Ok(())
}

/// Copies a folder. Files that are equal stay as they are, so that cargo does not compile them again.
fn copy(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let to = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy(&entry.path(), &to)?;
        } else {
            let bytes = fs::read(entry.path())?;
            if fs::read(&to).ok().as_ref() != Some(&bytes) {
                fs::write(&to, bytes)?;
            }
        }
    }
    Ok(())
}

/// Runs the tests that need a cluster, but for those that need kubelets.
pub(super) fn run(programs: &[PathBuf], folder: &Path, is_real: bool) -> Result<Outcome> {
    let mut outcome = Outcome::default();
    let server = Server::start(folder, is_real, true)?;
    let start = Instant::now();
    for program in programs {
        let mut command = Command::new(program);
        command.args(["--ignored", "--test-threads=1"]);
        for test in KUBELETS {
            command.args(["--skip", test]);
        }
        let output = command.env("KUBECONFIG", &server.kubeconfig).output()?;
        let text = String::from_utf8_lossy(&output.stdout);
        for line in text.lines() {
            match line
                .strip_prefix("test ")
                .and_then(|it| it.split_once(" ... "))
            {
                Some((_, "ok")) => outcome.passed += 1,
                Some((name, "FAILED")) => outcome.failed.push(name.to_owned()),
                _ => {}
            }
        }
        if !output.status.success() {
            fs::write(program.with_extension("log"), &*text)?;
            eprintln!("see {}", program.with_extension("log").display());
        }
    }
    outcome.time = start.elapsed();
    Ok(outcome)
}
