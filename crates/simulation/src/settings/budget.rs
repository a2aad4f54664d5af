//! How much is simulated.

use std::time::{Duration, Instant};

/// How much to simulate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Budget {
    /// Tries each kind of fault once at each kind of choice point, and then this number of random combinations. The time depends on the
    /// operator and the machine, but the faults that are tried do not.
    Coverage(u64),
    /// Runs for this time, in real time.
    Time(Duration),
    /// Runs this number of schedules.
    Schedules(u64),
}

impl Budget {
    /// Reads `singles`, `singles+200`, `60s`, `5m` or a number of schedules.
    pub(crate) fn read(text: &str) -> Option<Self> {
        let text = text.trim();
        if let Some(more) = text.strip_prefix("singles") {
            let more = match more {
                "" => 0,
                more => more.strip_prefix('+')?.parse().ok()?,
            };
            return Some(Self::Coverage(more));
        }
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

    /// Whether the budget is spent, after `schedules` since `begin`, of which `combinations` were random.
    pub(crate) fn is_spent(self, schedules: u64, combinations: u64, begin: Instant) -> bool {
        match self {
            Self::Coverage(most) => combinations >= most,
            Self::Time(time) => begin.elapsed() >= time,
            Self::Schedules(most) => schedules >= most,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn budgets_are_read() {
        let read = |text| Budget::read(text);
        assert_eq!(read("singles"), Some(Budget::Coverage(0)));
        assert_eq!(read("singles+20"), Some(Budget::Coverage(20)));
        assert_eq!(read("5m"), Some(Budget::Time(Duration::from_secs(300))));
        assert_eq!(read("200"), Some(Budget::Schedules(200)));
        assert_eq!(read("singles20"), None);
    }
}
