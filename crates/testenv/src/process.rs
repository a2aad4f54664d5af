//! In: a command. Out: a process of the control plane's group with its log in a file. Never outlives the test process.

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
#[derive(Debug)]
pub struct Process {
    name: String,
    child: Mutex<Child>,
    log: PathBuf,
    reaper: Arc<Reaper>,
}

impl Process {
    /// Starts `command` in the group of `reaper`; what it prints is appended to the log called `name`.
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
        Ok(Self {
            name: name.to_owned(),
            child: Mutex::new(child),
            log,
            reaper: Arc::clone(reaper),
        })
    }

    /// The process's number.
    pub fn id(&self) -> u32 {
        self.lock().id()
    }

    /// All that it, and its predecessors of the same name, wrote to standard output and standard error.
    pub fn log(&self) -> String {
        fs::read(&self.log)
            .map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
            .unwrap_or_default()
    }

    /// How it ended, if it did.
    pub fn ended(&self) -> Option<ExitStatus> {
        let mut child = self.lock();
        let id = child.id();
        let ended = child.try_wait().ok().flatten();
        if ended.is_some() {
            self.reaper.forget(id);
        }
        ended
    }

    /// The error that says that it ended by itself, if it did.
    pub(crate) fn failure(&self) -> Option<Error> {
        let status = self.ended()?;
        let log = self.log();
        let lines: Vec<_> = log.lines().collect();
        let log = lines[lines.len().saturating_sub(30)..].join("\n");
        Some(Error::Ended {
            name: self.name.clone(),
            status,
            log,
        })
    }

    /// SIGKILL. Returns when the process is gone; one that is gone already is no error.
    pub fn kill(&self) {
        let mut child = self.lock();
        let _ = child.kill();
        let _ = child.wait();
        self.reaper.forget(child.id());
    }

    /// SIGTERM, then waits for the end. After `within` it is an [`Error::Timeout`], and the process still runs.
    pub async fn terminate(&self, within: Duration) -> Result<ExitStatus, Error> {
        self.signal(Signal::TERM)?;
        self.wait(within).await
    }

    /// Waits for it to end by itself.
    pub async fn wait(&self, within: Duration) -> Result<ExitStatus, Error> {
        eventually(&format!("the end of {}", self.name), within, async || {
            self.ended().ok_or("it runs")
        })
        .await
    }

    /// SIGSTOP: its connections stay open, and nothing answers on them. Returns when all its threads stand still.
    pub fn pause(&self) -> Result<(), Error> {
        self.signal(Signal::STOP)?;
        // The signal only asks. That it died instead is left to be found by who waits for it.
        let pid = Pid::from_child(&self.lock());
        let news = WaitIdOptions::STOPPED | WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
        while let Err(error) = waitid(WaitId::Pid(pid), news) {
            if error != Errno::INTR {
                return Err(Error::io(format!("pause of {}", self.name))(error.into()));
            }
        }
        Ok(())
    }

    /// SIGCONT.
    pub fn resume(&self) -> Result<(), Error> {
        self.signal(Signal::CONT)
    }

    /// To a process that was waited for no signal is sent: its number may be another's by now.
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
