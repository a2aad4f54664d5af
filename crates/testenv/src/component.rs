//! Starts the components of a control plane, and kills, restarts, pauses and resumes them.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use futures::future::BoxFuture;

use crate::{assets::Program, error::Error, process::Process, reaper::Reaper, wait::eventually};

/// A start usually takes seconds; this allows for a loaded machine.
const READY_WITHIN: Duration = Duration::from_secs(120);

/// Checks whether the component is ready; the error states the reason if not.
pub(crate) type Probe = Box<dyn Fn() -> BoxFuture<'static, Result<(), String>> + Send + Sync>;

/// A process of the control plane that a test can kill, restart and pause.
///
/// ```no_run
/// # use kube_codegen_testenv::{ControlPlane, Error};
/// # async fn outage(plane: &ControlPlane) -> Result<(), Error> {
/// plane.api_server()?.kill();
/// // ... the operator loses its watches ...
/// plane.api_server()?.restart().await?;
/// # Ok(()) }
/// ```
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

    /// Waits until it reports ready.
    ///
    /// # Errors
    /// If it exits, or is not ready in time.
    pub async fn ready(&self) -> Result<(), Error> {
        let mut ended = None;
        let ready = eventually(
            &format!("{} ready", self.name),
            READY_WITHIN,
            async || match self.process().exit_error() {
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

    /// Kills it with SIGKILL and waits for its end.
    pub fn kill(&self) {
        self.process().kill();
    }

    /// Kills it if it runs, starts it again with the same port and data, and waits until it is ready.
    pub async fn restart(&self) -> Result<(), Error> {
        self.kill();
        let process = launch(self.name, &self.program, &self.args, &self.reaper)?;
        *self.process.lock().unwrap_or_else(PoisonError::into_inner) = Arc::new(process);
        self.ready().await
    }

    /// Pauses it with SIGSTOP: connections stay open without answers.
    pub fn pause(&self) -> Result<(), Error> {
        self.process().pause()
    }

    /// Resumes it with SIGCONT.
    pub fn resume(&self) -> Result<(), Error> {
        self.process().resume()
    }

    /// Returns everything it has logged, also before a restart.
    pub fn log(&self) -> String {
        self.process().log()
    }

    /// Returns its current process.
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
