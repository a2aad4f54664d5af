//! Reconciles `Pod` objects.
use std::sync::Arc;

use k8s_openapi::api::core::v1::Pod;
use kube::Client;
use kube_codegen_runtime::{
    controller::Action, informer::ObjectKey, lister::Lister, manager::Manager,
};

/// The context passed to `reconcile`.
#[derive(Clone)]
pub struct Context {
    /// Client of the API server.
    pub client: Client,
    /// The cached objects of the kind.
    pub lister: Lister<Pod>,
}

/// Why a reconcile failed. The log shows the error with its sources.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The API server rejected a request or could not be reached.
    #[error(transparent)]
    Api(#[from] kube::Error),
}

/// Adds the controller of the kind to `manager`.
pub fn register(manager: &mut Manager) {
    let controller = manager.reconcile::<Pod>();
    let context = Context {
        client: manager.client(),
        // Of the same informer for every caller, with one watch and one cache.
        lister: manager.factory().informer().lister(),
    };
    controller.run_keyed(reconcile, context);
}

/// Reconciles one object. Runs after every change to it, after its deletion, and once per resync period. After an error, it is retried with a back-off.
///
/// The object is the cached one; `None` if it was deleted. The operator does not see deletions that
/// happen while it is not running. The function never runs concurrently for the same object, and must be idempotent.
async fn reconcile(
    key: ObjectKey,
    object: Option<Arc<Pod>>,
    _context: Arc<Context>,
) -> Result<Action, Error> {
    if let Some(pod) = object {
        let status = pod.status.as_ref();
        let phase = status.and_then(|status| status.phase.as_deref());
        let phase = phase.unwrap_or("Unknown");
        tracing::info!("phase: {key} is {phase}");
    }
    Ok(Action::await_change())
}
