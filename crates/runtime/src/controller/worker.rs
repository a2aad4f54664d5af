//! The loop of a worker: reconciles the object of each key from the queue, and requeues the key after failures.
use std::{any::Any, fmt, panic::AssertUnwindSafe, sync::Arc, time::Duration};

use futures::FutureExt;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tracing::{error, warn};

use super::{Action, MetricsHandle, OnError};
use crate::{
    cache::{Object, ObjectKey},
    informer::SharedInformer,
    queue::WorkQueue,
};

/// The state that all workers of a controller share.
pub(super) struct Worker<K, Reconcile, Policy, Ctx> {
    pub(super) primary: SharedInformer<K>,
    pub(super) queue: WorkQueue<ObjectKey>,
    pub(super) reconcile: Reconcile,
    pub(super) error_policy: Policy,
    pub(super) context: Arc<Ctx>,
    pub(super) max_retries: Option<u32>,
    pub(super) reconcile_timeout: Option<Duration>,
    pub(super) metrics: MetricsHandle,
}

impl<K, Reconcile, Policy, Ctx> Worker<K, Reconcile, Policy, Ctx> {
    /// Works until `stop`. Keys still queued then are not processed.
    pub(super) async fn work<Running, E>(self: Arc<Self>, stop: CancellationToken)
    where
        K: Object,
        Ctx: Send + Sync,
        E: fmt::Display,
        Reconcile: Fn(Arc<K>, Arc<Ctx>) -> Running,
        Running: Future<Output = Result<Action, E>>,
        Policy: Fn(Arc<K>, &E, Arc<Ctx>) -> OnError,
    {
        while let Some(Some(key)) = stop.run_until_cancelled(self.queue.get()).await {
            self.process(&key).await;
            self.queue.done(&key);
        }
    }

    async fn process<Running, E>(&self, key: &ObjectKey)
    where
        K: Object,
        E: fmt::Display,
        Reconcile: Fn(Arc<K>, Arc<Ctx>) -> Running,
        Running: Future<Output = Result<Action, E>>,
        Policy: Fn(Arc<K>, &E, Arc<Ctx>) -> OnError,
    {
        let Some(object) = self.primary.find(key) else {
            return self.queue.forget(key);
        };
        let started = Instant::now();
        self.metrics.count(|counts| counts.active += 1);
        let attempt = async {
            match (self.reconcile)(Arc::clone(&object), Arc::clone(&self.context)).await {
                Ok(action) => Ok(action),
                Err(failure) => {
                    warn!(kind = %K::kind(&()), object = %key, "reconcile failed: {failure}");
                    Err((self.error_policy)(
                        object,
                        &failure,
                        Arc::clone(&self.context),
                    ))
                }
            }
        };
        let attempt = AssertUnwindSafe(attempt).catch_unwind();
        let outcome = match self.reconcile_timeout {
            Some(limit) => tokio::time::timeout(limit, attempt).await.ok(),
            None => Some(attempt.await),
        };
        let took = started.elapsed();
        self.metrics.finished(took, |counts| match &outcome {
            Some(Ok(Ok(action))) => counts.requeues += u64::from(action.requeue_after.is_some()),
            Some(Ok(Err(_))) => counts.errors += 1,
            Some(Err(_)) => counts.panics += 1,
            None => counts.timeouts += 1,
        });
        match outcome {
            Some(Ok(Ok(action))) => {
                self.queue.forget(key);
                if let Some(delay) = action.requeue_after {
                    self.queue.add_after(key.clone(), delay);
                }
            }
            Some(Ok(Err(next))) => self.after_error(key, next),
            Some(Err(panic)) => {
                error!(kind = %K::kind(&()), object = %key, "reconcile panicked: {}", message(&*panic));
                self.after_error(key, OnError::Backoff);
            }
            None => {
                warn!(kind = %K::kind(&()), object = %key, "reconcile dropped: it took longer than {took:?}");
                self.after_error(key, OnError::Backoff);
            }
        }
    }

    fn after_error(&self, key: &ObjectKey, next: OnError)
    where
        K: Object,
    {
        match next {
            OnError::Backoff
                if self
                    .max_retries
                    .is_none_or(|max| self.queue.num_requeues(key) < max) =>
            {
                self.queue.add_rate_limited(key.clone());
            }
            OnError::After(delay) => {
                self.queue.forget(key);
                self.queue.add_after(key.clone(), delay);
            }
            OnError::Backoff | OnError::Drop => {
                warn!(kind = %K::kind(&()), object = %key, "not retried until it changes");
                self.metrics.count(|counts| counts.dropped += 1);
                self.queue.forget(key);
            }
        }
    }
}

/// Returns the message of a panic.
fn message(panic: &(dyn Any + Send)) -> &str {
    panic
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("no message")
}
