//! Moments in the future, for delays of any length.
use std::time::Duration;

use tokio::time::Instant;

/// A delay whose end no process sees. A longer one could exceed the clock.
const FAR_FUTURE: Duration = Duration::from_secs(100 * 365 * 24 * 3600);

/// Returns when `delay` is over, counted from `start`.
pub(crate) fn after(start: Instant, delay: Duration) -> Instant {
    start + delay.min(FAR_FUTURE)
}
