//! Cleans up the processes and files of a control plane once the test process ends, however that happens.

use std::{
    env, fs,
    io::Write as _,
    os::unix::{fs::PermissionsExt as _, process::CommandExt as _},
    path::{Path, PathBuf},
    process::{Child, ChildStdin, Command, Stdio},
    sync::{Arc, Mutex, Once, PoisonError, Weak},
};

use crate::{assets::Program, error::Error, recording::Recording};

/// A shell process that outlives this process just long enough to clean up.
///
/// It notices the end of this process when the kernel closes its standard input, also after SIGKILL. All processes of the
/// control plane join its process group, so that signals from the terminal do not reach them first.
#[derive(Debug)]
pub(crate) struct Reaper {
    shell: Mutex<Child>,
    pipe: Mutex<Option<ChildStdin>>,
    group: u32,
    folder: PathBuf,
    logs: PathBuf,
    recording: Recording,
}

impl Reaper {
    /// Creates the folder of a control plane, with `logs` in it, and the process that removes it.
    pub(crate) fn start() -> Result<Arc<Self>, Error> {
        Self::with(|_| {})
    }

    /// Does the same for an external cluster, from which it deletes namespaces.
    pub(crate) fn for_external(kubectl: &Program, kubeconfig: &Path) -> Result<Arc<Self>, Error> {
        Self::with(|shell| {
            shell.args(&kubectl.0).env("KUBECONFIG", kubeconfig);
        })
    }

    fn with(more: impl FnOnce(&mut Command)) -> Result<Arc<Self>, Error> {
        let folder = tempfile::Builder::new()
            .prefix("kube-codegen-testenv-")
            // Keys and kubeconfigs are in it.
            .permissions(fs::Permissions::from_mode(0o700))
            .tempdir()
            .map_err(Error::io("temporary folder"))?;
        fs::create_dir(folder.path().join("logs")).map_err(Error::io("log folder"))?;
        let name = folder.path().file_name().unwrap_or_default();
        let logs = env::var_os("KUBE_CODEGEN_E2E_LOGS")
            .map_or_else(
                || env::temp_dir().join("kube-codegen-testenv-logs"),
                PathBuf::from,
            )
            .join(name);
        let mut shell = Command::new("sh");
        shell
            .args(["-c", include_str!("reaper.sh"), "reaper"])
            .args([folder.path(), &logs])
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .process_group(0);
        more(&mut shell);
        let mut shell = shell.spawn().map_err(Error::io("sh"))?;
        let this = Arc::new(Self {
            pipe: Mutex::new(shell.stdin.take()),
            group: shell.id(),
            shell: Mutex::new(shell),
            recording: Recording::new(folder.path().join("logs")),
            folder: folder.keep(),
            logs,
        });
        watch_for_panics(Arc::downgrade(&this));
        Ok(this)
    }

    /// Returns the folder that will be removed.
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Returns the log file of a process; a failed test keeps the logs.
    pub(crate) fn log(&self, name: &str) -> PathBuf {
        self.folder.join("logs").join(name).with_extension("log")
    }

    /// Returns the process group that every process must join.
    pub(crate) fn group(&self) -> i32 {
        self.group.cast_signed()
    }

    /// Registers a process.
    pub(crate) fn add(&self, pid: u32) {
        self.send(&format!("add {pid}\n"));
    }

    /// Removes a process that has been waited for, since its ID may be reused.
    pub(crate) fn forget(&self, pid: u32) {
        self.send(&format!("forget {pid}\n"));
    }

    /// Registers a namespace of an external cluster for deletion.
    pub(crate) fn delete_namespace(&self, name: &str) {
        self.send(&format!("namespace {name}\n"));
    }

    /// Returns the record of the control plane.
    pub(crate) fn recording(&self) -> &Recording {
        &self.recording
    }

    /// Keeps the logs and returns their future folder.
    pub(crate) fn keep_logs(&self) -> &Path {
        self.send("keep\n");
        &self.logs
    }

    /// Keeps the logs, draws what happened beside them, and prints where both will be. `failure` says why.
    fn report(&self, failure: &str) {
        let logs = self.keep_logs().display();
        if let Some(picture) = self.recording.draw(failure) {
            eprintln!(
                "a picture of the run will be {}",
                self.logs.join(picture).display()
            );
        }
        eprintln!("the control plane's logs will be in {logs}");
    }

    fn send(&self, line: &str) {
        if let Some(pipe) = self
            .pipe
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .as_mut()
        {
            // It fails only if the shell was killed; then `Drop` cleans up.
            let _ = pipe.write_all(line.as_bytes());
        }
    }
}

impl Drop for Reaper {
    fn drop(&mut self) {
        drop(
            self.pipe
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .take(),
        );
        let _ = self
            .shell
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .wait();
        let _ = fs::remove_dir_all(&self.folder);
    }
}

static REAPERS: Mutex<Vec<Weak<Reaper>>> = Mutex::new(Vec::new());

/// Keeps the logs of all control planes after a failure, and prints where.
pub(crate) fn keep_all_logs(failure: &str) {
    for reaper in REAPERS
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .iter()
        .filter_map(Weak::upgrade)
    {
        reaper.report(failure);
    }
}

/// Keeps the logs when a test panics. A hook also runs where `Drop` does not, as for a `static`.
fn watch_for_panics(reaper: Weak<Reaper>) {
    static HOOK: Once = Once::new();
    let mut reapers = REAPERS.lock().unwrap_or_else(PoisonError::into_inner);
    reapers.retain(|other| other.strong_count() > 0);
    reapers.push(reaper);
    HOOK.call_once(|| {
        let previous = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            previous(panic);
            keep_all_logs(&panic.to_string());
        }));
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sleeper() -> Child {
        Command::new("sleep").arg("1000").spawn().unwrap()
    }

    #[test]
    fn registered_processes_are_killed_and_forgotten_ones_are_not() {
        let reaper = Reaper::start().unwrap();
        let (mut ours, mut others) = (sleeper(), sleeper());
        // Forgetting an unknown process, or one twice, changes nothing.
        for (added, pid) in [
            (true, others.id()),
            (true, ours.id()),
            (false, 1),
            (false, others.id()),
            (false, others.id()),
        ] {
            if added {
                reaper.add(pid);
            } else {
                reaper.forget(pid);
            }
        }
        let folder = reaper.folder().to_owned();
        drop(reaper);
        assert_eq!(others.try_wait().unwrap(), None);
        others.kill().unwrap();
        assert!(!ours.wait().unwrap().success() && !folder.exists());
        others.wait().unwrap();
    }
}
