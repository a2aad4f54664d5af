//! The reconcile loop: changes of informers come in as keys, calls of one function go out. Never reconciles one object twice at a time.
//!
//! ```no_run
//! use k8s_openapi::api::{apps::v1::Deployment, core::v1::ConfigMap};
//! use kube_codegen_runtime::{controller::{Action, Controller, OnError}, informer::InformerFactory};
//! use std::sync::Arc;
//!
//! struct Context { client: kube::Client }
//!
//! async fn reconcile(object: Arc<ConfigMap>, context: Arc<Context>) -> Result<Action, kube::Error> {
//!     // Bring the world into the state that `object` describes.
//!     Ok(Action::await_change())
//! }
//!
//! # async fn example(client: kube::Client) -> Result<(), Box<dyn std::error::Error>> {
//! let factory = InformerFactory::new(client.clone());
//! let controller = Controller::for_informer(&factory.informer::<ConfigMap>())
//!     .owns(&factory.informer::<Deployment>())
//!     .workers(2)
//!     .graceful_shutdown_on(async { drop(tokio::signal::ctrl_c().await) });
//! controller.run(reconcile, |_, _, _| OnError::Backoff, Arc::new(Context { client })).await?;
//! factory.shutdown().await;
//! # Ok(())
//! # }
//! ```
mod action;
mod metrics;
mod owner;
mod trigger;
mod worker;

pub use action::{Action, OnError};
pub use metrics::{ControllerMetrics, MetricsHandle};
pub use owner::{controller_of, is_controlled_by, owned_by};

use crate::{
    informer::{Object, ObjectKey, SharedInformer, Stopped},
    queue::{RateLimiter, WorkQueue, default_limiter},
};
use futures::future::{BoxFuture, FutureExt, pending, try_join_all};
use std::{fmt, sync::Arc, time::Duration};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;
use tracing::{info, warn};
use trigger::Trigger;
use worker::Worker;

/// How long running reconciles may take to end on shutdown, if nothing else is set (controller-runtime's default).
const GRACE_PERIOD: Duration = Duration::from_secs(30);

/// Runs one function for every object of a kind that has changed, or of which something it depends upon has.
pub struct Controller<K: Object> {
    primary: SharedInformer<K>,
    triggers: Vec<Box<dyn Trigger>>,
    limiter: Box<dyn RateLimiter<ObjectKey>>,
    workers: usize,
    max_retries: Option<u32>,
    grace_period: Duration,
    shutdown: BoxFuture<'static, ()>,
    metrics: MetricsHandle,
}

impl<K: Object> Controller<K> {
    /// A controller of the objects that `informer` holds. Every addition and change of one brings it up, and every resync.
    pub fn for_informer(informer: &SharedInformer<K>) -> Self {
        Self {
            primary: informer.clone(),
            triggers: vec![Box::new(trigger::primary(informer))],
            limiter: Box::new(default_limiter()),
            workers: 1,
            max_retries: None,
            grace_period: GRACE_PERIOD,
            shutdown: pending().boxed(),
            metrics: MetricsHandle::default(),
        }
    }

    /// Brings up an object when a child changes that names it as its controller (`ownerReferences[].controller`), and when such a child goes away.
    /// Resyncs of children do not count.
    #[must_use]
    pub fn owns<C: Object>(mut self, children: &SharedInformer<C>) -> Self {
        self.triggers
            .push(Box::new(trigger::owned::<K, C>(children)));
        self
    }

    /// Brings up the objects that `mapper` names when an object of another kind is added, changed or deleted. Of a change, the old and the new state
    /// are asked about. Resyncs do not count.
    #[must_use]
    pub fn watches<C: Object>(
        mut self,
        others: &SharedInformer<C>,
        mapper: impl Fn(&Arc<C>) -> Vec<ObjectKey> + Send + Sync + 'static,
    ) -> Self {
        self.triggers
            .push(Box::new(trigger::mapped(others, mapper)));
        self
    }

    /// How many objects are reconciled at once; at least, and by default, one.
    #[must_use]
    pub fn workers(mut self, workers: usize) -> Self {
        self.workers = workers.max(1);
        self
    }

    /// Decides over the delays of retries instead of [`default_limiter`].
    #[must_use]
    pub fn rate_limiter(mut self, limiter: impl RateLimiter<ObjectKey>) -> Self {
        self.limiter = Box::new(limiter);
        self
    }

    /// Gives an object up after so many retries, until it changes or is resynced. Without it there is no limit.
    #[must_use]
    pub fn max_retries(mut self, retries: u32) -> Self {
        self.max_retries = Some(retries);
        self
    }

    /// How long running reconciles may take to end on shutdown, before they are dropped at their next `await`; 30 s by default.
    #[must_use]
    pub fn grace_period(mut self, period: Duration) -> Self {
        self.grace_period = period;
        self
    }

    /// Shuts the controller down when `trigger` is done: no reconcile is begun any more, running ones end within the grace period.
    #[must_use]
    pub fn graceful_shutdown_on(
        mut self,
        trigger: impl Future<Output = ()> + Send + 'static,
    ) -> Self {
        let before = self.shutdown;
        self.shutdown = async move {
            tokio::select! { () = before => {}, () = trigger => {} }
        }
        .boxed();
        self
    }

    /// Numbers for monitoring, to be read while the controller runs.
    pub fn metrics(&self) -> MetricsHandle {
        self.metrics.clone()
    }

    /// Runs until shutdown, or until the informer of `K` stops.
    ///
    /// Starts the informers that do not run yet, waits until all caches are filled, then calls `reconcile` with each object that comes up, several at
    /// once but never one of them twice at a time. Objects that are gone by then are skipped; clean-up before they go belongs in a finalizer. After an
    /// error `error_policy` decides what happens. A panic in either is logged and retried like an error with [`OnError::Backoff`].
    ///
    /// Fails if an informer stops before its cache is filled. Dropping the returned future stops everything at once.
    pub async fn run<Ctx, E, Reconcile, Running, Policy>(
        self,
        reconcile: Reconcile,
        error_policy: Policy,
        context: Arc<Ctx>,
    ) -> Result<(), Stopped>
    where
        Ctx: Send + Sync + 'static,
        E: fmt::Display + Send + 'static,
        Reconcile: Fn(Arc<K>, Arc<Ctx>) -> Running + Send + Sync + 'static,
        Running: Future<Output = Result<Action, E>> + Send + 'static,
        Policy: Fn(Arc<K>, &E, Arc<Ctx>) -> OnError + Send + Sync + 'static,
    {
        let Self {
            primary,
            triggers,
            limiter,
            workers,
            max_retries,
            grace_period,
            shutdown,
            metrics,
        } = self;
        let queue = WorkQueue::with_boxed_limiter(limiter);
        metrics.observe(&queue);
        let stop = CancellationToken::new();
        let end = async {
            tokio::select! { () = shutdown => {}, () = primary.stopped() => {} }
        };
        tokio::pin!(end);

        // The handlers go with the guards, however this function ends.
        let guards: Vec<_> = triggers
            .iter()
            .map(|trigger| trigger.connect(&queue))
            .collect();
        let synced = try_join_all(guards.iter().map(|guard| guard.wait_synced()));
        tokio::select! {
            biased;
            result = synced => drop(result?),
            () = &mut end => return Ok(()),
        }
        info!(kind = %K::kind(&()), workers, "caches are filled, reconciling");

        let worker = Arc::new(Worker {
            primary: primary.clone(),
            queue: queue.clone(),
            reconcile,
            error_policy,
            context,
            max_retries,
            metrics,
        });
        let mut running = JoinSet::new();
        for _ in 0..workers {
            running.spawn(Arc::clone(&worker).work(stop.clone()));
        }
        end.await;
        drop(guards);
        stop.cancel();
        queue.shut_down();
        let ended = async { while running.join_next().await.is_some() {} };
        if tokio::time::timeout(grace_period, ended).await.is_err() {
            warn!(kind = %K::kind(&()), "reconciles did not end within the grace period; dropping them");
            running.shutdown().await;
        }
        Ok(())
    }
}

impl<K: Object> fmt::Debug for Controller<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Controller")
            .field("kind", &K::kind(&()))
            .field("triggers", &self.triggers.len())
            .field("workers", &self.workers)
            .finish_non_exhaustive()
    }
}
