//! What a factory does with informers of any kind.
use std::{any::Any, sync::Arc, time::Duration};

use futures::future::{self, BoxFuture, FutureExt};
use thiserror::Error;

use super::{Division, InformerStatus, InvalidNamespace, SharedInformer};
use crate::cache::Object;

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

impl<K: Object> SharedInformer<K> {
    /// Returns the same for all handles of this informer.
    pub(crate) fn id(&self) -> InformerId {
        InformerId(Arc::as_ptr(&self.inner).addr())
    }
}

/// An informer of any kind.
pub(super) trait Managed: Any + Send + Sync {
    fn id(&self) -> InformerId;
    fn kind(&self) -> String;
    fn start(&self);
    fn is_started(&self) -> bool;
    fn has_synced(&self) -> bool;
    fn wait_synced(&self) -> BoxFuture<'_, bool>;
    fn stop(&self) -> BoxFuture<'_, ()>;
    fn failed(&self) -> BoxFuture<'_, String>;
    fn add_namespace(&self, name: &str) -> Result<(), InvalidNamespace>;
    fn remove_namespace(&self, name: &str) -> bool;
    fn divide(&self, division: &Arc<dyn Division>) -> bool;
    fn status(&self) -> InformerStatus;
}

impl<K: Object> Managed for SharedInformer<K> {
    fn id(&self) -> InformerId {
        SharedInformer::id(self)
    }

    fn kind(&self) -> String {
        SharedInformer::kind(self).to_string()
    }

    fn start(&self) {
        SharedInformer::start(self);
    }

    fn is_started(&self) -> bool {
        self.inner.tasks.age().is_some()
    }

    fn has_synced(&self) -> bool {
        SharedInformer::has_synced(self)
    }

    fn wait_synced(&self) -> BoxFuture<'_, bool> {
        SharedInformer::wait_synced(self)
            .map(|result| result.is_ok())
            .boxed()
    }

    fn stop(&self) -> BoxFuture<'_, ()> {
        self.shutdown().boxed()
    }

    fn failed(&self) -> BoxFuture<'_, String> {
        async {
            self.stopped().await;
            match self.failure() {
                Some(message) => message,
                None => future::pending().await,
            }
        }
        .boxed()
    }

    fn add_namespace(&self, name: &str) -> Result<(), InvalidNamespace> {
        SharedInformer::add_namespace(self, name)
    }

    fn remove_namespace(&self, name: &str) -> bool {
        SharedInformer::remove_namespace(self, name)
    }

    fn divide(&self, division: &Arc<dyn Division>) -> bool {
        SharedInformer::divide(self, division)
    }

    fn status(&self) -> InformerStatus {
        SharedInformer::status(self)
    }
}

pub(super) async fn wait_synced(informers: &[Arc<dyn Managed>]) -> Result<(), NotSynced> {
    let synced = future::join_all(informers.iter().map(|informer| informer.wait_synced())).await;
    not_synced(
        informers
            .iter()
            .zip(synced)
            .filter(|(_, synced)| !synced)
            .map(|(informer, _)| informer.kind())
            .collect(),
    )
}

pub(super) async fn wait_synced_within(
    informers: &[Arc<dyn Managed>],
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
