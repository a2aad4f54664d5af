//! What a client measures of its own process.
use std::{
    fs, io,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use rustix::time::{ClockId, clock_gettime};
use serde::{Deserialize, Serialize};

/// The first line that a client prints: after the list.
#[derive(Debug, Serialize, Deserialize)]
pub struct Synced {
    /// CPU seconds, and seconds, from the start of the informer until its handler has seen all objects.
    pub cpu: f64,
    pub wall: f64,
    /// Resident bytes before the list, a second after it, and the highest number so far.
    pub before: u64,
    pub steady: u64,
    pub peak: u64,
    /// Microseconds for reading one object from the cache.
    pub read: Option<f64>,
    /// The same for each of a thousand objects that are read again and again, and the milliseconds for a list of all objects.
    pub hot: Option<f64>,
    pub scan: Option<f64>,
    /// The longest stall of the list, in milliseconds.
    pub stall: Option<f64>,
    /// Of a program with a garbage collector: the resident bytes, and those of the heap, after a collection.
    pub collected: Option<[u64; 2]>,
}

/// The second line: after the updates.
#[derive(Debug, Serialize, Deserialize)]
pub struct Updated {
    pub cpu: f64,
    /// Milliseconds from send to handler.
    pub p50: f64,
    pub p99: f64,
    pub stall: Option<f64>,
}

/// Times from send to handler.
#[derive(Debug, Default)]
pub struct Latencies(Vec<u64>);

impl Latencies {
    pub fn add(&mut self, sent: u64) -> usize {
        self.0.push(crate::widget::now().saturating_sub(sent));
        self.0.len()
    }

    /// Returns the quantile in milliseconds.
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "of a few thousand numbers far below 2^53"
    )]
    pub fn quantile(&mut self, quantile: f64) -> f64 {
        self.0.sort_unstable();
        let index = (self.0.len() as f64 * quantile) as usize;
        self.0
            .get(index.min(self.0.len().saturating_sub(1)))
            .map_or(0.0, |nanos| *nanos as f64 / 1e6)
    }
}

/// A clock, and the CPU time of the process.
pub struct Stopwatch(Instant, Duration);

impl Stopwatch {
    pub fn start() -> Self {
        Self(Instant::now(), cpu(ClockId::ProcessCPUTime))
    }

    pub fn wall(&self) -> f64 {
        self.0.elapsed().as_secs_f64()
    }

    pub fn cpu(&self) -> f64 {
        cpu(ClockId::ProcessCPUTime)
            .saturating_sub(self.1)
            .as_secs_f64()
    }
}

fn cpu(clock: ClockId) -> Duration {
    Duration::try_from(clock_gettime(clock)).unwrap_or_default()
}

/// The longest stall of a runtime with one thread: the CPU time that the thread spent between two turns of a task that sleeps for a
/// millisecond. It counts the work of this program alone, on a busy machine too.
#[derive(Clone, Default)]
pub struct Stall(Arc<AtomicU64>);

impl Stall {
    pub async fn watch(self) {
        let mut last = cpu(ClockId::ThreadCPUTime);
        loop {
            tokio::time::sleep(Duration::from_millis(1)).await;
            let now = cpu(ClockId::ThreadCPUTime);
            let spent = u64::try_from(now.saturating_sub(last).as_micros()).unwrap_or(u64::MAX);
            self.0.fetch_max(spent, Ordering::Relaxed);
            last = now;
        }
    }

    /// Returns the longest stall since the last call, in milliseconds.
    pub fn take(&self) -> f64 {
        Duration::from_micros(self.0.swap(0, Ordering::Relaxed)).as_secs_f64() * 1e3
    }
}

/// Returns a field of `/proc/self/status` in bytes: `VmRSS`, or `VmHWM` for the peak.
pub fn memory(field: &str) -> io::Result<u64> {
    let status = fs::read_to_string("/proc/self/status")?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix(field)?.strip_prefix(':'));
    let kilobytes = line.and_then(|text| text.trim().trim_end_matches(" kB").parse::<u64>().ok());
    kilobytes
        .map(|number| number * 1024)
        .ok_or_else(|| io::Error::other(format!("/proc/self/status has no {field}")))
}
