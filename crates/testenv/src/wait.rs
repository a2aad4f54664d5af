//! In: a look at the cluster. Out: what it showed once it was as wanted. Never a sleep of fixed length in place of a look.

use std::{fmt::Display, time::Duration};

use tokio::time::{Instant, sleep, timeout_at};

use crate::{error::Error, reaper::keep_all_logs};

/// How often to look.
const EVERY: Duration = Duration::from_millis(50);

/// Looks again and again until `look` gives `Ok`, and returns that; its error says what was seen instead.
///
/// After `within` the last of those is part of [`Error::Timeout`], and the logs of the control planes are kept. A look that hangs ends then too.
///
/// ```
/// # use std::time::Duration;
/// # #[tokio::main(flavor = "current_thread")] async fn main() {
/// let mut looks = 0;
/// let seen = kube_codegen_testenv::eventually("three looks", Duration::from_secs(5), async || {
///     looks += 1;
///     if looks == 3 { Ok(looks) } else { Err(format!("only {looks}")) }
/// });
/// assert_eq!(seen.await.unwrap(), 3);
/// # }
/// ```
pub async fn eventually<T, E: Display>(
    what: &str,
    within: Duration,
    mut look: impl AsyncFnMut() -> Result<T, E>,
) -> Result<T, Error> {
    let end = Instant::now() + within;
    let mut last = "nothing, the first look hung".to_owned();
    while let Ok(seen) = timeout_at(end, look()).await {
        match seen {
            Ok(seen) => return Ok(seen),
            Err(seen) => last = seen.to_string(),
        }
        if Instant::now() + EVERY > end {
            break;
        }
        sleep(EVERY).await;
    }
    keep_all_logs();
    Err(Error::Timeout {
        what: what.to_owned(),
        within,
        last,
    })
}
