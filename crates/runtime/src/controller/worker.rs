//! The loop of a worker: reconciles the object of each key from the queue, and requeues the key after failures.
use std::{panic::AssertUnwindSafe, sync::Arc, time::Duration};

use futures::{FutureExt, future::BoxFuture};
use tokio::time::{Instant, timeout};
use tokio_util::sync::CancellationToken;
use tracing::{Instrument, Span, debug, error, error_span, field::Empty, warn};

use super::{Action, MetricsHandle, OnError, causes::Causes};
use crate::{cache::ObjectKey, panics, queue::WorkQueue};

/// Shortest delay of a requeue; a shorter one is replaced by the limiter's, so that no object keeps a worker busy without a pause.
const SHORTEST_REQUEUE: Duration = Duration::from_millis(1);

/// Reconciles the object of a key once, or returns nothing if there is nothing to reconcile. Boxed, so that workers are compiled once, not once per
/// kind and reconcile.
pub(super) type Attempt = Box<dyn Fn(&ObjectKey) -> Option<Reconciling> + Send + Sync>;
/// A running reconcile.
pub(super) type Reconciling = BoxFuture<'static, Result<Action, Failed>>;

/// How a reconcile has failed.
#[derive(Debug)]
pub(super) enum Failed {
    /// The error policy decides what follows.
    Error(OnError),
    /// The object that was reconciled is gone, so that its requests could only fail: nothing is wrong with the reconcile.
    Gone,
}

/// The state that all workers of a controller share.
pub(super) struct Worker {
    pub(super) kind: String,
    /// The member cluster, for spans and log lines.
    pub(super) cluster: Option<Arc<str>>,
    pub(super) queue: WorkQueue<ObjectKey>,
    pub(super) causes: Arc<Causes>,
    pub(super) attempt: Attempt,
    pub(super) max_retries: Option<u32>,
    pub(super) reconcile_timeout: Option<Duration>,
    pub(super) metrics: MetricsHandle,
}

impl Worker {
    /// Works until `stop`. Keys still queued then are not processed.
    pub(super) async fn work(self: Arc<Self>, stop: CancellationToken) {
        while let Some(Some(key)) = stop.run_until_cancelled(self.queue.get()).await {
            self.process(&key).await;
            self.queue.done(&key);
        }
    }

    async fn process(&self, key: &ObjectKey) {
        let cause = self.causes.take(key);
        let Some(attempt) = (self.attempt)(key) else {
            return self.queue.forget(key);
        };
        let started = Instant::now();
        self.metrics.count(|counts| counts.active += 1);
        // Each log line of the reconcile says which object it is about. `kube-codegen dev` draws the spans, by the fields of the two lines at
        // their ends.
        let span = self.span(key, cause.as_ref());
        span.in_scope(|| debug!(phase = "start", "starts"));
        let mut attempt = AssertUnwindSafe(attempt)
            .catch_unwind()
            .instrument(span.clone());
        let result = match self.reconcile_timeout {
            None => Some((&mut attempt).await),
            Some(limit) => timeout(limit, &mut attempt).await.ok(),
        };
        // After a timeout, this drops what the reconcile had at hand.
        let dropped = panics::catch(|| drop(attempt));
        let took = started.elapsed();
        let (outcome, failure) = match &result {
            Some(Ok(Ok(_))) => ("succeeded", None),
            Some(Ok(Err(Failed::Gone))) => ("found its object gone", None),
            Some(Ok(Err(Failed::Error(_)))) => ("failed", Some("error")),
            Some(Err(_)) => ("panicked", Some("panic")),
            None => ("timed out", Some("timeout")),
        };
        let microseconds = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
        let failed = failure.is_some();
        span.in_scope(|| debug!(phase = "end", outcome, failed, microseconds, "ends"));
        if let Some(failure) = failure {
            span.record("otel.status_code", "ERROR");
            span.record("error.type", failure);
        }
        span.in_scope(|| {
            self.metrics.finished(took, |counts| match &result {
                Some(Ok(Ok(action))) => {
                    counts.requeues += u64::from(action.requeue_after.is_some());
                }
                Some(Ok(Err(Failed::Gone))) => {}
                Some(Ok(Err(Failed::Error(_)))) => counts.errors += 1,
                Some(Err(_)) => counts.panics += 1,
                None => {
                    counts.timeouts += 1;
                    counts.panics += u64::from(dropped.is_err());
                }
            });
        });
        drop((span, cause));
        match result {
            Some(Ok(Ok(action))) => self.after_success(key, action),
            Some(Ok(Err(Failed::Error(next)))) => self.after_error(key, next),
            Some(Ok(Err(Failed::Gone))) => {
                // What has the name now, or the deletion for `run_keyed`, is reconciled at once.
                self.queue.forget(key);
                self.queue.add(key.clone());
            }
            Some(Err(panic)) => {
                let message = panics::message(panic);
                error!(kind = %self.kind, object = %key, cluster = self.cluster.as_deref(), "reconcile panicked: {message}");
                self.after_error(key, OnError::Backoff);
            }
            None => {
                warn!(kind = %self.kind, object = %key, cluster = self.cluster.as_deref(), "reconcile timed out after {took:?}");
                if let Err(message) = dropped {
                    error!(kind = %self.kind, object = %key, cluster = self.cluster.as_deref(), "reconcile panicked when it was dropped: {message}");
                }
                self.after_error(key, OnError::Backoff);
            }
        }
    }

    /// Returns the span of a reconcile, below that of the event that caused it; without one, the reconcile begins a trace.
    ///
    /// Its level is that of errors, so that each line within it names the object, whatever level is logged.
    fn span(&self, key: &ObjectKey, cause: Option<&Span>) -> Span {
        error_span!(
            parent: cause.and_then(Span::id),
            "reconcile",
            kind = %self.kind,
            object = %key,
            cluster = self.cluster.as_deref(),
            otel.status_code = Empty,
            error.r#type = Empty,
        )
    }

    fn after_success(&self, key: &ObjectKey, action: Action) {
        let Some(delay) = action.requeue_after else {
            return self.queue.forget(key);
        };
        let key = key.clone();
        if delay < SHORTEST_REQUEUE {
            return match action.priority {
                None => self.queue.add_rate_limited(key),
                Some(priority) => self.queue.add_rate_limited_with_priority(key, priority),
            };
        }
        self.queue.forget(&key);
        match action.priority {
            None => self.queue.add_after(key, delay),
            Some(priority) => self.queue.add_after_with_priority(key, delay, priority),
        }
    }

    fn after_error(&self, key: &ObjectKey, next: OnError) {
        match next {
            OnError::After(delay) if delay >= SHORTEST_REQUEUE => {
                self.queue.forget(key);
                self.queue.add_after(key.clone(), delay);
            }
            OnError::Backoff | OnError::After(_)
                if self
                    .max_retries
                    .is_none_or(|max| self.queue.num_requeues(key) < max) =>
            {
                self.queue.add_rate_limited(key.clone());
            }
            OnError::Backoff | OnError::After(_) | OnError::Drop => {
                warn!(kind = %self.kind, object = %key, cluster = self.cluster.as_deref(), "not retrying until the object changes or is resynced");
                self.metrics.count(|counts| counts.dropped += 1);
                self.queue.forget(key);
            }
        }
    }
}
