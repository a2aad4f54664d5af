//! In: the processes of one control plane. Out: none of them, and no file, once the test process is gone. Never relies on `Drop` being run.

use std::{
    env, fs,
    io::Write as _,
    os::unix::process::CommandExt as _,
    path::{Path, PathBuf},
    process::{Child, ChildStdin, Command, Stdio},
    sync::{Arc, Mutex, Once, PoisonError, Weak},
};

use crate::{component::Program, error::Error};

/// A small shell process in a process group of its own that outlives this one just long enough to clean up after it.
///
/// It learns of our end by its standard input, which the kernel closes also after SIGKILL. All processes of the
/// control plane join its group, so that a signal from the terminal does not reach them before it.
#[derive(Debug)]
pub(crate) struct Reaper {
    shell: Mutex<Child>,
    pipe: Mutex<Option<ChildStdin>>,
    group: u32,
    folder: PathBuf,
    logs: PathBuf,
}

impl Reaper {
    /// Makes a folder for one control plane, with `logs` in it, and the process that will remove it.
    pub(crate) fn start() -> Result<Arc<Self>, Error> {
        Self::with(|_| {})
    }

    /// The same for a cluster that stays, from which namespaces are to be deleted.
    pub(crate) fn of_foreign(kubectl: &Program, kubeconfig: &Path) -> Result<Arc<Self>, Error> {
        Self::with(|shell| {
            shell.args(&kubectl.0).env("KUBECONFIG", kubeconfig);
        })
    }

    fn with(more: impl FnOnce(&mut Command)) -> Result<Arc<Self>, Error> {
        let folder = tempfile::Builder::new()
            .prefix("kube-codegen-testenv-")
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
            folder: folder.keep(),
            logs,
        });
        watch_for_panics(Arc::downgrade(&this));
        Ok(this)
    }

    /// The folder that will be removed.
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// The log file of a process; it is what survives a failed test.
    pub(crate) fn log(&self, name: &str) -> PathBuf {
        self.folder.join("logs").join(name).with_extension("log")
    }

    /// The process group that everything has to join.
    pub(crate) fn group(&self) -> i32 {
        self.group.cast_signed()
    }

    /// Takes charge of a process.
    pub(crate) fn add(&self, pid: u32) {
        self.tell(&format!("add {pid}\n"));
    }

    /// The process has been waited for: its number may soon be another's.
    pub(crate) fn forget(&self, pid: u32) {
        self.tell(&format!("forget {pid}\n"));
    }

    /// Takes charge of a namespace in a cluster that is not ours.
    pub(crate) fn delete_namespace(&self, name: &str) {
        self.tell(&format!("namespace {name}\n"));
    }

    /// Lets the logs survive; says where they will be.
    pub(crate) fn keep_logs(&self) -> &Path {
        self.tell("keep\n");
        &self.logs
    }

    fn tell(&self, line: &str) {
        if let Some(pipe) = self
            .pipe
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .as_mut()
        {
            // It fails only when somebody killed the shell; then `Drop` is left to clean up.
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

/// Lets the logs of all control planes survive, and says so: a test has failed.
pub(crate) fn keep_all_logs() {
    for reaper in REAPERS
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .iter()
        .filter_map(Weak::upgrade)
    {
        eprintln!(
            "the control plane's logs will be in {}",
            reaper.keep_logs().display()
        );
    }
}

/// A failed test is one that panicked: the hook hears of it even where no `Drop` runs, as in a `static`.
fn watch_for_panics(reaper: Weak<Reaper>) {
    static HOOK: Once = Once::new();
    let mut reapers = REAPERS.lock().unwrap_or_else(PoisonError::into_inner);
    reapers.retain(|other| other.strong_count() > 0);
    reapers.push(reaper);
    HOOK.call_once(|| {
        let previous = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            previous(panic);
            keep_all_logs();
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
    fn what_was_added_is_ended_and_what_was_forgotten_is_not() {
        let reaper = Reaper::start().unwrap();
        let (mut ours, mut others) = (sleeper(), sleeper());
        // Numbers that it never heard of, or that were forgotten before, change nothing.
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
