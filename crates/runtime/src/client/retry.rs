//! Retries writes that fail with a conflict, like client-go's `retry` package.
//!
//! [`TypedClient::modify`](super::TypedClient::modify) retries by itself. Use [`on_conflict`] for other writes:
//!
//! ```
//! use k8s_openapi::api::apps::v1::Deployment;
//! use kube_codegen_runtime::client::{TypedClient, retry};
//!
//! # async fn example(deployments: TypedClient<Deployment>) -> kube::Result<()> {
//! let scale = retry::on_conflict(retry::DEFAULT_BACKOFF, async || {
//!     let mut scale = deployments.scale().get("web").await?;
//!     let spec = scale.spec.get_or_insert_default();
//!     spec.replicas = spec.replicas.map(|replicas| replicas + 1);
//!     deployments.scale().replace("web", &scale).await
//! })
//! .await?;
//! # Ok(()) }
//! ```
use std::time::Duration;

pub use backon::{BackoffBuilder, ConstantBuilder, ExponentialBuilder};

use super::ErrorExt;

/// For conflicts with an occasional writer: five attempts, 10 to 20 ms apart.
pub const DEFAULT_RETRY: ExponentialBuilder = ExponentialBuilder::new()
    .with_min_delay(Duration::from_millis(10))
    .with_factor(1.0)
    .with_jitter()
    .with_max_times(4);

/// For conflicts with a frequent writer: four attempts, with delays of 10, 50 and 250 ms, each extended by a random time up to its own
/// length.
pub const DEFAULT_BACKOFF: ExponentialBuilder = ExponentialBuilder::new()
    .with_min_delay(Duration::from_millis(10))
    .with_factor(5.0)
    .with_jitter()
    .with_max_times(3);

/// Repeats `attempt` while it fails with a conflict, with the delays of `backoff`. The result of the last attempt is final.
///
/// Each `attempt` must read the object again. The bound is not `AsyncFnMut` because rustc cannot prove that its future is `Send`.
pub async fn on_conflict<T, F: Future<Output = kube::Result<T>>>(
    backoff: impl BackoffBuilder,
    mut attempt: impl FnMut() -> F,
) -> kube::Result<T> {
    let mut delays = backoff.build();
    loop {
        let result = attempt().await;
        let is_conflict = result.as_ref().is_err_and(ErrorExt::is_conflict);
        match delays.next().filter(|_| is_conflict) {
            Some(delay) => tokio::time::sleep(delay).await,
            None => return result,
        }
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
