//! In: how a component is started and asked whether it is ready. Out: switches to kill, restart, pause and resume it.

use std::{
    ffi::OsString,
    path::PathBuf,
    process::Command,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use futures::future::BoxFuture;

use crate::{error::Error, process::Process, reaper::Reaper, wait::eventually};

/// Long enough for a start on a loaded machine of two cores; seconds are usual.
const READY_WITHIN: Duration = Duration::from_secs(120);

/// A program and the arguments that choose the tool in it.
#[derive(Clone, Debug)]
pub(crate) struct Program(pub(crate) Vec<OsString>);

impl Program {
    pub(crate) fn path(&self) -> PathBuf {
        self.0.first().map(PathBuf::from).unwrap_or_default()
    }

    pub(crate) fn command(&self) -> Command {
        let mut words = self.0.iter();
        let mut command = Command::new(words.next().cloned().unwrap_or_default());
        command.args(words);
        command
    }
}

/// Asks whether the component is ready; the error says why not.
pub(crate) type Probe = Box<dyn Fn() -> BoxFuture<'static, Result<(), String>> + Send + Sync>;

/// A part of the control plane, with its fault switches.
pub struct Component {
    name: &'static str,
    program: Program,
    args: Vec<String>,
    probe: Probe,
    reaper: Arc<Reaper>,
    process: Mutex<Arc<Process>>,
}

impl Component {
    pub(crate) fn start(
        name: &'static str,
        program: &Program,
        args: Vec<String>,
        probe: Probe,
        reaper: &Arc<Reaper>,
    ) -> Result<Self, Error> {
        let process = Mutex::new(Arc::new(launch(name, program, &args, reaper)?));
        Ok(Self {
            name,
            program: program.clone(),
            args,
            probe,
            reaper: Arc::clone(reaper),
            process,
        })
    }

    /// Waits until it answers that it is ready; an error if it ends instead.
    pub async fn ready(&self) -> Result<(), Error> {
        let mut ended = None;
        let ready = eventually(
            &format!("{} ready", self.name),
            READY_WITHIN,
            async || match self.process().failure() {
                Some(error) => {
                    ended = Some(error);
                    Ok(())
                }
                None => (self.probe)().await,
            },
        )
        .await;
        ended.map_or(ready, Err)
    }

    /// SIGKILL, as if the machine had failed. Returns when it is gone.
    pub fn kill(&self) {
        self.process().kill();
    }

    /// Starts it again on the same port with the same data, killing it first if it runs. Returns when it is ready.
    pub async fn restart(&self) -> Result<(), Error> {
        self.kill();
        let process = launch(self.name, &self.program, &self.args, &self.reaper)?;
        *self.process.lock().unwrap_or_else(PoisonError::into_inner) = Arc::new(process);
        self.ready().await
    }

    /// SIGSTOP: its connections stay open, and nothing answers on them.
    pub fn pause(&self) -> Result<(), Error> {
        self.process().pause()
    }

    /// SIGCONT.
    pub fn resume(&self) -> Result<(), Error> {
        self.process().resume()
    }

    /// All that it wrote so far, restarts included.
    pub fn log(&self) -> String {
        self.process().log()
    }

    /// The process of its present life.
    pub fn process(&self) -> Arc<Process> {
        Arc::clone(&self.process.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

fn launch(
    name: &str,
    program: &Program,
    args: &[String],
    reaper: &Arc<Reaper>,
) -> Result<Process, Error> {
    let mut command = program.command();
    command.args(args).current_dir(reaper.folder());
    Process::start(name, command, reaper)
}
