//! Counters and latencies of a work queue, after client-go's `workqueue_*` metrics.
use std::{collections::BTreeMap, time::Duration};

use tokio::time::Instant;

use crate::histogram::Histogram;

/// Upper bounds of the buckets in seconds: client-go's powers of ten from 10 ns to 1,000 s.
const BOUNDS: &[f64] = &[
    1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1.0, 10.0, 100.0, 1000.0,
];

/// The counters of one queue, named as in client-go's metrics.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct QueueMetrics {
    /// Items waiting for a worker (`workqueue_depth`).
    pub depth: usize,
    /// Items waiting for a worker, for each priority that the queue has ever held.
    pub depths: BTreeMap<i32, usize>,
    /// Time since the oldest waiting item was added.
    pub oldest: Duration,
    /// Added items (`workqueue_adds_total`).
    pub adds: u64,
    /// Items added with a delay: for a retry, or to be reconciled again later (`workqueue_retries_total`).
    pub retries: u64,
    /// Waiting times of items (`workqueue_queue_duration_seconds`).
    pub queue_duration: Histogram,
    /// Processing times of items (`workqueue_work_duration_seconds`).
    pub work_duration: Histogram,
    /// Sum of the processing times of unfinished items (`workqueue_unfinished_work_seconds`).
    pub unfinished_work: Duration,
    /// Longest processing time of an unfinished item (`workqueue_longest_running_processor_seconds`).
    pub longest_running: Duration,
}

impl Default for QueueMetrics {
    fn default() -> Self {
        Self {
            depth: 0,
            depths: BTreeMap::new(),
            oldest: Duration::ZERO,
            adds: 0,
            retries: 0,
            queue_duration: Histogram::new(BOUNDS),
            work_duration: Histogram::new(BOUNDS),
            unfinished_work: Duration::ZERO,
            longest_running: Duration::ZERO,
        }
    }
}

/// Counts and measures; the state of the queue holds the times of its items.
pub(super) struct Recorder {
    pub(super) adds: u64,
    pub(super) retries: u64,
    pub(super) queue: Histogram,
    pub(super) work: Histogram,
}

impl Default for Recorder {
    fn default() -> Self {
        Self {
            adds: 0,
            retries: 0,
            queue: Histogram::new(BOUNDS),
            work: Histogram::new(BOUNDS),
        }
    }
}

impl Recorder {
    /// `processing` has the start of each item that is being processed.
    pub(super) fn snapshot<'a>(
        &self,
        depths: BTreeMap<i32, usize>,
        oldest: Duration,
        processing: impl Iterator<Item = &'a Instant> + Clone,
    ) -> QueueMetrics {
        let running = processing.map(Instant::elapsed);
        QueueMetrics {
            depth: depths.values().sum(),
            depths,
            oldest,
            adds: self.adds,
            retries: self.retries,
            queue_duration: self.queue.clone(),
            work_duration: self.work.clone(),
            unfinished_work: running.clone().sum(),
            longest_running: running.max().unwrap_or_default(),
        }
    }
}
