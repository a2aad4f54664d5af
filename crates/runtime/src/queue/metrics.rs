//! Counters and latencies of a work queue, after client-go's `workqueue_*` metrics. The program exports them.
use std::{collections::HashMap, hash::Hash, time::Duration};

use tokio::time::Instant;

/// Counters of one queue, with the names of client-go's metrics.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct QueueMetrics {
    /// Items waiting for a worker (`workqueue_depth`).
    pub depth: usize,
    /// Added items (`workqueue_adds_total`).
    pub adds: u64,
    /// Items added through the rate limiter (`workqueue_retries_total`).
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

/// Durations counted in buckets, as in Prometheus.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Histogram {
    /// Number of durations up to each bound in [`Histogram::BOUNDS`]; cumulative.
    pub buckets: [u64; Histogram::BOUNDS.len()],
    /// Number of durations.
    pub count: u64,
    /// Sum of the durations.
    pub sum: Duration,
}

impl Histogram {
    /// Upper bounds of the buckets in seconds: client-go's powers of ten from 10 ns to 1,000 s.
    pub const BOUNDS: [f64; 12] = [
        1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1.0, 10.0, 100.0, 1000.0,
    ];

    /// Counts one duration.
    pub fn observe(&mut self, duration: Duration) {
        let seconds = duration.as_secs_f64();
        for (count, bound) in self.buckets.iter_mut().zip(Self::BOUNDS) {
            *count += u64::from(seconds <= bound);
        }
        self.count += 1;
        self.sum += duration;
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
            queue: Histogram::default(),
            work: Histogram::default(),
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
            self.queue.observe(now - since);
        }
        self.started_at.insert(item.clone(), now);
    }

    pub(super) fn finished(&mut self, item: &T) {
        if let Some(since) = self.started_at.remove(item) {
            self.work.observe(since.elapsed());
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
