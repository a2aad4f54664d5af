//! Operators as processes on a real control plane, with the permissions of their `deploy/rbac.yaml` alone.
use std::{ffi::OsStr, iter, path::Path, process::Command, time::Duration};

use kube_codegen_testenv::{ControlPlane, Error, Process, eventually};
use tokio::{sync::OnceCell, task::spawn_blocking};

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

/// Runs a target of the Makefile in the directory of an operator. On failure, returns the output.
pub async fn make(plane: &ControlPlane, directory: &Path, target: &str) -> Result<(), String> {
    let kubectl = plane.kubectl_command();
    let words = iter::once(kubectl.get_program()).chain(kubectl.get_args());
    let words: Vec<_> = words.map(OsStr::to_string_lossy).collect();
    let mut command = Command::new("make");
    command
        .current_dir(directory)
        .args([target, "IMG=registry.example.com/operator:v1"])
        .arg(format!("KUBECTL={}", words.join(" ")))
        .env("KUBECONFIG", plane.kubeconfig());
    let output = spawn_blocking(move || command.output()).await;
    let output = output.map_err(|error| error.to_string())?;
    let output = output.map_err(|error| error.to_string())?;
    if output.status.success() {
        return Ok(());
    }
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    Err(format!("make {target}: {out}{err}"))
}

/// Returns the objects of `deploy/` in the directory of an operator that exist in the cluster.
pub async fn installed(plane: &ControlPlane, directory: &Path) -> Result<Vec<String>, Error> {
    let manifests = directory.join("deploy");
    let path = manifests.to_str().unwrap();
    let args = ["get", "-k", path, "--ignore-not-found", "-o", "name"];
    let names = plane.kubectl(args).await?;
    Ok(names.lines().map(str::to_owned).collect())
}
