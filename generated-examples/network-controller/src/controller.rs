//! Reconciles `Network` objects.
use std::{io, sync::Arc, time::Duration};

use kube_codegen_runtime::{
    client::describe,
    controller::{Action, OnError, predicate::resource_version_changed},
    event::{Event, EventRecorder, EventType},
    informer::ObjectKey,
    lister::Lister,
    manager::Manager,
};

use crate::{
    generated::samplecrd_k8s_io::v1::Network,
    networks::{Networks, configuration},
    settings::Settings,
};

/// The context passed to `reconcile`.
#[derive(Clone)]
pub struct Context {
    /// Records events about objects.
    pub recorder: EventRecorder,
    /// The cached objects of the kind.
    pub lister: Lister<Network>,
    /// The configured networks.
    pub networks: Networks,
    /// The interval of comparisons.
    pub check: Duration,
}

/// Why a reconcile failed.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A configured network could not be read or written.
    #[error("cannot access the configured networks")]
    Io(#[from] io::Error),
    /// The object is invalid; retrying is pointless until it changes.
    #[error("{0}")]
    Invalid(String),
}

/// Adds the controller of the kind to `manager`.
pub fn register(manager: &mut Manager, settings: Settings) {
    let context = Context {
        recorder: manager.recorder(),
        lister: manager.factory().informer().lister(),
        networks: Networks::new(settings.directory),
        check: settings.check,
    };
    let left = context.networks.keys().unwrap_or_else(|error| {
        tracing::warn!("cannot list the configured networks: {error}");
        Vec::new()
    });
    manager
        .reconcile::<Network>()
        .filter(resource_version_changed)
        // Networks whose objects were deleted while the operator did not run.
        .enqueue_from(futures::stream::iter(left))
        .on_error(on_error)
        .run_keyed(reconcile, context);
}

/// Compares the configured network with the object, and corrects it: after every change of the object, after its deletion, and once
/// per interval.
///
/// The object is the cached one; `None` if it was deleted. The function never runs concurrently for the same object, and must be
/// idempotent.
async fn reconcile(
    key: ObjectKey,
    object: Option<Arc<Network>>,
    context: Arc<Context>,
) -> Result<Action, Error> {
    let networks = &context.networks;
    let real = networks.get(&key)?;
    // A foreground deletion keeps the object for a while.
    let Some(network) = object.filter(|it| it.metadata.deletion_timestamp.is_none()) else {
        if real.is_some() {
            networks.remove(&key)?;
            tracing::info!("removed: {key}");
        }
        return Ok(Action::await_change());
    };
    // An invalid change leaves the network as it is.
    let desired = configuration(&key, &network.spec).map_err(Error::Invalid)?;
    if real.as_ref() != Some(&desired) {
        networks.set(&key, &desired)?;
        let what = if real.is_some() { "Updated" } else { "Created" };
        let note = format!("{} via {}", network.spec.cidr, network.spec.gateway);
        tracing::info!("{}: {key}: {note}", what.to_lowercase());
        context.event(&network, EventType::Normal, what, note);
    }
    Ok(Action::requeue(context.check))
}

/// Decides how to continue after an error, and records an event for `kubectl describe`.
fn on_error(key: ObjectKey, error: &Error, context: Arc<Context>) -> OnError {
    let (reason, next) = match error {
        Error::Io(_) => ("Failed", OnError::Backoff),
        Error::Invalid(_) => ("Invalid", OnError::Drop),
    };
    let namespace = key.namespace.as_deref().unwrap_or_default();
    if let Ok(network) = context.lister.namespaced(namespace).get(&key.name) {
        context.event(&network, EventType::Warning, reason, describe(error));
    }
    next
}

impl Context {
    fn event(&self, network: &Network, type_: EventType, reason: &str, note: String) {
        let event = Event {
            type_,
            reason: reason.into(),
            action: "Configure".into(),
            note: Some(note),
            secondary: None,
        };
        self.recorder.publish(network, event);
    }
}
