//! The reconcile loop: calls one function for each object that has changed, never twice at a time for the same object.
//!
//! ```no_run
//! use k8s_openapi::api::{apps::v1::Deployment, core::v1::ConfigMap};
//! use kube_codegen_runtime::{controller::{Action, Controller, OnError}, informer::InformerFactory};
//! use std::sync::Arc;
//!
//! struct Context { client: kube::Client }
//!
//! async fn reconcile(object: Arc<ConfigMap>, context: Arc<Context>) -> Result<Action, kube::Error> {
//!     // Compare the actual state with the one that `object` describes, and correct it.
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
mod metrics;
mod owner;
mod trigger;
mod worker;

use std::{fmt, sync::Arc, time::Duration};

use futures::future::{BoxFuture, FutureExt, pending, try_join_all};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;
use tracing::{info, warn};

pub use self::{
    metrics::{ControllerMetrics, MetricsHandle},
    owner::{controller_of, is_controlled_by, owned_by},
};
use self::{
    owner::controller_key,
    trigger::{Trigger, trigger},
    worker::Worker,
};
use crate::{
    cache::{Object, ObjectKey},
    informer::{SharedInformer, Stopped},
    queue::{RateLimiter, WorkQueue, default_limiter},
};

/// Default grace period on shutdown (controller-runtime's default).
const GRACE_PERIOD: Duration = Duration::from_secs(30);

/// Runs one function for every object of a kind that has changed, or whose children or other dependencies have. See the
/// [module](self) for an example.
pub struct Controller<K: Object> {
    primary: SharedInformer<K>,
    triggers: Vec<Trigger>,
    limiter: Box<dyn RateLimiter<ObjectKey>>,
    workers: usize,
    max_retries: Option<u32>,
    reconcile_timeout: Option<Duration>,
    grace_period: Duration,
    shutdown: BoxFuture<'static, ()>,
    metrics: MetricsHandle,
}

impl<K: Object> Controller<K> {
    /// Creates a controller of the objects of `informer`. Every addition, change and resync enqueues the object.
    pub fn for_informer(informer: &SharedInformer<K>) -> Self {
        let metrics = MetricsHandle::default();
        metrics.set_name(K::kind(&()).to_lowercase());
        Self {
            primary: informer.clone(),
            triggers: vec![trigger(informer, true, |object| {
                vec![ObjectKey::of(&**object)]
            })],
            limiter: Box::new(default_limiter()),
            workers: 1,
            max_retries: None,
            reconcile_timeout: None,
            grace_period: GRACE_PERIOD,
            shutdown: pending().boxed(),
            metrics,
        }
    }

    /// Sets the name, which is a label of the metrics; by default the kind in lower case. Give each controller of a program its own.
    #[must_use]
    pub fn named(self, name: impl Into<String>) -> Self {
        self.metrics.set_name(name.into());
        self
    }

    /// Enqueues the owner when a child that it controls (`ownerReferences[].controller`) is added, changed or deleted. Resyncs of children
    /// enqueue nothing.
    #[must_use]
    pub fn owns<C: Object>(mut self, children: &SharedInformer<C>) -> Self {
        let owner = |child: &Arc<C>| controller_key::<K, C>(child).into_iter().collect();
        self.triggers.push(trigger(children, false, owner));
        self
    }

    /// Enqueues the keys that `mapper` returns when an object of another kind is added, changed or deleted. On a change, `mapper` is called
    /// with the old and the new state. Resyncs enqueue nothing.
    #[must_use]
    pub fn watches<C: Object>(
        mut self,
        others: &SharedInformer<C>,
        mapper: impl Fn(&Arc<C>) -> Vec<ObjectKey> + Send + Sync + 'static,
    ) -> Self {
        self.triggers.push(trigger(others, false, mapper));
        self
    }

    /// Sets how many objects are reconciled concurrently; at least, and by default, one.
    #[must_use]
    pub fn workers(mut self, workers: usize) -> Self {
        self.workers = workers.max(1);
        self
    }

    /// Sets the limiter of retries, instead of [`default_limiter`].
    #[must_use]
    pub fn rate_limiter(mut self, limiter: impl RateLimiter<ObjectKey>) -> Self {
        self.limiter = Box::new(limiter);
        self
    }

    /// Drops an object after this many retries, until it changes or is resynced. By default there is no limit.
    #[must_use]
    pub fn max_retries(mut self, retries: u32) -> Self {
        self.max_retries = Some(retries);
        self
    }

    /// Drops a reconcile at its next `await` once it takes longer than this, and retries it with [`OnError::Backoff`]. By default there is no
    /// limit.
    #[must_use]
    pub fn reconcile_timeout(mut self, limit: Duration) -> Self {
        self.reconcile_timeout = Some(limit);
        self
    }

    /// Sets how long running reconciles may take to finish on shutdown before they are dropped at their next `await`; 30 s by default.
    #[must_use]
    pub fn grace_period(mut self, period: Duration) -> Self {
        self.grace_period = period;
        self
    }

    /// Shuts the controller down when `trigger` completes: no reconcile starts, and running ones may finish within the grace period.
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

    /// Returns a handle to the counters, to read while the controller runs.
    pub fn metrics(&self) -> MetricsHandle {
        self.metrics.clone()
    }

    /// Runs until shutdown, or until the informer of `K` stops.
    ///
    /// Starts the informers, waits until all caches are synced, then calls `reconcile` with each enqueued object: several concurrently, but
    /// never one object twice at a time. Objects deleted by then are skipped; clean-up before deletion belongs in a finalizer. After an error,
    /// `error_policy` decides what happens. A panic in either is logged and retried with [`OnError::Backoff`].
    ///
    /// Fails if an informer stops before its cache is synced. Dropping the returned future stops everything at once.
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
            primary, metrics, ..
        } = self;
        let queue = WorkQueue::with_boxed_limiter(self.limiter);
        metrics.observe(&queue);
        metrics.count(|counts| counts.workers = self.workers);
        let stop = CancellationToken::new();
        let end = async {
            tokio::select! { () = self.shutdown => {}, () = primary.stopped() => {} }
        };
        tokio::pin!(end);

        // The guards remove the handlers, however this function ends.
        let guards: Vec<_> = self
            .triggers
            .iter()
            .map(|trigger| trigger(&queue))
            .collect();
        let synced = try_join_all(guards.iter().map(|guard| guard.wait_synced()));
        tokio::select! {
            biased;
            result = synced => drop(result?),
            () = &mut end => return Ok(()),
        }
        info!(kind = %K::kind(&()), workers = self.workers, "caches are synced, starting workers");

        let worker = Arc::new(Worker {
            primary: primary.clone(),
            queue: queue.clone(),
            reconcile,
            error_policy,
            context,
            max_retries: self.max_retries,
            reconcile_timeout: self.reconcile_timeout,
            metrics,
        });
        let mut running = JoinSet::new();
        for _ in 0..self.workers {
            running.spawn(Arc::clone(&worker).work(stop.clone()));
        }
        end.await;
        drop(guards);
        stop.cancel();
        queue.shut_down();
        let ended = async { while running.join_next().await.is_some() {} };
        if tokio::time::timeout(self.grace_period, ended)
            .await
            .is_err()
        {
            warn!(kind = %K::kind(&()), "dropping reconciles that did not finish within the grace period");
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

/// What happens after a successful reconcile. Either way the object's retries are forgotten, and any change enqueues it again.
///
/// ```
/// use std::time::Duration;
/// use kube_codegen_runtime::controller::Action;
///
/// assert_ne!(Action::await_change(), Action::requeue(Duration::from_secs(60)));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Action {
    requeue_after: Option<Duration>,
}

impl Action {
    /// Waits for the next change.
    #[must_use]
    pub const fn await_change() -> Self {
        Self {
            requeue_after: None,
        }
    }

    /// Reconciles again after `delay`, even without a change.
    #[must_use]
    pub const fn requeue(delay: Duration) -> Self {
        Self {
            requeue_after: Some(delay),
        }
    }
}

/// What happens after a failed reconcile.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum OnError {
    /// Retries after a delay that grows with each failure in a row: for transient errors.
    #[default]
    Backoff,
    /// Retries after this delay. Earlier retries are forgotten.
    After(Duration),
    /// Does not retry before the object changes or is resynced: for errors that only a change can fix, such as an invalid spec.
    Drop,
}
