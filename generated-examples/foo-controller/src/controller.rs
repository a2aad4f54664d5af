//! Reconciles `Foo` objects.
use std::{sync::Arc, time::Duration};

use k8s_openapi::api::apps::v1::Deployment;
use kube::{
    Client, Resource, ResourceExt,
    api::{DeleteParams, Preconditions},
};
use kube_codegen_runtime::{
    client::{ErrorExt, TypedClient, describe},
    controller::{Action, Controller, OnError, is_controlled_by, owned_by},
    event::{EventRecorder, EventType},
    lister::Lister,
    manager::Manager,
};

use crate::{deployment::deployment, generated::example_com::v1alpha1::Foo};

/// Delay before checking again whether the name of a Deployment is free.
const LOOK_AGAIN: Duration = Duration::from_secs(60);

/// What `reconcile` has access to.
#[derive(Clone)]
pub struct Context {
    /// Client of the API server.
    pub client: Client,
    /// Records events about objects.
    pub recorder: EventRecorder,
    /// The cached Deployments.
    pub deployments: Lister<Deployment>,
}

impl Context {
    /// Returns a client of the objects in the namespace of `object`.
    pub fn client_of(&self, object: &Foo) -> TypedClient<Foo> {
        let namespace = object.namespace().unwrap_or_default();
        TypedClient::namespaced(self.client.clone(), &namespace).with_field_manager(crate::REPORTER)
    }

    /// Asks the API server whether the object exists and is not being deleted; the cache may be behind.
    async fn exists(&self, object: &Foo) -> kube::Result<bool> {
        match self.client_of(object).get(&object.name_any()).await {
            Ok(live) => {
                Ok(live.uid() == object.uid() && live.metadata.deletion_timestamp.is_none())
            }
            Err(error) if error.is_not_found() => Ok(false),
            Err(error) => Err(error),
        }
    }
}

/// Why a reconcile failed.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The API server rejected a request or could not be reached.
    #[error(transparent)]
    Api(#[from] kube::Error),
    /// Another object's Deployment has the name.
    #[error("the Deployment {0:?} already exists and is not controlled by this object")]
    NameTaken(String),
}

/// Adds the controller of the kind to `manager`.
pub fn register(manager: &mut Manager) {
    use crate::generated::informers::Informers;
    let informers = manager.factory().example_com_v1alpha1();
    let informer = informers.foos();
    let deployments = manager.factory().informer::<Deployment>();
    let context = Context {
        client: manager.client(),
        recorder: manager.recorder(),
        deployments: deployments.lister(),
    };
    let controller = Controller::for_informer(&informer).owns(&deployments);
    manager.controller(controller, |controller| {
        controller.run(reconcile, on_error, Arc::new(context))
    });
}

/// Reconciles one object: after every change of it or its Deployment, and once per resync period.
///
/// The object is the cached one. The function never runs concurrently for the same object, and must be idempotent.
async fn reconcile(object: Arc<Foo>, context: Arc<Context>) -> Result<Action, Error> {
    let Some(owner) = owned_by(&*object) else {
        return Ok(Action::await_change());
    };
    if object.metadata.deletion_timestamp.is_some() {
        // The garbage collector deletes the Deployment.
        return Ok(Action::await_change());
    }
    let namespace = object.namespace().unwrap_or_default();
    let deployments = TypedClient::<Deployment>::namespaced(context.client.clone(), &namespace)
        .with_field_manager(crate::REPORTER);
    let cached = context.deployments.namespaced(&namespace);
    let name = &object.spec.deployment_name;
    let desired = deployment(&object, &owner);
    let live = match cached.get(name) {
        Ok(cached) => (*cached).clone(),
        // The garbage collector would delete the Deployment of a deleted object, whose deletion leads here again.
        Err(_) if !context.exists(&object).await? => return Ok(Action::await_change()),
        Err(_) => match deployments.create(&desired).await {
            // The cache lags behind the server.
            Err(error) if error.is_already_exists() => deployments.get(name).await?,
            created => created?,
        },
    };
    if !is_controlled_by(&live, &*object) {
        return Err(Error::NameTaken(name.clone()));
    }
    let live = deployments.modify_from(&live, |live| {
        if let (Some(live), Some(desired)) = (&mut live.spec, &desired.spec) {
            live.replicas = desired.replicas;
        }
    });
    let live = live.await?;
    // After a change of the name.
    for other in cached.all() {
        if other.name_any() != *name && is_controlled_by(&*other, &*object) {
            // Not another Deployment that has replaced it meanwhile.
            let params = DeleteParams::background().preconditions(Preconditions {
                uid: other.uid(),
                resource_version: None,
            });
            match deployments.delete(&other.name_any(), &params).await {
                Err(error) if !error.is_not_found() => return Err(error.into()),
                _ => {}
            }
        }
    }
    let available = live.status.and_then(|status| status.available_replicas);
    let foos = context.client_of(&object);
    let status = foos.modify_status_from(&object, |object| {
        let status = object.status.get_or_insert_default();
        status.available_replicas = Some(available.unwrap_or_default());
    });
    status.await?;
    let note = format!("{} replicas of {name}", object.spec.replicas);
    context.recorder.event(
        &object.object_ref(&()),
        EventType::Normal,
        "Synced",
        "Reconcile",
        note,
    );
    Ok(Action::await_change())
}

/// Decides how to continue after an error, and records an event for `kubectl describe`.
fn on_error(object: Arc<Foo>, error: &Error, context: Arc<Context>) -> OnError {
    let (reason, next) = match error {
        // Only a change of the object can fix that, such as a name that a Deployment cannot have.
        Error::Api(error) if error.is_invalid() => ("Invalid", OnError::Drop),
        Error::Api(_) => ("Failed", OnError::Backoff),
        Error::NameTaken(_) => ("ErrResourceExists", OnError::After(LOOK_AGAIN)),
    };
    let (reference, note) = (object.object_ref(&()), describe(error));
    context
        .recorder
        .event(&reference, EventType::Warning, reason, "Reconcile", note);
    next
}
