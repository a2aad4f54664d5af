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
/// Each `attempt` must read the object again.
pub async fn on_conflict<T>(
    backoff: impl BackoffBuilder,
    mut attempt: impl AsyncFnMut() -> kube::Result<T>,
) -> kube::Result<T> {
    for delay in backoff.build() {
        match attempt().await {
            Err(error) if error.is_conflict() => tokio::time::sleep(delay).await,
            result => return result,
        }
    }
    attempt().await
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
