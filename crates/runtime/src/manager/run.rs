//! The life of a manager: starts its parts in order, supervises them, and stops them in reverse.
use std::{pin::pin, sync::Arc};

use futures::FutureExt;
use tokio::{
    sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel},
    time::{Duration, Instant, timeout},
};
use tokio_util::sync::CancellationToken;
use tracing::{error, info};

use super::{
    Election, Manager, ManagerError, Phase, Runnable, State,
    controllers::Caches,
    runnable::{Group, Tasks},
};
use crate::{
    client::describe,
    deadline,
    event::EventRecorder,
    informer::{Division, InformerFactory, InformerId},
    leader_election::{LeaderElector, LeadershipLost, Term},
    shards::Replica,
};

/// How long a controller may take to drop its reconciles at the end of the grace period.
const DROP: Duration = Duration::from_secs(1);
/// Limit for the release of the lease, which has its own limits.
const RELEASE: Duration = Duration::from_secs(60);

impl Manager {
    /// Runs until `stop` completes, a part fails, ends or panics, or this process loses the leadership.
    ///
    /// Start order: servers, webhooks, caches, runnables that need no leader election, the election, and finally controllers and the other
    /// runnables that need it. Everything stops in reverse order within the grace period, and the lease is released as soon as the
    /// controllers have ended. If several parts fail, the first failure is returned.
    ///
    /// Dropping the returned future stops everything at once and does not release the lease.
    pub async fn run(self, stop: impl Future<Output = ()>) -> Result<(), ManagerError> {
        self.controllers.check()?;
        if let Some(shards) = &self.shards {
            let division: Arc<dyn Division> = shards.set();
            let is_divisible = |informer| self.controllers.is_divisible(informer);
            self.factory.divide(&division, is_divisible);
        }
        let (sender, mut failures) = unbounded_channel();
        let mut parts = Parts::new(self, &sender);
        let factory = parts.factory.clone();
        let outcome = tokio::select! {
            biased;
            () = stop => Ok(()),
            failure = failed(&mut failures) => Err(failure),
            (kind, message) = factory.failed() => Err(ManagerError::Failed {
                name: format!("informer of {kind}"),
                source: message.into(),
            }),
            // It ends only with a failure.
            Err(failure) = parts.start(&sender) => Err(failure),
        };
        match &outcome {
            Ok(()) => info!("stopping"),
            Err(failure) => error!("stopping: {}", describe(failure)),
        }
        parts.state.set(Phase::Stopping);
        let lost = matches!(outcome, Err(ManagerError::LeadershipLost(_)));
        let stopped = parts.stop(lost).await;
        // A failure while stopping counts only if there was none before.
        let later = failures.try_recv().map_or(Ok(()), Err);
        outcome.and(later).and(stopped)
    }

    /// Like [`run`](Self::run), until SIGINT or SIGTERM. A second signal ends the process immediately with exit code 1, as in
    /// controller-runtime.
    pub async fn run_until_signal(self) -> Result<(), ManagerError> {
        let mut signals = Signals::new().map_err(ManagerError::Signal)?;
        let stop = CancellationToken::new();
        let running = self.run(stop.cancelled());
        let mut running = pin!(running);
        tokio::select! {
            biased;
            result = &mut running => return result,
            () = signals.next() => stop.cancel(),
        }
        tokio::select! {
            // What has ended in order is no reason for a failure.
            biased;
            result = running => result,
            () = signals.next() => std::process::exit(1),
        }
    }
}

/// Returns the first failure of a part.
async fn failed(failures: &mut UnboundedReceiver<ManagerError>) -> ManagerError {
    match failures.recv().await {
        Some(failure) => failure,
        // Not reached: the manager holds a sender.
        None => std::future::pending().await,
    }
}

/// The parts of a running manager, in the order of their start.
struct Parts {
    factory: InformerFactory,
    recorder: EventRecorder,
    caches: Arc<Caches>,
    grace_period: Duration,
    state: Arc<State>,
    waiting: Vec<Runnable>,
    elects: bool,
    election: Option<Election>,
    servers: Tasks,
    webhooks: Tasks,
    others: Tasks,
    leader: Tasks,
}

impl Parts {
    fn new(manager: Manager, failures: &UnboundedSender<ManagerError>) -> Self {
        let [servers, webhooks, others, leader] = [(); 4].map(|()| Tasks::new(failures));
        let waiting = manager.runnables.into_inner().into_iter();
        #[cfg(feature = "server")]
        let waiting = waiting.chain(manager.servers.runnables());
        Self {
            factory: manager.factory,
            recorder: manager.recorder,
            caches: Arc::new(manager.controllers.caches()),
            grace_period: manager.controllers.defaults.grace_period,
            state: manager.state,
            waiting: waiting.collect(),
            elects: manager.election.is_some(),
            election: manager.election,
            servers,
            webhooks,
            others,
            leader,
        }
    }

    /// Starts everything. Waits for ever after that.
    async fn start(
        &mut self,
        failures: &UnboundedSender<ManagerError>,
    ) -> Result<(), ManagerError> {
        let mut waiting = std::mem::take(&mut self.waiting);
        waiting.sort_by_key(|runnable| runnable.group);
        let leaders = waiting.split_off(waiting.partition_point(|r| r.group < Group::Divided));
        let others = waiting.split_off(waiting.partition_point(|r| r.group < Group::Other));
        for runnable in waiting {
            match runnable.group {
                Group::Server => self.servers.spawn(runnable),
                _ => self.webhooks.spawn(runnable),
            }
        }
        let caches = Arc::clone(&self.caches);
        let is_warm = |informer| caches.is_warm(informer);
        fill_caches(&self.factory, caches.timeout, is_warm).await?;
        self.state.set(Phase::Ready);
        for runnable in others {
            self.others.spawn(runnable);
        }
        match self.election.take() {
            None => {
                fill_caches(&self.factory, caches.timeout, |one| !is_warm(one)).await?;
                for runnable in leaders {
                    self.leader.spawn(runnable);
                }
            }
            Some(election) => {
                let lead = Lead {
                    leaders,
                    failures: failures.clone(),
                    factory: self.factory.clone(),
                    caches: Arc::clone(&caches),
                    grace_period: self.grace_period,
                };
                let run = |stop| match election {
                    Election::Leader(elector) => lead.run(elector, stop).boxed(),
                    Election::Shards(replica) => lead.run_divided(replica, stop).boxed(),
                };
                self.leader.spawn(Runnable::new("leader election", run));
            }
        }
        std::future::pending().await
    }

    /// Stops everything in reverse. Controllers of a lost term get no time to finish.
    async fn stop(&mut self, lost: bool) -> Result<(), ManagerError> {
        let after = if lost {
            Duration::ZERO
        } else {
            self.grace_period
        };
        let deadline = deadline::after(Instant::now(), after);
        // With an election, the leader's parts have their own deadline, and the release of the lease comes after it.
        let leader = match (lost, self.elects) {
            (true, _) => deadline,
            (false, true) => deadline + RELEASE,
            (false, false) => deadline + DROP,
        };
        let mut names = self.leader.stop(leader).await;
        names.extend(self.others.stop(deadline).await);
        self.factory.shutdown().await;
        let events = self.recorder.shutdown();
        if lost {
            // The new leader works already, and this process may have no connection.
            let _ = timeout(DROP, events).await;
        } else {
            events.await;
        }
        names.extend(self.webhooks.stop(deadline).await);
        names.extend(self.servers.stop(deadline).await);
        if names.is_empty() || lost {
            return Ok(());
        }
        Err(ManagerError::StillRunning { after, names })
    }
}

async fn fill_caches(
    factory: &InformerFactory,
    timeout: Duration,
    select: impl Fn(InformerId) -> bool,
) -> Result<(), ManagerError> {
    let filled = factory.fill(timeout, select).await;
    filled.map_err(|source| ManagerError::CacheSync {
        after: timeout,
        source,
    })
}

/// The election, and what runs while this process leads.
struct Lead {
    leaders: Vec<Runnable>,
    failures: UnboundedSender<ManagerError>,
    factory: InformerFactory,
    caches: Arc<Caches>,
    grace_period: Duration,
}

impl Lead {
    async fn run(
        self,
        mut elector: Box<LeaderElector>,
        stop: CancellationToken,
    ) -> Result<(), ManagerError> {
        let given_up = stopped_before(elector.term(), &stop);
        let work = elector.run_unreleased(|_| async {
            if !fill_cold(&self.factory, &self.caches, &stop).await? {
                return Ok(());
            }
            // If the term ends, this is dropped, which aborts the tasks.
            let mut tasks = Tasks::new(&self.failures);
            for runnable in self.leaders {
                tasks.spawn(runnable);
            }
            stop.cancelled().await;
            end(tasks, self.grace_period).await
        });
        if Box::pin(has_led(work, given_up)).await? {
            elector.release().await;
        }
        Ok(())
    }

    /// Like [`run`](Self::run), as one of the replicas that share the shards.
    async fn run_divided(
        mut self,
        mut replica: Box<Replica>,
        stop: CancellationToken,
    ) -> Result<(), ManagerError> {
        let given_up = stopped_before(replica.membership(), &stop);
        let (leader, may_take) = (replica.leader_term(), replica.may_take());
        let work = replica.run(async {
            if !fill_cold(&self.factory, &self.caches, &stop).await? {
                return Ok(());
            }
            let mut tasks = Tasks::new(&self.failures);
            let leaders = self.leaders.partition_point(|it| it.group < Group::Leader);
            let leaders = self.leaders.split_off(leaders);
            for runnable in self.leaders {
                tasks.spawn(runnable);
            }
            may_take.cancel();
            tokio::select! {
                // What is to stop starts nothing.
                biased;
                () = stop.cancelled() => {}
                Ok(()) = leader.started() => leaders.into_iter().for_each(|it| tasks.spawn(it)),
            }
            stop.cancelled().await;
            end(tasks, self.grace_period).await
        });
        if has_led(work, given_up).await? {
            replica.leave().await;
        }
        Ok(())
    }
}

/// Fills the caches that are not filled yet. Returns `false` if it was stopped before.
async fn fill_cold(
    factory: &InformerFactory,
    caches: &Caches,
    stop: &CancellationToken,
) -> Result<bool, ManagerError> {
    let is_cold = |informer| !caches.is_warm(informer);
    tokio::select! {
        biased;
        () = stop.cancelled() => Ok(false),
        filled = fill_caches(factory, caches.timeout, is_cold) => filled.map(|()| true),
    }
}

/// Waits until `stop`, if the term has not begun by then. Otherwise the work stops by itself, in order.
async fn stopped_before(term: Term, stop: &CancellationToken) {
    stop.cancelled().await;
    if term.deadline().is_some() {
        std::future::pending::<()>().await;
    }
}

/// Waits for the end of `work`. Returns whether there is a lease to release. With an error, a reconcile may still run: the lease stays until it
/// expires.
async fn has_led(
    work: impl Future<Output = Result<Result<(), ManagerError>, LeadershipLost>>,
    given_up: impl Future<Output = ()>,
) -> Result<bool, ManagerError> {
    tokio::select! {
        biased;
        ended = work => ended?.map(|()| true),
        () = given_up => Ok(false),
    }
}

/// Stops the tasks within the grace period.
async fn end(mut tasks: Tasks, after: Duration) -> Result<(), ManagerError> {
    let deadline = deadline::after(Instant::now(), after) + DROP;
    let names = tasks.stop(deadline).await;
    if names.is_empty() {
        return Ok(());
    }
    Err(ManagerError::StillRunning { after, names })
}

/// SIGINT and SIGTERM.
struct Signals {
    #[cfg(unix)]
    terminate: tokio::signal::unix::Signal,
    #[cfg(unix)]
    interrupt: tokio::signal::unix::Signal,
}

impl Signals {
    #[cfg(unix)]
    fn new() -> std::io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Self {
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
        })
    }

    #[cfg(unix)]
    async fn next(&mut self) {
        tokio::select! {
            biased;
            _ = self.terminate.recv() => {}
            _ = self.interrupt.recv() => {}
        }
    }

    #[cfg(not(unix))]
    fn new() -> std::io::Result<Self> {
        Ok(Self {})
    }

    #[cfg(not(unix))]
    async fn next(&mut self) {
        // Without a handler, Ctrl-C ends the process anyway.
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}
