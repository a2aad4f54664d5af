//! The shortest and the longest durations. The tests of the runtime use them, too.
use std::time::Duration;

pub(crate) const EXTREMES: [Duration; 6] = [
    Duration::ZERO,
    Duration::from_nanos(1),
    Duration::from_secs(u32::MAX as u64 + 1),
    Duration::from_secs(i64::MAX as u64),
    Duration::from_secs(u64::MAX),
    Duration::MAX,
];
