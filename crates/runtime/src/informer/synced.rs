//! Waits for the first lists of several informers.
use std::{sync::Arc, time::Duration};

use futures::future;
use thiserror::Error;

use super::untyped::Informer;

/// Some informers have no complete list yet: they were stopped, never started, or the timeout elapsed.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("not synced: {}", kinds.join(", "))]
pub struct NotSynced {
    /// Kinds and groups of those informers (`Pod`, `Deployment.apps`), sorted.
    pub kinds: Vec<String>,
}

pub(super) async fn wait_synced(informers: &[Arc<Informer>]) -> Result<(), NotSynced> {
    let synced = future::join_all(informers.iter().map(|informer| informer.wait_synced())).await;
    not_synced(
        informers
            .iter()
            .zip(synced)
            .filter(|(_, synced)| synced.is_err())
            .map(|(informer, _)| informer.kind())
            .collect(),
    )
}

pub(super) async fn wait_synced_within(
    informers: &[Arc<Informer>],
    timeout: Duration,
) -> Result<(), NotSynced> {
    match tokio::time::timeout(timeout, wait_synced(informers)).await {
        Ok(result) => result,
        Err(_) => not_synced(
            informers
                .iter()
                .filter(|informer| !informer.has_synced())
                .map(|informer| informer.kind())
                .collect(),
        ),
    }
}

/// Fails with these kinds, if there are any.
pub(super) fn not_synced(mut kinds: Vec<String>) -> Result<(), NotSynced> {
    if kinds.is_empty() {
        return Ok(());
    }
    kinds.sort();
    Err(NotSynced { kinds })
}
