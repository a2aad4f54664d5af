//! How much is simulated.

use std::time::{Duration, Instant};

/// How much is simulated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Budget {
    /// For this time of the system's clock.
    Time(Duration),
    /// This number of schedules.
    Schedules(u64),
}

impl Budget {
    /// Reads `60s`, `5m` or a number of schedules.
    pub(crate) fn read(text: &str) -> Option<Self> {
        let text = text.trim();
        let seconds = |number: &str, factor: u64| {
            let number: u64 = number.parse().ok()?;
            Some(Self::Time(Duration::from_secs(number.checked_mul(factor)?)))
        };
        if let Some(number) = text.strip_suffix('s') {
            return seconds(number, 1);
        }
        if let Some(number) = text.strip_suffix('m') {
            return seconds(number, 60);
        }
        text.parse().ok().map(Self::Schedules)
    }

    pub(crate) fn is_spent(self, schedules: u64, since: Instant) -> bool {
        match self {
            Self::Time(time) => since.elapsed() >= time,
            Self::Schedules(most) => schedules >= most,
        }
    }
}
