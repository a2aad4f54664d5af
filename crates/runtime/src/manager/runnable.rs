//! What a manager runs, and the groups that start and stop together.
use std::{collections::BTreeMap, fmt, panic::AssertUnwindSafe};

use futures::future::{BoxFuture, FutureExt};
use tokio::{
    sync::mpsc::UnboundedSender,
    task::{Id, JoinSet},
    time::{Duration, Instant, timeout, timeout_at},
};
use tokio_util::sync::CancellationToken;
use tower::BoxError;

use super::ManagerError;
use crate::panics;

/// How long aborted tasks may take to end, and tasks that are asked to stop after the deadline.
const ABORT: Duration = Duration::from_secs(1);

type Start = Box<dyn FnOnce(CancellationToken) -> BoxFuture<'static, Result<(), BoxError>> + Send>;

/// A part of a program that a [`Manager`](super::Manager) starts and stops, such as a server or a periodic task.
///
/// ```
/// use std::{convert::Infallible, time::Duration};
/// use kube_codegen_runtime::manager::Runnable;
///
/// let backups = Runnable::new("backups", async |stop| {
///     let mut hours = tokio::time::interval(Duration::from_secs(3600));
///     while stop.run_until_cancelled(hours.tick()).await.is_some() {
///         // Make a backup.
///     }
///     Ok::<_, Infallible>(())
/// });
/// let warnings = Runnable::new("warnings", async |stop| Ok::<_, Infallible>(stop.cancelled().await))
///     .needs_leader_election(false);
/// ```
#[must_use]
pub struct Runnable {
    pub(super) name: String,
    pub(super) group: Group,
    may_end: bool,
    start: Start,
}

/// When a runnable starts. The order of the variants is that of the start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Group {
    Server,
    Webhook,
    Other,
    /// Needs the leader election, unless the manager has shards.
    Divided,
    Leader,
}

impl Runnable {
    /// Creates a runnable that, like a controller, runs only while this process leads. `run` must return when the token is cancelled; if
    /// it returns earlier, the manager stops with an error.
    pub fn new<F, E>(
        name: impl Into<String>,
        run: impl FnOnce(CancellationToken) -> F + Send + 'static,
    ) -> Self
    where
        F: Future<Output = Result<(), E>> + Send + 'static,
        E: Into<BoxError>,
    {
        Self {
            name: name.into(),
            group: Group::Leader,
            may_end: false,
            start: Box::new(|stop| run(stop).map(|result| result.map_err(Into::into)).boxed()),
        }
    }

    /// Sets whether it runs only while this process leads. With `false`, it runs on every replica, as soon as the caches are filled.
    pub fn needs_leader_election(mut self, needs: bool) -> Self {
        self.group = if needs { Group::Leader } else { Group::Other };
        self
    }

    /// Makes it run on every replica that takes part in the shards, if there are any.
    pub(super) fn divided(mut self) -> Self {
        self.group = Group::Divided;
        self
    }

    /// Marks it as a server of metrics or health checks: it starts first, on every replica, and stops last.
    pub fn server(mut self) -> Self {
        self.group = Group::Server;
        self
    }

    /// Marks it as a webhook server: it starts on every replica after the servers of metrics and health checks, but before the caches,
    /// because listing the objects for the caches may need its conversions.
    pub fn webhook(mut self) -> Self {
        self.group = Group::Webhook;
        self
    }

    /// Allows it to return `Ok` before shutdown, as a one-off migration does.
    pub fn may_end(mut self) -> Self {
        self.may_end = true;
        self
    }
}

impl fmt::Debug for Runnable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Runnable")
            .field("name", &self.name)
            .field("group", &self.group)
            .finish_non_exhaustive()
    }
}

/// Running tasks that stop together. Dropping it aborts them.
pub(super) struct Tasks {
    set: JoinSet<()>,
    names: BTreeMap<Id, String>,
    stop: CancellationToken,
    ends: UnboundedSender<ManagerError>,
}

impl Tasks {
    /// Creates an empty group that reports failures to `ends`.
    pub(super) fn new(ends: &UnboundedSender<ManagerError>) -> Self {
        Self {
            set: JoinSet::new(),
            names: BTreeMap::new(),
            stop: CancellationToken::new(),
            ends: ends.clone(),
        }
    }

    pub(super) fn spawn(&mut self, runnable: Runnable) {
        let Runnable {
            name,
            may_end,
            start,
            ..
        } = runnable;
        let (stop, ends) = (self.stop.clone(), self.ends.clone());
        let label = name.clone();
        let task = async move {
            let run = async { start(stop.clone()).await };
            let error = match AssertUnwindSafe(run).catch_unwind().await {
                Ok(Ok(())) if may_end || stop.is_cancelled() => return,
                Ok(Ok(())) => ManagerError::Ended { name },
                Ok(Err(source)) => match source.downcast() {
                    Ok(error) => *error,
                    Err(source) => ManagerError::Failed { name, source },
                },
                Err(panic) => {
                    let message = panics::message(panic);
                    ManagerError::Panicked { name, message }
                }
            };
            // Without a receiver, the manager has already ended.
            let _ = ends.send(error);
        };
        let id = self.set.spawn(task).id();
        self.names.insert(id, label);
    }

    /// Stops all tasks and waits for their end until `deadline`. Then aborts them, and returns the names of those that were still running.
    pub(super) async fn stop(&mut self, deadline: Instant) -> Vec<String> {
        self.stop.cancel();
        let deadline = deadline.max(Instant::now() + ABORT);
        while let Ok(Some(ended)) = timeout_at(deadline, self.set.join_next_with_id()).await {
            let id = ended.map_or_else(|error| error.id(), |(id, ())| id);
            self.names.remove(&id);
        }
        if !self.set.is_empty() {
            // A task that blocks its thread does not end.
            let _ = timeout(ABORT, self.set.shutdown()).await;
        }
        self.names.values().cloned().collect()
    }
}
