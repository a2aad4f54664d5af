//! Reconciles `Foo` objects.
use std::{sync::Arc, time::Duration};

use k8s_openapi::api::apps::v1::Deployment;
use kube::{Client, ResourceExt};
use kube_codegen_runtime::{
    children::{ChildError, Children},
    client::{ErrorExt, TypedClient, describe},
    controller::{Action, OnError},
    event::{Event, EventRecorder, EventType},
    manager::Manager,
};

use crate::{deployment::deployment, generated::example_com::v1alpha1::Foo};

/// Delay before checking again whether the name of a Deployment is free.
const LOOK_AGAIN: Duration = Duration::from_secs(60);

/// The context passed to `reconcile`.
#[derive(Clone)]
pub struct Context {
    /// Client of the API server.
    pub client: Client,
    /// Records events about objects.
    pub recorder: EventRecorder,
    /// The Deployments of all objects.
    pub deployments: Children<Deployment>,
}

impl Context {
    /// Returns a client for the namespace of `object`.
    pub fn client_of(&self, object: &Foo) -> TypedClient<Foo> {
        let namespace = object.namespace().unwrap_or_default();
        TypedClient::namespaced(self.client.clone(), &namespace)
    }
}

/// Why a reconcile failed.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The API server rejected a request or could not be reached.
    #[error(transparent)]
    Api(#[from] kube::Error),
    /// The Deployment could not be created, corrected or deleted.
    #[error(transparent)]
    Child(#[from] ChildError),
}

/// Adds the controller of the kind to `manager`.
pub fn register(manager: &mut Manager) {
    let mut controller = manager.reconcile::<Foo>();
    let context = Context {
        client: manager.client(),
        recorder: manager.recorder(),
        deployments: controller.children(),
    };
    controller.on_error(on_error).run(reconcile, context);
}

/// Reconciles one object. Runs after every change to it or its Deployment, and once per resync period.
///
/// The object is the cached one. The function never runs concurrently for the same object, and must be idempotent.
async fn reconcile(object: Arc<Foo>, context: Arc<Context>) -> Result<Action, Error> {
    if object.metadata.deletion_timestamp.is_some() {
        // The garbage collector deletes the Deployment.
        return Ok(Action::await_change());
    }
    let name = &object.spec.deployment_name;
    let deployments = &context.deployments;
    let deployed = deployments.apply(&*object, deployment(&object)).await?;
    let Some(live) = deployed.object() else {
        // It cannot be created yet. The next event leads here again.
        return Ok(Action::await_change());
    };
    // After a change of the name.
    deployments.prune(&*object, [name]).await?;
    let available = live.status.as_ref().and_then(|it| it.available_replicas);
    let foos = context.client_of(&object);
    let status = foos.modify_status_from(&object, |object| {
        let status = object.status.get_or_insert_default();
        status.available_replicas = Some(available.unwrap_or_default());
    });
    status.await?;
    // A reconcile that finds nothing to do, such as after a change of a status, has nothing to report.
    if deployed.is_written() {
        let synced = Event {
            type_: EventType::Normal,
            reason: "Synced".into(),
            action: "Reconcile".into(),
            note: Some(format!("{} replicas of {name}", object.spec.replicas)),
            secondary: None,
        };
        context.recorder.publish(&*object, synced);
    }
    Ok(Action::await_change())
}

/// Decides how to continue after an error, and records an event for `kubectl describe`.
fn on_error(object: Arc<Foo>, error: &Error, context: Arc<Context>) -> OnError {
    let (reason, next) = match error {
        // Only a change of the object can fix that, such as a name that a Deployment cannot have.
        Error::Api(error) | Error::Child(ChildError::Api(error)) if error.is_invalid() => {
            ("Invalid", OnError::Drop)
        }
        Error::Child(ChildError::Foreign { .. }) => {
            ("ErrResourceExists", OnError::After(LOOK_AGAIN))
        }
        Error::Api(_) | Error::Child(_) => ("Failed", OnError::Backoff),
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
