//! What the tests of the examples share: an operator in this process, its log, and one as a process on a control plane.
#![allow(
    clippy::missing_panics_doc,
    clippy::unwrap_used,
    clippy::panic,
    reason = "only tests use it"
)]
pub mod cluster;

use std::{
    io::{self, Write},
    sync::{Arc, Mutex},
    time::Duration,
};

use clap::Parser;
use kube_codegen_runtime::manager::{Manager, ManagerArgs};
use kube_codegen_testing::{ApiServer, User};
use tokio::{
    sync::oneshot,
    task::JoinHandle,
    time::{sleep, timeout},
};
use tracing::subscriber::{DefaultGuard, NoSubscriber, set_default, set_global_default};

/// The limit of every wait. Under a paused clock, it takes no time.
const PATIENCE: Duration = Duration::from_secs(60);

/// An operator in this process. Dropping it stops it.
#[derive(Debug)]
pub struct Operator {
    stop: oneshot::Sender<()>,
    task: JoinHandle<()>,
}

impl Operator {
    /// Starts a manager with the flags of a program and with what `register` adds.
    pub fn start(
        server: &ApiServer,
        name: &str,
        flags: &[&str],
        register: impl FnOnce(&mut Manager),
    ) -> Self {
        #[derive(Parser)]
        struct Args {
            #[command(flatten)]
            manager: ManagerArgs,
        }
        let args = Args::parse_from([&[name, "--health-probe-bind-address=0"], flags].concat());
        // Its requests are those of its account; other requests are steps of the test.
        let client = server.client_as(User::account(name, name));
        let builder = Manager::builder(client, name);
        let mut manager = args.manager.apply(builder).build().unwrap();
        register(&mut manager);
        let (stop, stopped) = oneshot::channel();
        let running = manager.run(async { drop(stopped.await) });
        let task = tokio::spawn(async { running.await.unwrap() });
        Self { stop, task }
    }

    /// Stops the operator and waits until it has finished.
    pub async fn stop(self) {
        drop(self.stop);
        timeout(PATIENCE, self.task).await.unwrap().unwrap();
    }
}

/// Waits for a state of the server.
pub async fn until<T>(
    server: &ApiServer,
    what: &str,
    check: impl FnMut(&ApiServer) -> Option<T>,
) -> T {
    timeout(PATIENCE, server.until(check))
        .await
        .unwrap_or_else(|_| panic!("timeout: {what}"))
}

/// The log of this thread, to which the operators in a test on one thread write.
#[derive(Clone, Debug, Default)]
pub struct Log(Arc<Mutex<Vec<u8>>>);

impl Log {
    /// Captures the log until the guard is dropped.
    pub fn capture() -> (Self, DefaultGuard) {
        let log = Self::default();
        let writer = log.clone();
        let subscriber = tracing_subscriber::fmt()
            .with_ansi(false)
            .with_writer(move || writer.clone())
            .finish();
        // As long as a process has one subscriber alone, tracing asks the thread that first comes to a place in the code
        // whether anyone is interested in it, and keeps the answer: the thread of another test says no. The second one
        // makes it ask all subscribers.
        let _ = set_global_default(NoSubscriber::new());
        (log, set_default(subscriber))
    }

    /// Returns the lines that contain `part`.
    pub fn lines(&self, part: &str) -> Vec<String> {
        let text = String::from_utf8_lossy(&self.0.lock().unwrap()).into_owned();
        let lines = text.lines().filter(|line| line.contains(part));
        lines.map(str::to_owned).collect()
    }

    /// Waits until `count` lines contain `part`.
    pub async fn wait(&self, count: usize, part: &str) {
        let logged = async {
            while self.lines(part).len() < count {
                sleep(Duration::from_millis(10)).await;
            }
        };
        let all = || self.lines("").join("\n");
        timeout(PATIENCE, logged)
            .await
            .unwrap_or_else(|_| panic!("{count} times {part:?} in\n{}", all()));
    }
}

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
