//! Reconciles objects of kind `CrdKind`.
use std::{sync::Arc, time::Duration};

use k8s_openapi::api::{apps::v1::Deployment, core::v1::Service};
use kube_codegen_runtime::{
    children::{ChildError, Children},
    client::describe,
    controller::{Action, OnError},
    event::{Event, EventRecorder, EventType},
    manager::Manager,
};

use crate::{
    children::{deployment, service},
    generated::iksoon_test_com::v1::CrdKind,
    settings::{Images, Settings},
    validate::desired_state,
};

/// What reconciles share.
#[derive(Clone)]
pub struct Context {
    /// Reports events about objects.
    pub recorder: EventRecorder,
    /// The Deployments of all objects.
    pub deployments: Children<Deployment>,
    /// The Services of all objects.
    pub services: Children<Service>,
    /// The images to run.
    pub images: Images,
    /// Delay before checking again whether the name of a child is free.
    pub look_again: Duration,
}

/// Why a reconcile failed.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A child could not be created or corrected.
    #[error(transparent)]
    Child(#[from] ChildError),
    /// The spec is invalid; only a change of the object can fix that.
    #[error("{0}")]
    Invalid(String),
}

/// Adds the controller of the kind to `manager`.
pub fn register(manager: &mut Manager, settings: Settings) {
    let mut controller = manager.reconcile::<CrdKind>();
    let context = Context {
        recorder: manager.recorder(),
        deployments: controller.children(),
        services: controller.children(),
        images: settings.images,
        look_again: settings.look_again,
    };
    controller.on_error(on_error).run(reconcile, context);
}

/// Compares the children with the state that the object describes, and corrects them.
///
/// Called after every change and once per resync period with the cached object, never concurrently for one object. It must be idempotent.
async fn reconcile(object: Arc<CrdKind>, context: Arc<Context>) -> Result<Action, Error> {
    // The garbage collector deletes the children.
    if object.metadata.deletion_timestamp.is_some() {
        return Ok(Action::await_change());
    }
    let desired = desired_state(&object).map_err(Error::Invalid)?;
    let child = deployment(&object, desired, context.images.of(desired.choice));
    let deployed = context.deployments.apply(&*object, child).await?;
    let child = service(&object, desired);
    let served = context.services.apply(&*object, child).await?;
    tracing::info!(
        namespace = object.metadata.namespace,
        name = object.metadata.name,
        deployed = deployed.is_written(),
        served = served.is_written(),
        "reconciled"
    );
    // A reconcile that finds nothing to do, such as after a change of the status of a child, has nothing to report.
    if deployed.is_written() || served.is_written() {
        let note = format!(
            "{} with {} replicas is deployed and served",
            desired.choice.as_str(),
            desired.replicas
        );
        let synced = Event {
            type_: EventType::Normal,
            reason: "Synced".into(),
            action: "Reconcile".into(),
            note: Some(note),
            secondary: None,
        };
        context.recorder.publish(&*object, synced);
    }
    Ok(Action::await_change())
}

/// Decides what happens after a failure, and reports the failure as an event.
fn on_error(object: Arc<CrdKind>, error: &Error, context: Arc<Context>) -> OnError {
    let (reason, next) = match error {
        Error::Child(ChildError::Foreign { .. }) => {
            ("ErrResourceExists", OnError::After(context.look_again))
        }
        Error::Child(_) => ("Failed", OnError::Backoff),
        Error::Invalid(_) => ("Invalid", OnError::Drop),
    };
    let failed = Event {
        type_: EventType::Warning,
        reason: reason.into(),
        action: "Reconcile".into(),
        note: Some(describe(error)),
        secondary: None,
    };
    context.recorder.publish(&*object, failed);
    next
}
