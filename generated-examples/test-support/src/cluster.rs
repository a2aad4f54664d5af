//! Operators as processes on a real control plane, with the rights of their `deploy/rbac.yaml` alone.
use std::{process::Command, time::Duration};

use kube_codegen_testenv::{ControlPlane, Error, Process, eventually};
use tokio::sync::OnceCell;

/// The limit of every wait; enough for a loaded machine.
pub const WITHIN: Duration = Duration::from_secs(90);

/// Returns the control plane that all tests share, with the manifests of the operator applied once. On `None` the test has been
/// reported as skipped.
pub async fn shared(manifests: &[&str]) -> Result<Option<&'static ControlPlane>, Error> {
    static INSTALLED: OnceCell<()> = OnceCell::const_new();
    let Some(plane) = ControlPlane::shared().await? else {
        return Ok(None);
    };
    INSTALLED
        .get_or_try_init(|| plane.install(manifests))
        .await?;
    Ok(Some(plane))
}

/// Starts the program of the operator `name` under its own account.
pub async fn operator(
    plane: &ControlPlane,
    name: &str,
    program: &str,
    flags: &[&str],
) -> Result<Process, Error> {
    let kubeconfig = plane.kubeconfig_for(name, name).await?;
    let mut command = Command::new(program);
    command
        .arg("--kubeconfig")
        .arg(kubeconfig)
        // Several operators run at the same time.
        .arg("--health-probe-bind-address=0")
        .args(flags);
    plane.spawn(name, command)
}

/// Waits until the log of a process contains `part`.
pub async fn logged(process: &Process, part: &str) -> Result<(), Error> {
    eventually(&format!("{part:?} in the log"), WITHIN, async || {
        let log = process.log();
        if log.contains(part) { Ok(()) } else { Err(log) }
    })
    .await
}
