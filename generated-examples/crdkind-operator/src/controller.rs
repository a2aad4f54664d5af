//! Objects of kind `CrdKind` come in one by one; the world is brought into the state they describe.
use crate::Shared;
use crate::children::{child_name, deployment, service};
use crate::ensure::{cached, ensure};
use crate::generated::iksoon_test_com::v1::CrdKind;
use crate::settings::Images;
use crate::validate::wanted;
use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::core::v1::Service;
use kube::{Client, Resource, ResourceExt};
use kube_codegen_runtime::controller::{Action, Controller, OnError, owned_by};
use kube_codegen_runtime::event::{EventRecorder, EventType};
use kube_codegen_runtime::informer::{SharedInformer, Stopped};
use std::sync::Arc;
use std::time::Duration;

/// What a reconcile has at hand.
#[derive(Clone)]
pub struct Context {
    /// Access to the API server.
    pub client: Client,
    /// Reports events about objects.
    pub recorder: EventRecorder,
    /// The Deployments, of which some are children.
    pub deployments: SharedInformer<Deployment>,
    /// The Services, of which some are children.
    pub services: SharedInformer<Service>,
    /// What to run.
    pub images: Images,
    /// How long a child's name that is taken is left alone before it is looked at again.
    pub look_again: Duration,
}

/// Why a reconcile failed.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The API server refused, or could not be reached.
    #[error(transparent)]
    Api(#[from] kube::Error),
    /// A child that does not become JSON, or JSON that becomes no child.
    #[error(transparent)]
    Json(#[from] serde_json::Error),
    /// The name of a child is taken by an object that is not controlled by ours.
    #[error("{kind} {name:?} already exists and is not controlled by this object")]
    Foreign {
        /// Kind of the child.
        kind: &'static str,
        /// Name of the child.
        name: String,
    },
    /// The object asks for what makes no sense; only a change of it can help.
    #[error("{0}")]
    Invalid(String),
}

/// Reconciles all objects of the kind until `stop` ends.
pub async fn run(
    shared: &Shared,
    stop: impl Future<Output = ()> + Send + 'static,
) -> Result<(), Stopped> {
    use crate::generated::informers::Informers;
    let informers = shared.factory.iksoon_test_com_v1();
    let informer = informers.crdplural();
    let context = Context {
        client: shared.client.clone(),
        recorder: shared.recorder.clone(),
        deployments: shared.factory.informer(),
        services: shared.factory.informer(),
        images: shared.images.clone(),
        look_again: shared.look_again,
    };
    Controller::for_informer(&informer)
        .owns(&context.deployments)
        .owns(&context.services)
        .workers(shared.workers)
        .graceful_shutdown_on(stop)
        .run(reconcile, on_error, Arc::new(context))
        .await
}

/// Brings the world into the state that the object describes: after every change of it, and once per resync period.
///
/// It is called with what the cache holds now, never twice at a time for one object, and must give the same result however often
/// it is called.
async fn reconcile(object: Arc<CrdKind>, context: Arc<Context>) -> Result<Action, Error> {
    // The children go with it: the garbage collector sees to that.
    if object.metadata.deletion_timestamp.is_some() {
        return Ok(Action::await_change());
    }
    let wanted = wanted(&object).map_err(Error::Invalid)?;
    let Some(owner) = owned_by(&*object) else {
        return Ok(Action::await_change());
    };
    let (client, namespace, name) = (
        &context.client,
        object.namespace().unwrap_or_default(),
        child_name(&object.name_any()),
    );
    let image = context.images.of(wanted.choice);
    let known = cached(&context.deployments, &namespace, &name);
    let deployed = ensure(
        client,
        known.as_deref(),
        &object,
        &deployment(&object, &owner, wanted, image),
    )
    .await?;
    let known = cached(&context.services, &namespace, &name);
    let served = ensure(
        client,
        known.as_deref(),
        &object,
        &service(&object, &owner, wanted),
    )
    .await?;
    tracing::info!(namespace, name, deployed, served, "reconciled");
    let note = format!(
        "{} with {} replicas is deployed and served",
        wanted.choice.as_str(),
        wanted.replicas
    );
    context.recorder.event(
        &object.object_ref(&()),
        EventType::Normal,
        "Synced",
        "Reconcile",
        note,
    );
    Ok(Action::await_change())
}

/// Says what is to happen after a failure, and tells it where `kubectl describe` shows it.
fn on_error(object: Arc<CrdKind>, error: &Error, context: Arc<Context>) -> OnError {
    let (reason, next) = match error {
        Error::Api(_) | Error::Json(_) => ("Failed", OnError::Backoff),
        Error::Foreign { .. } => ("ErrResourceExists", OnError::After(context.look_again)),
        Error::Invalid(_) => ("Invalid", OnError::Drop),
    };
    let (reference, note) = (object.object_ref(&()), error.to_string());
    context
        .recorder
        .event(&reference, EventType::Warning, reason, "Reconcile", note);
    next
}
