//! Waits for a condition by polling.

use std::{fmt::Display, time::Duration};

use tokio::time::{Instant, sleep, timeout_at};

use crate::{error::Error, reaper::keep_all_logs};

/// The polling interval.
const INTERVAL: Duration = Duration::from_millis(50);

/// A longer time could exceed the clock.
const LONGEST: Duration = Duration::from_secs(100 * 365 * 24 * 3600);

/// Polls `check` until it returns `Ok`, and returns that value. An `Err` of `check` describes the current state.
///
/// After `within` the result is [`Error::Timeout`] with the last of these errors, and the logs of the control planes are
/// kept. This also ends a check that hangs.
///
/// ```
/// # use std::time::Duration;
/// # #[tokio::main(flavor = "current_thread")] async fn main() {
/// let mut count = 0;
/// let seen = kube_codegen_testenv::eventually("three checks", Duration::from_secs(5), async || {
///     count += 1;
///     if count == 3 { Ok(count) } else { Err(format!("only {count}")) }
/// });
/// assert_eq!(seen.await.unwrap(), 3);
/// # }
/// ```
pub async fn eventually<T, E: Display>(
    what: &str,
    within: Duration,
    mut check: impl AsyncFnMut() -> Result<T, E>,
) -> Result<T, Error> {
    let end = Instant::now() + within.min(LONGEST);
    let mut last = "nothing, the first check hung".to_owned();
    while let Ok(result) = timeout_at(end, check()).await {
        match result {
            Ok(value) => return Ok(value),
            Err(state) => last = state.to_string(),
        }
        if Instant::now() + INTERVAL > end {
            break;
        }
        sleep(INTERVAL).await;
    }
    let error = Error::Timeout {
        what: what.to_owned(),
        within,
        last,
    };
    keep_all_logs(&error.to_string());
    Err(error)
}
