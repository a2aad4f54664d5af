//! The operator as a child process with a process group of its own.

use std::{
    ffi::OsString,
    io,
    path::{Path, PathBuf},
    pin::Pin,
    process::{ExitCode, ExitStatus, Stdio},
    time::{Duration, SystemTime},
};

use serde_json::Value;
use tokio::{
    io::AsyncRead,
    process::{self, Command},
    task::{JoinSet, spawn_blocking},
    time::timeout,
};

use crate::{lines, view::View};

/// How long the operator has to end gracefully.
const GRACE: Duration = Duration::from_secs(10);

/// How long the output of an ended operator is waited for: a child of it may keep the pipe open.
const REST: Duration = Duration::from_secs(1);

/// The placeholder for the replica's number in the arguments of a command.
const REPLICA: &str = "{replica}";

pub(super) struct Child {
    process: process::Child,
    output: JoinSet<()>,
    /// Ends the operator if this process is killed.
    #[cfg(unix)]
    _guard: Option<process::Child>,
}

impl Child {
    /// Starts a replica, by its number from 1 on.
    pub(super) fn start(
        replica: usize,
        command: &[String],
        directory: &Path,
        kubeconfig: &Path,
        view: &View,
    ) -> Result<Self, String> {
        let marks = view.history().is_some().then(marks);
        let Some((program, args)) = command.split_first() else {
            return Err("the command is empty".to_owned());
        };
        // A path is relative to the caller's directory, as in a shell.
        let path = match Path::new(program).components().count() {
            0 | 1 => PathBuf::from(program),
            _ => std::path::absolute(program)
                .map_err(|error| format!("cannot run {program}: {error}"))?,
        };
        let args = args.iter();
        let mut command = Command::new(path);
        command
            .args(args.map(|arg| arg.replace(REPLICA, &replica.to_string())))
            .current_dir(directory)
            .env("KUBECONFIG", kubeconfig)
            // Proxies in the environment cannot reach this machine.
            .env("NO_PROXY", "127.0.0.1")
            .env("no_proxy", "127.0.0.1")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true)
            .envs(marks.map(|marks| ("RUST_LOG", marks)));
        #[cfg(unix)]
        command.process_group(0);
        let mut child = command.spawn().map_err(|error| not_run(program, &error))?;
        let mut output = JoinSet::new();
        if let Some(out) = child.stdout.take() {
            output.spawn(print(replica, out, view.clone()));
        }
        if let Some(err) = child.stderr.take() {
            output.spawn(print(replica, err, view.clone()));
        }
        Ok(Self {
            #[cfg(unix)]
            _guard: child.id().and_then(guard),
            process: child,
            output,
        })
    }

    /// Waits for the end of the process.
    pub(super) async fn exit(&mut self) -> Result<ExitStatus, String> {
        let status = self
            .process
            .wait()
            .await
            .map_err(|error| format!("cannot wait for the operator: {error}"))?;
        let rest = async { while self.output.join_next().await.is_some() {} };
        let _cut_off = timeout(REST, rest).await;
        Ok(status)
    }

    /// Sends a signal to the process and its children; one that has ended gets none.
    #[cfg(unix)]
    fn signal(&self, signal: rustix::process::Signal) {
        let id = self.process.id().and_then(|id| i32::try_from(id).ok());
        if let Some(group) = id.and_then(rustix::process::Pid::from_raw) {
            // An error means that it has ended.
            let _ended = rustix::process::kill_process_group(group, signal);
        }
    }

    /// Stops the process and its children without their notice, or lets them go on.
    #[cfg(unix)]
    pub(super) fn set_paused(&self, paused: bool) {
        use rustix::process::Signal;
        self.signal(if paused { Signal::STOP } else { Signal::CONT });
    }

    /// Ends the process and its children, gracefully at first.
    pub(super) async fn stop(mut self) {
        #[cfg(unix)]
        {
            use rustix::process::Signal;
            self.signal(Signal::TERM);
            // A paused process would not notice.
            self.signal(Signal::CONT);
            if timeout(GRACE, self.process.wait()).await.is_ok() {
                return;
            }
            self.signal(Signal::KILL);
        }
        let _ended = timeout(GRACE, self.process.kill()).await;
    }
}

/// Returns a filter of logs with which the runtime marks the start and the end of each reconcile.
fn marks() -> String {
    let own = std::env::var("RUST_LOG").ok().filter(|it| !it.is_empty());
    let own = own.as_deref().unwrap_or("info");
    format!("{own},kube_codegen_runtime::controller::worker=debug")
}

/// Simulates the operator with the objects of a file at the start, and returns whether its test passes.
pub(super) async fn simulate(directory: &Path, state: &Path, view: &View) -> Result<bool, String> {
    // Where all tests are one program, the simulation is a module of it.
    let which: &[_] = if has_test_program(directory, "simulate").await? {
        &["--test", "simulate", "--"]
    } else {
        &["--tests", "--", "simulate::"]
    };
    let mut command = cargo(directory);
    command
        .arg("test")
        .args(which)
        .arg("--nocapture")
        .env("SIMULATE_STATE", state)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true);
    let failed = |error: std::io::Error| not_run("cargo", &error);
    let mut child = command.spawn().map_err(failed)?;
    let mut output = JoinSet::new();
    let pipes: [Option<Pin<Box<dyn AsyncRead + Send>>>; 2] = [
        child.stdout.take().map(|it| Box::pin(it) as _),
        child.stderr.take().map(|it| Box::pin(it) as _),
    ];
    for pipe in pipes.into_iter().flatten() {
        let view = view.clone();
        output.spawn(async move {
            lines::each(pipe, |line| view.simulation(line)).await;
        });
    }
    let status = child.wait().await.map_err(failed)?;
    while output.join_next().await.is_some() {}
    Ok(status.success())
}

/// Returns the newest picture of a failure that a simulation has written since a time.
pub(super) fn picture_since(directory: &Path, start: SystemTime) -> Option<PathBuf> {
    let failures = std::fs::read_dir(directory.join("simulate/failures")).ok()?;
    let pictures = failures.filter_map(|entry| {
        let path = entry.ok()?.path();
        let written = path.metadata().and_then(|it| it.modified()).ok()?;
        let is_picture = path.extension().is_some_and(|it| it == "html");
        (is_picture && written >= start).then_some((written, path))
    });
    pictures.max().map(|(_, path)| path)
}

/// Returns whether the package in a directory has a test program of this name.
async fn has_test_program(directory: &Path, name: &str) -> Result<bool, String> {
    let mut command = cargo(directory);
    command.args(["metadata", "--no-deps", "--format-version=1"]);
    command.stdin(Stdio::null()).kill_on_drop(true);
    let failed = |error: &dyn std::fmt::Display| format!("cannot run cargo metadata: {error}");
    let output = command.output().await;
    let output = output.map_err(|error| not_run("cargo", &error))?;
    if !output.status.success() {
        return Err(failed(&String::from_utf8_lossy(&output.stderr).trim()));
    }
    let metadata: Value = serde_json::from_slice(&output.stdout).map_err(|error| failed(&error))?;
    // The packages are those of the whole workspace.
    let packages = metadata["packages"].as_array().into_iter().flatten();
    let here = std::fs::canonicalize(directory.join("Cargo.toml")).ok();
    let package = packages.filter(|it| {
        let manifest = it["manifest_path"].as_str();
        manifest.and_then(|it| std::fs::canonicalize(it).ok()) == here
    });
    let mut targets = package.filter_map(|it| it["targets"].as_array()).flatten();
    Ok(targets.any(|it| it["kind"][0] == "test" && it["name"] == name))
}

/// Starts a shell that ends a process group once this process has ended, however that happens: the kernel then closes the shell's
/// standard input. Dropping the shell's handle ends the shell first.
#[cfg(unix)]
fn guard(group: u32) -> Option<process::Child> {
    const SCRIPT: &str = r#"while read -r line; do :; done
kill -s TERM -- "-$1" && sleep 5 && kill -s KILL -- "-$1""#;
    let mut shell = Command::new("sh");
    shell
        .args(["-c", SCRIPT, "kube-codegen-dev", &group.to_string()])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .process_group(0)
        .kill_on_drop(true);
    // Without a shell, the operator outlives a killed process.
    shell.spawn().ok()
}

/// Prints the lines of a replica.
async fn print(replica: usize, from: impl AsyncRead + Unpin, view: View) {
    lines::each(from, |line| view.operator(replica, line)).await;
}

/// Runs `cargo build`, with its progress unless `is_quiet`, and returns whether it succeeded.
pub(super) async fn build(directory: &Path, is_quiet: bool) -> Result<bool, String> {
    let mut command = cargo(directory);
    command.arg("build").args(is_quiet.then_some("--quiet"));
    run(command, "cargo").await
}

/// Returns a command of cargo in a directory.
fn cargo(directory: &Path) -> Command {
    let mut command = Command::new("cargo");
    command.current_dir(directory);
    // Under `cargo run`, cargo has set these for this program. The build script of ring would run again for them, and cargo would compile
    // whatever depends on it twice.
    for (name, _) in std::env::vars_os() {
        let text = name.to_string_lossy();
        if text.starts_with("CARGO_PKG_") || text.starts_with("CARGO_MANIFEST_") {
            command.env_remove(&name);
        }
    }
    command
}

/// Generates the code of the CRDs, by the kube-codegen.toml of the directory. Prints diagnostics.
pub(super) async fn generate(directory: &Path) -> Result<(), String> {
    let config = directory.join("kube-codegen.toml").into_os_string();
    let args = ["kube-codegen", "generate", "--config"].map(OsString::from);
    let command = move || kube_codegen::cli::run(args.into_iter().chain([config]));
    match spawn_blocking(command).await {
        Ok(code) if code == ExitCode::SUCCESS => Ok(()),
        Ok(_) => Err("the code was not generated".to_owned()),
        Err(error) => Err(format!("cannot generate: {error}")),
    }
}

async fn run(mut command: Command, name: &str) -> Result<bool, String> {
    command.stdin(Stdio::null()).kill_on_drop(true);
    let status = command.status().await;
    status
        .map(|status| status.success())
        .map_err(|error| not_run(name, &error))
}

/// Says why a program did not run, and what to install if it is missing.
fn not_run(program: &str, error: &io::Error) -> String {
    if error.kind() != io::ErrorKind::NotFound {
        return format!("cannot run {program}: {error}");
    }
    if program == "cargo" {
        return "cargo is not installed: install Rust with https://rustup.rs".to_owned();
    }
    match Path::new(program).components().count() {
        0 | 1 => format!("there is no program {program} in a directory of PATH"),
        _ => format!("there is no program {program}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn the_program_of_a_simulation_is_known() {
        let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../generated-examples");
        let operator = examples.join("crdkind-operator");
        assert_eq!(has_test_program(&operator, "operator").await, Ok(true));
        assert_eq!(has_test_program(&operator, "simulate").await, Ok(false));
        let error = has_test_program(Path::new("/"), "simulate").await;
        assert!(error.unwrap_err().contains("Cargo.toml"));
    }
}
