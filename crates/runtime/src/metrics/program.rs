//! The program as a whole: leader election, certificates and the process.
use std::{
    fmt,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use super::encoder::{Encoder, Labels};
use crate::{leader_election::LeaderStatus, shards::ShardStatus};

/// Counts how often certificates were read from files. Clones refer to the same counters.
#[derive(Clone, Debug, Default)]
pub struct CertificateMetrics {
    reads: Arc<AtomicU64>,
    errors: Arc<AtomicU64>,
}

impl CertificateMetrics {
    /// Counts one attempt, and whether it failed.
    pub fn count(&self, succeeded: bool) {
        self.reads.fetch_add(1, Ordering::Relaxed);
        self.errors
            .fetch_add(u64::from(!succeeded), Ordering::Relaxed);
    }
}

pub(super) fn encode(
    leaders: &[LeaderStatus],
    shards: &[ShardStatus],
    dropped_events: &[(Labels, u64)],
    certificates: &CertificateMetrics,
    out: &mut Encoder<'_>,
) -> fmt::Result {
    let leaders: Vec<_> = leaders
        .iter()
        .map(|leader| (vec![("name", leader.name().to_owned())], leader))
        .collect();
    out.gauge(
        "leader_election_master_status",
        "1 while this process leads, else 0",
        leaders
            .iter()
            .map(|(labels, leader)| (labels, u32::from(leader.is_leader()))),
    )?;
    out.counter(
        "leader_election_slowpath_total",
        "Renewals of the lease that had to read it first",
        leaders
            .iter()
            .map(|(labels, leader)| (labels, leader.slow_paths())),
    )?;
    let shards: Vec<_> = shards
        .iter()
        .map(|shards| (vec![("name", shards.name().to_owned())], shards))
        .collect();
    out.gauge(
        "leader_election_shards",
        "Shards of all replicas",
        shards
            .iter()
            .map(|(labels, shards)| (labels, shards.ranges())),
    )?;
    out.gauge(
        "leader_election_shards_held",
        "Shards whose objects this process reconciles",
        shards
            .iter()
            .map(|(labels, shards)| (labels, shards.held())),
    )?;
    let none = Labels::new();
    out.counter(
        "event_recorder_dropped_total",
        "Events that were not sent because the queue was full",
        dropped_events
            .iter()
            .map(|(labels, count)| (labels, *count)),
    )?;
    out.counter(
        "certwatcher_read_certificate_total",
        "Attempts to read a certificate from files",
        [(&none, certificates.reads.load(Ordering::Relaxed))],
    )?;
    out.counter(
        "certwatcher_read_certificate_errors_total",
        "Failed attempts to read a certificate from files",
        [(&none, certificates.errors.load(Ordering::Relaxed))],
    )?;
    encode_process(out)
}

/// Encodes what Linux says about the process. A value that cannot be read is left out.
#[cfg(target_os = "linux")]
#[expect(clippy::cast_precision_loss, reason = "far below 2^52 ticks and bytes")]
fn encode_process(out: &mut Encoder<'_>) -> fmt::Result {
    let Ok(process) = procfs::process::Process::myself() else {
        return Ok(());
    };
    let none = Labels::new();
    let seconds = |ticks: u64| ticks as f64 / procfs::ticks_per_second() as f64;
    if let Ok(stat) = process.stat() {
        out.counter(
            "process_cpu_seconds_total",
            "User and system CPU time in seconds",
            [(&none, seconds(stat.utime + stat.stime))],
        )?;
        out.gauge(
            "process_resident_memory_bytes",
            "Resident memory in bytes",
            [(&none, stat.rss * procfs::page_size())],
        )?;
        out.gauge(
            "process_virtual_memory_bytes",
            "Virtual memory in bytes",
            [(&none, stat.vsize)],
        )?;
        if let Ok(boot) = procfs::boot_time_secs() {
            out.gauge(
                "process_start_time_seconds",
                "Start of the process in seconds since the Unix epoch",
                [(&none, boot as f64 + seconds(stat.starttime))],
            )?;
        }
    }
    if let Ok(open) = process.fd_count() {
        out.gauge("process_open_fds", "Open file descriptors", [(&none, open)])?;
    }
    let Ok(limits) = process.limits() else {
        return Ok(());
    };
    let limit = |value| match value {
        procfs::process::LimitValue::Unlimited => f64::INFINITY,
        procfs::process::LimitValue::Value(value) => value as f64,
    };
    out.gauge(
        "process_max_fds",
        "Most open file descriptors",
        [(&none, limit(limits.max_open_files.soft_limit))],
    )?;
    out.gauge(
        "process_virtual_memory_max_bytes",
        "Most virtual memory in bytes",
        [(&none, limit(limits.max_address_space.soft_limit))],
    )
}

#[cfg(not(target_os = "linux"))]
fn encode_process(_: &mut Encoder<'_>) -> fmt::Result {
    Ok(())
}
