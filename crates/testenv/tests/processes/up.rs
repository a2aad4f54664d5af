//! Starts control planes in other processes.

use std::{
    io::{BufRead as _, BufReader},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::Duration,
};

use kube_codegen_testenv::{ControlPlane, Error, skip};

pub(crate) const WITHIN: Duration = Duration::from_secs(60);

/// Returns the control plane; on `None`, none can be started here, and that has been reported.
pub(crate) async fn available() -> Result<Option<&'static ControlPlane>, Error> {
    let plane = ControlPlane::shared().await?;
    if plane.is_some_and(|plane| !plane.is_own()) {
        skip("the test starts its own control planes, but KUBE_CODEGEN_E2E_KUBECONFIG is set")?;
        return Ok(None);
    }
    Ok(plane)
}

/// Starts `control-plane up` and returns it with its folder. It ends with this process, however that ends.
pub(crate) fn up() -> (Child, PathBuf) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_control-plane"))
        .args(["up", "--until-eof"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap())
        .read_line(&mut line)
        .unwrap();
    let kubeconfig = line.trim().strip_prefix("export KUBECONFIG=").unwrap();
    (child, Path::new(kubeconfig).parent().unwrap().to_owned())
}

/// Returns a command that runs one of the ignored tests in its own process.
pub(crate) fn again(test: &str) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", test, "--ignored", "--nocapture"]);
    // A required control plane is not required of this test.
    command.env_remove("KUBE_CODEGEN_E2E");
    command
}
