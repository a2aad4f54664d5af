//! Counters and latencies of a work queue, after client-go's `workqueue_*` metrics.
use std::{collections::HashMap, hash::Hash, time::Duration};

use tokio::time::Instant;

use crate::histogram::Histogram;

/// Upper bounds of the buckets in seconds: client-go's powers of ten from 10 ns to 1,000 s.
const BOUNDS: &[f64] = &[
    1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1.0, 10.0, 100.0, 1000.0,
];

/// Counters of one queue, with the names of client-go's metrics.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct QueueMetrics {
    /// Items waiting for a worker (`workqueue_depth`).
    pub depth: usize,
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
            adds: 0,
            retries: 0,
            queue_duration: Histogram::new(BOUNDS),
            work_duration: Histogram::new(BOUNDS),
            unfinished_work: Duration::ZERO,
            longest_running: Duration::ZERO,
        }
    }
}

/// Records the metrics by Tokio's clock.
pub(super) struct Recorder<T> {
    added_at: HashMap<T, Instant>,
    started_at: HashMap<T, Instant>,
    pub(super) adds: u64,
    pub(super) retries: u64,
    queue: Histogram,
    work: Histogram,
}

impl<T> Default for Recorder<T> {
    fn default() -> Self {
        Self {
            added_at: HashMap::new(),
            started_at: HashMap::new(),
            adds: 0,
            retries: 0,
            queue: Histogram::new(BOUNDS),
            work: Histogram::new(BOUNDS),
        }
    }
}

impl<T: Eq + Hash + Clone> Recorder<T> {
    pub(super) fn added(&mut self, item: &T) {
        self.adds += 1;
        self.added_at
            .entry(item.clone())
            .or_insert_with(Instant::now);
    }

    pub(super) fn started(&mut self, item: &T) {
        let now = Instant::now();
        if let Some(since) = self.added_at.remove(item) {
            self.queue.observe_duration(now - since);
        }
        self.started_at.insert(item.clone(), now);
    }

    pub(super) fn finished(&mut self, item: &T) {
        if let Some(since) = self.started_at.remove(item) {
            self.work.observe_duration(since.elapsed());
        }
    }

    pub(super) fn snapshot(&self, depth: usize) -> QueueMetrics {
        let running = || self.started_at.values().map(Instant::elapsed);
        QueueMetrics {
            depth,
            adds: self.adds,
            retries: self.retries,
            queue_duration: self.queue.clone(),
            work_duration: self.work.clone(),
            unfinished_work: running().sum(),
            longest_running: running().max().unwrap_or_default(),
        }
    }
}
