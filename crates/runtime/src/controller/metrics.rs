//! Counters of a controller, after controller-runtime's `controller_runtime_*` metrics.
use std::{sync::Arc, time::Duration};

use parking_lot::Mutex;

#[cfg(feature = "metrics")]
use crate::exemplars::{Exemplars, TraceId};
use crate::{
    cache::ObjectKey,
    histogram::Histogram,
    queue::{QueueMetrics, QueueSnapshot, WorkQueue},
};

/// Upper bounds of the buckets of reconcile times in seconds, as in controller-runtime.
const BOUNDS: &[f64] = &[
    0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9,
    1.0, 1.25, 1.5, 1.75, 2.0, 2.5, 3.0, 3.5, 4.0, 4.5, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 15.0, 20.0,
    25.0, 30.0, 40.0, 50.0, 60.0,
];

/// The counters of one controller.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ControllerMetrics {
    /// Finished reconciles (`controller_runtime_reconcile_total`).
    pub reconciles: u64,
    /// Reconciles that returned an error (`controller_runtime_reconcile_errors_total`).
    pub errors: u64,
    /// Reconciles that panicked (`controller_runtime_reconcile_panics_total`), not included in `errors`.
    pub panics: u64,
    /// Reconciles that exceeded the [reconcile timeout](super::Controller::reconcile_timeout)
    /// (`controller_runtime_reconcile_timeouts_total`), not included in `errors`.
    pub timeouts: u64,
    /// Reconciles that returned [`Action::requeue`](super::Action::requeue).
    pub requeues: u64,
    /// Objects dropped by [`OnError::Drop`](super::OnError::Drop) (`controller_runtime_terminal_reconcile_errors_total`) or after the last retry.
    pub dropped: u64,
    /// Reconciles running now (`controller_runtime_active_workers`).
    pub active: usize,
    /// The maximum number of concurrent reconciles (`controller_runtime_max_concurrent_reconciles`).
    pub workers: usize,
    /// Durations of reconciles (`controller_runtime_reconcile_time_seconds`).
    pub reconcile_time: Histogram,
    /// The counters of the work queue.
    pub queue: QueueMetrics,
}

impl Default for ControllerMetrics {
    fn default() -> Self {
        Self {
            reconciles: 0,
            errors: 0,
            panics: 0,
            timeouts: 0,
            requeues: 0,
            dropped: 0,
            active: 0,
            workers: 0,
            reconcile_time: Histogram::new(BOUNDS),
            queue: QueueMetrics::default(),
        }
    }
}

/// A handle for reading a controller's counters while it runs. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub struct MetricsHandle {
    inner: Arc<Mutex<Inner>>,
}

#[derive(Debug, Default)]
struct Inner {
    name: String,
    cluster: Option<Arc<str>>,
    counts: ControllerMetrics,
    queue: Option<WorkQueue<ObjectKey>>,
    #[cfg(feature = "metrics")]
    exemplars: Option<Exemplars>,
}

impl MetricsHandle {
    /// Returns the name of the controller.
    pub fn name(&self) -> String {
        self.inner.lock().name.clone()
    }

    /// Returns the name of the [member cluster](crate::clusters) that the controller belongs to.
    pub fn cluster(&self) -> Option<Arc<str>> {
        self.inner.lock().cluster.clone()
    }

    /// Returns the current counters.
    pub fn get(&self) -> ControllerMetrics {
        let (mut metrics, queue) = {
            let inner = self.inner.lock();
            (inner.counts.clone(), inner.queue.clone())
        };
        if let Some(queue) = queue {
            metrics.queue = queue.metrics();
        }
        metrics
    }

    /// Returns a snapshot of the work queue, for a page such as `/debug/queues`, with at most `limit` items per section. Returns `None`
    /// before the controller runs.
    pub fn queue(&self, limit: usize) -> Option<QueueSnapshot<ObjectKey>> {
        let queue = self.inner.lock().queue.clone();
        queue.map(|queue| queue.snapshot(limit))
    }

    pub(super) fn set_name(&self, name: String) {
        self.inner.lock().name = name;
    }

    pub(super) fn set_cluster(&self, name: Option<Arc<str>>) {
        self.inner.lock().cluster = name;
    }

    /// Keeps the trace of a reconcile beside its duration.
    #[cfg(feature = "metrics")]
    pub(crate) fn set_exemplars(&self, trace_id: TraceId) {
        self.inner.lock().exemplars = Some(Exemplars::new(BOUNDS, trace_id));
    }

    #[cfg(feature = "metrics")]
    pub(crate) fn exemplars(&self) -> Option<Exemplars> {
        self.inner.lock().exemplars.clone()
    }

    pub(super) fn observe(&self, queue: &WorkQueue<ObjectKey>) {
        self.inner.lock().queue = Some(queue.clone());
    }

    pub(super) fn count(&self, change: impl FnOnce(&mut ControllerMetrics)) {
        change(&mut self.inner.lock().counts);
    }

    /// Counts a finished reconcile and its result at once, so that no counter ever decreases. Its span is the current one.
    pub(super) fn finished(&self, took: Duration, result: impl FnOnce(&mut ControllerMetrics)) {
        self.count(|counts| {
            result(counts);
            counts.active -= 1;
            counts.reconciles += 1;
            counts.reconcile_time.observe_duration(took);
        });
        #[cfg(feature = "metrics")]
        if let Some(exemplars) = self.exemplars() {
            exemplars.observe(took);
        }
    }
}
