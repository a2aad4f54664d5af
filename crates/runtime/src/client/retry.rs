//! A failed write in, another attempt after a while out: the retry helpers of client-go.
use super::ErrorExt;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::time::Duration;

/// How often to try, and how long to wait in between.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Backoff {
    /// How many attempts there are in all; one at least.
    pub steps: u32,
    /// How long to wait after the first.
    pub duration: Duration,
    /// What the wait is multiplied with after each further one.
    pub factor: f64,
    /// By what share of itself a wait is lengthened at most, at random, so that competitors part.
    pub jitter: f64,
}

/// For a conflict with a client that writes now and then: five attempts, some 10 ms apart.
pub const DEFAULT_RETRY: Backoff = Backoff {
    steps: 5,
    duration: Duration::from_millis(10),
    factor: 1.0,
    jitter: 0.1,
};

/// For a conflict with a client that writes all the time: four attempts after 10, 50 and 250 ms.
pub const DEFAULT_BACKOFF: Backoff = Backoff {
    steps: 4,
    duration: Duration::from_millis(10),
    factor: 5.0,
    jitter: 0.1,
};

impl Backoff {
    /// The waits between the attempts.
    fn waits(self) -> impl Iterator<Item = Duration> {
        let mut wait = self.duration.as_secs_f64();
        (1..self.steps).map(move |_| {
            let jittered = wait * (1.0 + self.jitter * share());
            wait *= self.factor;
            Duration::try_from_secs_f64(jittered).unwrap_or(Duration::MAX)
        })
    }
}

/// A number from 0 to 1, as random as the keys of a hash map.
fn share() -> f64 {
    let bits = RandomState::new().build_hasher().finish() >> 32;
    f64::from(u32::try_from(bits).unwrap_or(u32::MAX)) / f64::from(u32::MAX)
}

/// Runs `attempt` until it gives anything but a conflict, as often as `backoff` says; then the last conflict is the error.
///
/// `attempt` must read the object anew each time.
pub async fn on_conflict<T>(
    backoff: Backoff,
    mut attempt: impl AsyncFnMut() -> kube::Result<T>,
) -> kube::Result<T> {
    for wait in backoff.waits() {
        match attempt().await {
            Err(error) if error.is_conflict() => tokio::time::sleep(wait).await,
            result => return result,
        }
    }
    attempt().await
}

#[cfg(test)]
mod tests {
    use super::{DEFAULT_BACKOFF, DEFAULT_RETRY};

    #[test]
    fn waits_grow_by_the_factor_within_the_jitter() {
        let within = |waits: Vec<u128>, expected: &[u128]| {
            waits.len() == expected.len()
                && waits
                    .iter()
                    .zip(expected)
                    .all(|(wait, base)| (*base..=base + base / 10).contains(wait))
        };
        let micros = |backoff: super::Backoff| {
            backoff
                .waits()
                .map(|wait| wait.as_micros())
                .collect::<Vec<_>>()
        };
        assert!(
            within(micros(DEFAULT_RETRY), &[10_000; 4]),
            "{:?}",
            micros(DEFAULT_RETRY)
        );
        assert!(
            within(micros(DEFAULT_BACKOFF), &[10_000, 50_000, 250_000]),
            "{:?}",
            micros(DEFAULT_BACKOFF)
        );
    }
}
