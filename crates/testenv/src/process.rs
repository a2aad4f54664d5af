//! Runs a process in the control plane's process group, with its log in a file.

use std::{
    fs::{self, File},
    os::unix::process::CommandExt as _,
    path::PathBuf,
    process::{Child, Command, ExitStatus, Stdio},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use rustix::{
    io::Errno,
    process::{Pid, Signal, WaitId, WaitIdOptions, kill_process, waitid},
};

use crate::{error::Error, reaper::Reaper, wait::eventually};

/// A running process, such as the operator under test. Dropping it kills it.
///
/// ```no_run
/// # use std::{process::Command, time::Duration};
/// # use kube_codegen_testenv::{ControlPlane, Error};
/// # async fn stops(plane: &ControlPlane) -> Result<(), Error> {
/// let operator = plane.spawn("operator", Command::new("target/debug/my-operator"))?;
/// let status = operator.terminate(Duration::from_secs(10)).await?;
/// assert!(status.success(), "{}", operator.log());
/// # Ok(()) }
/// ```
#[derive(Debug)]
pub struct Process {
    name: String,
    child: Mutex<Child>,
    log: PathBuf,
    reaper: Arc<Reaper>,
}

impl Process {
    /// Starts `command` in the process group of `reaper`; its output is appended to the log `name`.
    pub(crate) fn start(
        name: &str,
        mut command: Command,
        reaper: &Arc<Reaper>,
    ) -> Result<Self, Error> {
        let log = reaper.log(name);
        let out = File::options()
            .create(true)
            .append(true)
            .open(&log)
            .map_err(Error::io(format!("log of {name}")))?;
        let err = out
            .try_clone()
            .map_err(Error::io(format!("log of {name}")))?;
        let child = command
            .stdin(Stdio::null())
            .stdout(out)
            .stderr(err)
            .process_group(reaper.group())
            .spawn()
            .map_err(Error::io(format!(
                "start of {name} ({})",
                command.get_program().display()
            )))?;
        reaper.add(child.id());
        reaper.recording().process(name, "starts", false);
        Ok(Self {
            name: name.to_owned(),
            child: Mutex::new(child),
            log,
            reaper: Arc::clone(reaper),
        })
    }

    /// Returns the process ID.
    pub fn id(&self) -> u32 {
        self.lock().id()
    }

    /// Returns the output so far, including that of earlier processes with this name.
    pub fn log(&self) -> String {
        fs::read(&self.log)
            .map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
            .unwrap_or_default()
    }

    /// Returns its exit status if it has exited.
    pub fn exit_status(&self) -> Option<ExitStatus> {
        let mut child = self.lock();
        let id = child.id();
        let status = child.try_wait().ok().flatten();
        if let Some(status) = status {
            self.reaper.forget(id);
            let text = format!("has ended ({status})");
            self.reaper
                .recording()
                .process(&self.name, text, !status.success());
        }
        status
    }

    /// Returns an error with the end of the log if it has exited.
    pub(crate) fn exit_error(&self) -> Option<Error> {
        let status = self.exit_status()?;
        let log = self.log();
        let lines: Vec<_> = log.lines().collect();
        let log = lines[lines.len().saturating_sub(30)..].join("\n");
        Some(Error::Exited {
            name: self.name.clone(),
            status,
            log,
        })
    }

    /// Kills it with SIGKILL and waits for its end; does nothing if it has exited.
    pub fn kill(&self) {
        let mut child = self.lock();
        if matches!(child.try_wait(), Ok(None)) {
            self.reaper
                .recording()
                .process(&self.name, "is killed", true);
        }
        let _ = child.kill();
        let _ = child.wait();
        self.reaper.forget(child.id());
    }

    /// Sends SIGTERM and waits for its end. After `within` the result is [`Error::Timeout`], and the process still runs.
    pub async fn terminate(&self, within: Duration) -> Result<ExitStatus, Error> {
        self.signal(Signal::TERM)?;
        self.wait(within).await
    }

    /// Waits until it exits.
    pub async fn wait(&self, within: Duration) -> Result<ExitStatus, Error> {
        eventually(&format!("exit of {}", self.name), within, async || {
            self.exit_status().ok_or("still running")
        })
        .await
    }

    /// Pauses it with SIGSTOP and waits until all threads have stopped. Its connections stay open without answers.
    pub fn pause(&self) -> Result<(), Error> {
        self.signal(Signal::STOP)?;
        self.reaper
            .recording()
            .process(&self.name, "is paused", true);
        // The signal is asynchronous. If the process exits instead, a later wait reports that.
        let pid = Pid::from_child(&self.lock());
        let changes = WaitIdOptions::STOPPED | WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
        while let Err(error) = waitid(WaitId::Pid(pid), changes) {
            if error != Errno::INTR {
                return Err(Error::io(format!("pause of {}", self.name))(error.into()));
            }
        }
        Ok(())
    }

    /// Resumes it with SIGCONT.
    pub fn resume(&self) -> Result<(), Error> {
        self.reaper
            .recording()
            .process(&self.name, "goes on", false);
        self.signal(Signal::CONT)
    }

    /// Sends a signal, unless the process was waited for: its ID may have been reused.
    fn signal(&self, signal: Signal) -> Result<(), Error> {
        let mut child = self.lock();
        if let Ok(Some(_)) = child.try_wait() {
            return Ok(());
        }
        kill_process(Pid::from_child(&child), signal)
            .map_err(|e| Error::io(format!("signal to {}", self.name))(e.into()))
    }

    fn lock(&self) -> MutexGuard<'_, Child> {
        self.child.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
    }
}
