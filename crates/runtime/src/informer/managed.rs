//! What a factory does with informers of any kind.
use std::{sync::Arc, time::Duration};

use futures::future;
use thiserror::Error;

use super::shared::Informer;

/// Some informers have no complete list yet: they were stopped, never started, or the timeout elapsed.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("not synced: {}", kinds.join(", "))]
pub struct NotSynced {
    /// Kinds and groups of those informers (`Pod`, `Deployment.apps`), sorted.
    pub kinds: Vec<String>,
}

/// Identifies an informer as long as a handle of it exists.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct InformerId(usize);

impl Informer {
    /// Returns the same for all handles of this informer.
    pub(super) fn id(&self) -> InformerId {
        InformerId(std::ptr::from_ref(self).addr())
    }

    /// Waits until the informer ends by itself, and returns why.
    pub(super) async fn failed(&self) -> String {
        self.state.stop.cancelled().await;
        match self.state.failure() {
            Some(message) => message,
            None => future::pending().await,
        }
    }
}

pub(super) async fn wait_synced(informers: &[Arc<Informer>]) -> Result<(), NotSynced> {
    let synced = future::join_all(informers.iter().map(|informer| informer.wait_synced())).await;
    not_synced(
        informers
            .iter()
            .zip(synced)
            .filter(|(_, synced)| synced.is_err())
            .map(|(informer, _)| informer.state.kind.to_string())
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
                .filter(|informer| !informer.state.has_synced())
                .map(|informer| informer.state.kind.to_string())
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
