//! Virtual time: how long the run lasts, and since when nothing has changed.

use std::{
    sync::{Mutex, PoisonError},
    time::Duration,
};

use tokio::time::Instant;

pub(crate) struct Clock {
    start: Instant,
    /// The virtual time before the start.
    before: Duration,
    /// The last change, failure or restart; in the future while something is delayed.
    active: Mutex<Instant>,
}

impl Clock {
    pub(super) fn new(before: Duration) -> Self {
        let now = Instant::now();
        Self {
            start: now,
            before,
            active: Mutex::new(now),
        }
    }

    pub(crate) fn elapsed(&self) -> Duration {
        self.before + self.start.elapsed()
    }

    /// The run is not at rest before this time has passed.
    pub(super) fn busy(&self, time: Duration) {
        let until = Instant::now() + time;
        let mut active = self.active.lock().unwrap_or_else(PoisonError::into_inner);
        *active = until.max(*active);
    }

    pub(crate) fn active(&self) -> Instant {
        *self.active.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
