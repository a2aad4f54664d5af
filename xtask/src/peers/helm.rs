//! Helm: a new chart is installed, tested, upgraded, rolled back and uninstalled. Go compiles it from its module.
use super::languages::{has, succeed};
use super::server::Server;
use super::{Outcome, Result};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

const MODULE: &str = "helm.sh/helm/v3/cmd/helm@v3.22.0";

/// Compiles Helm, or returns none if Go is missing.
pub(super) fn compile(folder: &Path) -> Result<Option<PathBuf>> {
    let program = folder.join("helm");
    if program.exists() {
        return Ok(Some(program));
    }
    if !has("go", "helm") {
        return Ok(None);
    }
    let mut command = Command::new("go");
    command.args(["install", "-trimpath", "-ldflags=-s -w", MODULE]);
    succeed(command.env("GOBIN", folder).env("GOWORK", "off"))?;
    Ok(Some(program))
}

pub(super) fn run(program: &Path, folder: &Path, is_real: bool) -> Result<Outcome> {
    let charts = folder.join("charts");
    if charts.exists() {
        fs::remove_dir_all(&charts)?;
    }
    fs::create_dir_all(&charts)?;
    let server = Server::start(folder, is_real, true)?;
    let mut steps: Vec<&[&str]> = vec![
        &["create", "peer"],
        &["install", "peer", "./peer"],
        &["status", "peer"],
        &["list"],
        &["upgrade", "peer", "./peer", "--set", "replicaCount=2"],
        &["rollback", "peer", "1"],
        &["history", "peer"],
        &["get", "manifest", "peer"],
        &["uninstall", "peer", "--wait", "--timeout", "60s"],
    ];
    if !is_real {
        // A real control plane has no kubelet that would run the Pods.
        steps[1] = &["install", "peer", "./peer", "--wait", "--timeout", "60s"];
        steps.insert(2, &["test", "peer", "--timeout", "60s"]);
    }
    let start = Instant::now();
    let mut outcome = Outcome::default();
    for step in steps {
        let mut command = Command::new(program);
        command.args(step).current_dir(&charts);
        let output = command.env("KUBECONFIG", &server.kubeconfig).output()?;
        if output.status.success() {
            outcome.passed += 1;
        } else {
            let why = String::from_utf8_lossy(&output.stderr);
            let name = step.join(" ");
            outcome.failed.push(format!("{name}: {}", why.trim()));
        }
    }
    outcome.time = start.elapsed();
    Ok(outcome)
}
