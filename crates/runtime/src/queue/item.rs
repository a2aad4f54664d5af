//! One item of a work queue, with its times.
use std::collections::BTreeMap;

use tokio::time::Instant;

/// A time at which an item is queued. The number breaks ties, so that equal times stay first in, first out.
pub(super) type Slot = (Instant, u64);

/// An item that waits, is being processed, is scheduled, or has been retried.
#[derive(Default)]
pub(super) struct Item {
    /// It waits for a worker, or will once the worker that has it is done.
    pub(super) queued: Option<Queued>,
    /// Number in `processing`, and priority.
    pub(super) processing: Option<(u64, i32)>,
    /// Scheduled by `add_after`.
    pub(super) later: Option<Timer>,
    /// Scheduled by `add_rate_limited`.
    pub(super) backoff: Option<Backoff>,
    /// Counted retries. Not every limiter counts them.
    pub(super) retries: u32,
}

pub(super) struct Queued {
    pub(super) priority: i32,
    pub(super) order: u64,
    pub(super) since: Instant,
}

pub(super) struct Timer {
    pub(super) slot: Slot,
    pub(super) priority: i32,
}

pub(super) struct Backoff {
    pub(super) timer: Timer,
    /// An event has caused an attempt before the end of the back-off.
    pub(super) attempted: bool,
    /// An event waits for the end of the back-off.
    pub(super) has_event: bool,
}

impl Item {
    pub(super) fn is_idle(&self) -> bool {
        self.queued.is_none()
            && self.processing.is_none()
            && self.later.is_none()
            && self.backoff.is_none()
            && self.retries == 0
    }

    /// The priority of the attempt that schedules the item again.
    pub(super) fn kept_priority(&self) -> i32 {
        self.processing.map_or(0, |(_, priority)| priority)
    }
}

/// Schedules an item, whose earlier time wins and whose priority never decreases.
pub(super) fn schedule<T>(
    timers: &mut BTreeMap<Slot, T>,
    known: &mut Option<Timer>,
    mut timer: Timer,
    key: T,
) {
    if let Some(known) = known {
        if known.slot.0 <= timer.slot.0 {
            known.priority = known.priority.max(timer.priority);
            return;
        }
        timers.remove(&known.slot);
        timer.priority = timer.priority.max(known.priority);
    }
    timers.insert(timer.slot, key);
    *known = Some(timer);
}
