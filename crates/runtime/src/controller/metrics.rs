//! Counters of a controller, after controller-runtime's `controller_runtime_*` metrics. The program exports them.
use std::{sync::Arc, time::Duration};

use parking_lot::Mutex;

use crate::{
    cache::ObjectKey,
    queue::{Histogram, QueueMetrics, WorkQueue},
};

/// Counters of one controller.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct ControllerMetrics {
    /// Finished reconciles (`controller_runtime_reconcile_total`).
    pub reconciles: u64,
    /// Reconciles that returned an error (`controller_runtime_reconcile_errors_total`).
    pub errors: u64,
    /// Reconciles that did not finish within the [timeout](super::Controller::reconcile_timeout); counted as errors, too
    /// (`controller_runtime_reconcile_timeouts_total`).
    pub timeouts: u64,
    /// Reconciles that panicked (`controller_runtime_reconcile_panics_total`).
    pub panics: u64,
    /// Reconciles that returned [`Action::requeue`](super::Action::requeue).
    pub requeues: u64,
    /// Objects dropped by [`OnError::Drop`](super::OnError::Drop) (`controller_runtime_terminal_reconcile_errors_total`) or after the last retry.
    pub dropped: u64,
    /// Running reconciles (`controller_runtime_active_workers`).
    pub active: usize,
    /// Durations of reconciles (`controller_runtime_reconcile_time_seconds`).
    pub reconcile_time: Histogram,
    /// The work queue.
    pub queue: QueueMetrics,
}

/// Reads the counters of a controller while it runs. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub struct MetricsHandle {
    inner: Arc<Mutex<Inner>>,
}

#[derive(Debug, Default)]
struct Inner {
    counts: ControllerMetrics,
    queue: Option<WorkQueue<ObjectKey>>,
}

impl MetricsHandle {
    /// Returns the current counters.
    pub fn get(&self) -> ControllerMetrics {
        let inner = self.inner.lock();
        let mut metrics = inner.counts.clone();
        if let Some(queue) = &inner.queue {
            metrics.queue = queue.metrics();
        }
        metrics
    }

    pub(super) fn observe(&self, queue: &WorkQueue<ObjectKey>) {
        self.inner.lock().queue = Some(queue.clone());
    }

    pub(super) fn count(&self, change: impl FnOnce(&mut ControllerMetrics)) {
        change(&mut self.inner.lock().counts);
    }

    pub(super) fn finished(&self, took: Duration) {
        self.count(|counts| {
            counts.active -= 1;
            counts.reconciles += 1;
            counts.reconcile_time.observe(took);
        });
    }
}
