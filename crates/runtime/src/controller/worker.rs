//! One worker's loop: a key comes out of the queue, its object is reconciled, the outcome decides when the key comes back.
use super::{Action, MetricsHandle, OnError};
use crate::{
    informer::{Object, ObjectKey, SharedInformer},
    queue::WorkQueue,
};
use futures::FutureExt;
use std::{any::Any, fmt, panic::AssertUnwindSafe, sync::Arc};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tracing::{error, warn};

/// What all workers of a controller share.
pub(super) struct Worker<K, Reconcile, Policy, Ctx> {
    pub(super) primary: SharedInformer<K>,
    pub(super) queue: WorkQueue<ObjectKey>,
    pub(super) reconcile: Reconcile,
    pub(super) error_policy: Policy,
    pub(super) context: Arc<Ctx>,
    pub(super) max_retries: Option<u32>,
    pub(super) metrics: MetricsHandle,
}

impl<K, Reconcile, Policy, Ctx> Worker<K, Reconcile, Policy, Ctx> {
    /// Works until `stop`; what is queued then stays undone.
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
        let Some(object) = self.primary.find(key.namespace_or_empty(), &key.name) else {
            return self.queue.forget(key);
        };
        let began = Instant::now();
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
        let outcome = AssertUnwindSafe(attempt).catch_unwind().await;
        self.metrics.count(|counts| counts.active -= 1);
        self.metrics.ended(began.elapsed());
        match outcome {
            Ok(Ok(action)) => {
                self.queue.forget(key);
                if let Some(delay) = action.requeue_after {
                    self.metrics.count(|counts| counts.requeues += 1);
                    self.queue.add_after(key.clone(), delay);
                }
            }
            Ok(Err(then)) => {
                self.metrics.count(|counts| counts.errors += 1);
                self.after_error::<K>(key, then);
            }
            Err(panic) => {
                self.metrics.count(|counts| counts.panics += 1);
                error!(kind = %K::kind(&()), object = %key, "reconcile panicked: {}", message(&*panic));
                self.after_error::<K>(key, OnError::Backoff);
            }
        }
    }

    fn after_error<Kind: Object>(&self, key: &ObjectKey, then: OnError) {
        match then {
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
                warn!(kind = %Kind::kind(&()), object = %key, "not retried until it changes");
                self.metrics.count(|counts| counts.dropped += 1);
                self.queue.forget(key);
            }
        }
    }
}

/// What a panic said.
fn message(panic: &(dyn Any + Send)) -> &str {
    panic
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("no message")
}
