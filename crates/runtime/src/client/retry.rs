//! Retries of writes that fail with a conflict, as client-go's `retry` package does.
//!
//! ```
//! use k8s_openapi::api::core::v1::ConfigMap;
//! use kube_codegen_runtime::client::{TypedClient, retry};
//!
//! # async fn example(maps: TypedClient<ConfigMap>) -> kube::Result<()> {
//! let stored = retry::on_conflict(retry::DEFAULT_BACKOFF, async || {
//!     let mut map = maps.get("a").await?;
//!     map.data.get_or_insert_default().insert("key".into(), "value".into());
//!     maps.replace(&map).await
//! })
//! .await?;
//! # Ok(()) }
//! ```
use std::time::Duration;

pub use backon::{BackoffBuilder, ConstantBuilder, ExponentialBuilder};

use super::ErrorExt;

/// For a conflict with an occasional writer: five attempts, 10 to 20 ms apart.
pub const DEFAULT_RETRY: ExponentialBuilder = ExponentialBuilder::new()
    .with_min_delay(Duration::from_millis(10))
    .with_factor(1.0)
    .with_jitter()
    .with_max_times(4);

/// For a conflict with a frequent writer: four attempts, with delays of 10, 50 and 250 ms, each lengthened at random by up to its own length.
pub const DEFAULT_BACKOFF: ExponentialBuilder = ExponentialBuilder::new()
    .with_min_delay(Duration::from_millis(10))
    .with_factor(5.0)
    .with_jitter()
    .with_max_times(3);

/// Runs `attempt` until it returns anything but a conflict, with the delays of `backoff`. The last attempt's result is final.
///
/// Each `attempt` must read the object again. It is not an `AsyncFnMut`, of which rustc cannot prove that the future is `Send`.
pub async fn on_conflict<T, F: Future<Output = kube::Result<T>>>(
    backoff: impl BackoffBuilder,
    mut attempt: impl FnMut() -> F,
) -> kube::Result<T> {
    let mut delays = backoff.build();
    loop {
        let result = attempt().await;
        if let Some(result) = unless_conflict(result, &mut delays).await {
            return result;
        }
    }
}

/// Returns the result, or nothing after the next delay if it is a conflict and there is a delay left.
pub(super) async fn unless_conflict<T>(
    result: kube::Result<T>,
    delays: &mut impl Iterator<Item = Duration>,
) -> Option<kube::Result<T>> {
    let is_conflict = result.as_ref().is_err_and(ErrorExt::is_conflict);
    match delays.next().filter(|_| is_conflict) {
        Some(delay) => {
            tokio::time::sleep(delay).await;
            None
        }
        None => Some(result),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delays_grow_by_the_factor_within_the_jitter() {
        for (backoff, expected) in [
            (DEFAULT_RETRY, vec![10, 10, 10, 10]),
            (DEFAULT_BACKOFF, vec![10, 50, 250]),
        ] {
            let delays: Vec<_> = backoff.build().map(|delay| delay.as_millis()).collect();
            assert_eq!(delays.len(), expected.len(), "{delays:?}");
            for (delay, base) in delays.iter().zip(expected) {
                assert!((base..=2 * base).contains(delay), "{delays:?}");
            }
        }
    }
}
