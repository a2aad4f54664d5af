//! Runs the members of a manager: each in a task of its own, which starts again when something in it ends.
use std::{collections::HashMap, convert::Infallible, panic::AssertUnwindSafe, sync::Arc};

use futures::{
    FutureExt, StreamExt,
    stream::{BoxStream, FuturesUnordered},
};
use tokio::{
    task::JoinSet,
    time::{Duration, Instant, sleep, timeout_at},
};
use tokio_util::sync::CancellationToken;
use tower::BoxError;
use tracing::{error, info, warn};

use super::{Cluster, ClusterChange, Clusters, cluster::Settings, switch::Switch};
use crate::{client::describe, deadline, panics};

/// How long a cluster waits before it starts again.
const FIRST: Duration = Duration::from_secs(1);
const LAST: Duration = Duration::from_secs(60);
/// How long controllers may take to drop their reconciles at the end of the grace period, and how long events may take then. The manager waits for a
/// second.
const DROP: Duration = Duration::from_millis(400);
/// How long events may take within the grace period.
const FLUSH: Duration = Duration::from_secs(1);

/// Adds the controllers of a cluster.
pub(crate) type Setup = Arc<dyn Fn(&mut Cluster) + Send + Sync>;

/// The members of a manager that are to be run.
pub(crate) struct Members {
    pub(crate) changes: BoxStream<'static, ClusterChange>,
    pub(crate) setup: Setup,
    pub(crate) settings: Arc<Settings>,
    pub(crate) clusters: Clusters,
}

/// A member that runs, or that has not ended yet.
struct Entry {
    switch: Switch,
    stop: CancellationToken,
    /// Cancelled when its task has ended.
    ended: CancellationToken,
}

impl Entry {
    fn is_member(&self) -> bool {
        !self.stop.is_cancelled()
    }
}

impl Members {
    /// Runs until `stop`, whatever happens to the members and their stream.
    pub(crate) async fn run(mut self, stop: CancellationToken) -> Result<(), Infallible> {
        let (mut entries, mut tasks) = (HashMap::<String, Entry>::new(), JoinSet::new());
        let mut open = true;
        loop {
            let change = tokio::select! {
                biased;
                () = stop.cancelled() => break,
                Some(_) = tasks.join_next() => {
                    entries.retain(|_, entry| !entry.ended.is_cancelled());
                    continue;
                }
                change = AssertUnwindSafe(self.changes.next()).catch_unwind(), if open => {
                    change.unwrap_or_else(|panic| {
                        let message = panics::message(panic);
                        error!("the source of clusters panicked, so no cluster joins or leaves any more: {message}");
                        None
                    })
                }
            };
            let Some(change) = change else {
                open = false;
                continue;
            };
            let (name, client) = match change {
                ClusterChange::Left { name } => {
                    self.leave(&name, &entries);
                    continue;
                }
                ClusterChange::Renewed { name, client } => {
                    if let Some(entry) = entries.get(&name).filter(|entry| entry.is_member()) {
                        info!(cluster = name, "the cluster has a new client");
                        entry.switch.replace(client);
                        continue;
                    }
                    (name, client)
                }
                ClusterChange::Joined { name, client } => (name, client),
            };
            self.leave(&name, &entries);
            let entry = Entry {
                switch: Switch::new(client),
                stop: CancellationToken::new(),
                ended: CancellationToken::new(),
            };
            info!(cluster = name, "the cluster joins");
            let fenced = (self.settings.fence)(entry.switch.client());
            self.clusters.insert(&name, fenced);
            let member = Member {
                name: name.as_str().into(),
                switch: entry.switch.clone(),
                setup: Arc::clone(&self.setup),
                settings: Arc::clone(&self.settings),
            };
            let (stop, ended) = (entry.stop.clone(), entry.ended.clone());
            let before = entries.insert(name, entry);
            tasks.spawn(async move {
                let _ended = ended.drop_guard();
                if let Some(before) = before {
                    before.ended.cancelled().await;
                }
                member.supervise(&stop).await;
            });
        }
        for name in self.clusters.names() {
            self.leave(&name, &entries);
        }
        while tasks.join_next().await.is_some() {}
        Ok(())
    }

    fn leave(&self, name: &str, entries: &HashMap<String, Entry>) {
        let Some(entry) = entries.get(name).filter(|entry| entry.is_member()) else {
            return;
        };
        info!(cluster = name, "the cluster leaves");
        self.clusters.remove(name);
        entry.stop.cancel();
    }
}

/// One member.
struct Member {
    name: Arc<str>,
    switch: Switch,
    setup: Setup,
    settings: Arc<Settings>,
}

impl Member {
    /// Runs until `stop`, and starts again after failures.
    async fn supervise(&self, stop: &CancellationToken) {
        let mut delay = FIRST;
        while !stop.is_cancelled() {
            let started = Instant::now();
            let outcome = AssertUnwindSafe(self.run(stop)).catch_unwind().await;
            let failure = match outcome {
                Ok(Ok(())) => return,
                Ok(Err(failure)) => describe(&*failure),
                Err(panic) => format!("it panicked: {}", panics::message(panic)),
            };
            if started.elapsed() > LAST {
                delay = FIRST;
            }
            warn!(
                cluster = &*self.name,
                "the cluster starts again in {delay:?}: {failure}"
            );
            let _ = stop.run_until_cancelled(sleep(delay)).await;
            delay = LAST.min(delay * 2);
        }
    }

    /// Runs until `stop`, or until something of the cluster ends.
    async fn run(&self, stop: &CancellationToken) -> Result<(), BoxError> {
        #[cfg(feature = "metrics")]
        let _metrics = Forget(self);
        let name = Arc::clone(&self.name);
        let mut cluster = Cluster::new(name, &self.switch.client(), &self.settings);
        (self.setup)(&mut cluster);
        let added = std::mem::take(cluster.added.get_mut());
        if let Some(name) = &added.taken {
            return Err(format!("two of its controllers are named \"{name}\"").into());
        }
        let (factory, recorder) = (cluster.factory().clone(), cluster.recorder());
        let end = cluster.stop.clone();
        let mut running: FuturesUnordered<_> = added.running.into_iter().collect();
        // What the function requested and no controller starts.
        factory.start();
        let outcome = tokio::select! {
            biased;
            () = stop.cancelled() => Ok(()),
            Some((name, result)) = running.next() => Err(match result {
                Ok(()) => format!("controller {name} ended").into(),
                Err(failure) => format!("controller {name} failed: {}", describe(&*failure)).into(),
            }),
            (kind, message) = factory.failed() => Err(format!("informer of {kind} failed: {message}").into()),
        };
        let deadline = deadline::after(Instant::now(), self.settings.defaults.grace_period);
        end.cancel();
        let ended = async { while running.next().await.is_some() {} };
        // Each of them has the grace period, and reports what it drops.
        let _ = timeout_at(deadline + DROP, ended).await;
        factory.shutdown().await;
        // A cluster that does not answer takes no events.
        let now = Instant::now();
        let flushed = (now + FLUSH).min(deadline.max(now + DROP));
        let _ = timeout_at(flushed, recorder.shutdown()).await;
        outcome
    }
}

/// Removes the metrics of a member, however it ends.
#[cfg(feature = "metrics")]
struct Forget<'m>(&'m Member);

#[cfg(feature = "metrics")]
impl Drop for Forget<'_> {
    fn drop(&mut self) {
        self.0.settings.metrics.forget(&self.0.name);
    }
}
