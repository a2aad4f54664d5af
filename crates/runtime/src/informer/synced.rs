//! Waits for the first lists of several informers.
use std::{sync::Arc, time::Duration};

use futures::future;
use thiserror::Error;

use super::{error::Stopped, untyped::Informer};

/// Some informers have no complete list yet, because they were stopped, were never started, or timed out.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("not synced: {}", kinds.join(", "))]
pub struct NotSynced {
    /// Kinds and groups of these informers (`Pod`, `Deployment.apps`), sorted.
    pub kinds: Vec<String>,
}

pub(super) async fn wait_synced(informers: &[Arc<Informer>]) -> Result<(), NotSynced> {
    let synced = future::join_all(informers.iter().map(|informer| informer.wait_synced())).await;
    stopped(informers, synced)
}

/// Like [`wait_synced_within`], but does not wait for kinds that the server does not serve.
pub(super) async fn wait_settled_within(
    informers: &[Arc<Informer>],
    timeout: Duration,
) -> Result<(), NotSynced> {
    let settled = informers.iter().map(|informer| async {
        tokio::select! {
            biased;
            synced = informer.wait_synced() => synced,
            () = informer.absent() => Ok(()),
        }
    });
    match tokio::time::timeout(timeout, future::join_all(settled)).await {
        Ok(settled) => stopped(informers, settled),
        Err(_) => late(informers.iter().filter(|one| one.missing().is_none())),
    }
}

/// Fails with the kinds of the informers that have stopped.
fn stopped(informers: &[Arc<Informer>], synced: Vec<Result<(), Stopped>>) -> Result<(), NotSynced> {
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
        Err(_) => late(informers.iter()),
    }
}

/// Fails with the kinds of the informers that have no list.
fn late<'a>(informers: impl Iterator<Item = &'a Arc<Informer>>) -> Result<(), NotSynced> {
    let waiting = informers.filter(|informer| !informer.has_synced());
    not_synced(waiting.map(|informer| informer.kind()).collect())
}

/// Fails with these kinds, if there are any.
pub(super) fn not_synced(mut kinds: Vec<String>) -> Result<(), NotSynced> {
    if kinds.is_empty() {
        return Ok(());
    }
    kinds.sort();
    Err(NotSynced { kinds })
}
