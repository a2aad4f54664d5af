//! A server for one run of a suite: a process that ends with its standard input.
use super::Result;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// The first start of a real control plane builds it.
const PATIENCE: Duration = Duration::from_secs(30 * 60);

pub(super) struct Server {
    process: Child,
    pub(super) kubeconfig: PathBuf,
}

/// Builds the program that serves.
pub(super) fn build() -> Result<()> {
    let status = crate::cargo(&["build", "--package", "kube-codegen-conformance"]).status()?;
    if status.success() {
        Ok(())
    } else {
        Err("the server does not compile".into())
    }
}

impl Server {
    /// Starts a server and waits until it serves.
    pub(super) fn start(folder: &Path, is_real: bool, has_controllers: bool) -> Result<Self> {
        let kubeconfig = folder.join("kubeconfig");
        if kubeconfig.exists() {
            fs::remove_file(&kubeconfig)?;
        }
        let mut command = Command::new(crate::target().join("debug/kube-codegen-conformance"));
        command.arg("serve");
        if is_real {
            command.arg("--real");
        }
        if has_controllers {
            command.arg("--controllers");
        }
        let mut process = command
            .arg(&kubeconfig)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .spawn()?;
        let start = Instant::now();
        while fs::read(&kubeconfig).unwrap_or_default().is_empty() {
            if let Some(status) = process.try_wait()? {
                return Err(format!("the server ended: {status}").into());
            }
            if start.elapsed() > PATIENCE {
                return Err("the server does not start".into());
            }
            sleep(Duration::from_millis(50));
        }
        Ok(Self {
            process,
            kubeconfig,
        })
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.process.stdin.take());
        // It has ended if this fails.
        let _ended = self.process.wait();
    }
}
