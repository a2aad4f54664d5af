//! Reconciles `VirtualMachine` objects.
use std::sync::Arc;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;
use kube::{Client, ResourceExt};
use kube_codegen_runtime::{
    client::{ErrorExt, TypedClient, describe},
    condition::{condition, set_condition},
    controller::{Action, OnError},
    event::{Event, EventRecorder, EventType},
    finalizer::{Step, finalize},
    manager::Manager,
};

use crate::{
    generated::infra_example_com::v1::{VirtualMachine, VirtualMachineStatusPhase},
    machines::{Machines, Size},
    webhooks::CPU,
};

/// Keeps an object until its machine has stopped.
pub const FINALIZER: &str = "infra.example.com/machine";

/// The context passed to `reconcile`.
#[derive(Clone)]
pub struct Context {
    /// Client of the API server.
    pub client: Client,
    /// Records events about objects.
    pub recorder: EventRecorder,
    /// The machines.
    pub machines: Machines,
}

impl Context {
    /// Returns a client for the namespace of `object`.
    pub fn client_of(&self, object: &VirtualMachine) -> TypedClient<VirtualMachine> {
        let namespace = object.namespace().unwrap_or_default();
        TypedClient::namespaced(self.client.clone(), &namespace)
    }

    fn event(&self, object: &VirtualMachine, type_: EventType, reason: &str, note: &str) {
        let event = Event {
            type_,
            reason: reason.into(),
            action: "Reconcile".into(),
            note: Some(note.into()),
            secondary: None,
        };
        self.recorder.publish(object, event);
    }
}

/// Why a reconcile failed.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The API server rejected a request or could not be reached.
    #[error(transparent)]
    Api(#[from] kube::Error),
}

/// Adds the controller of the kind to `manager`.
pub fn register(manager: &mut Manager, machines: Machines) {
    let controller = manager.reconcile::<VirtualMachine>();
    let context = Context {
        client: manager.client(),
        recorder: manager.recorder(),
        machines,
    };
    controller.on_error(on_error).run(reconcile, context);
}

/// Reconciles one object. Runs after every change to it, and once per resync period.
///
/// The object is the cached one. The function never runs concurrently for the same object, and must be idempotent.
async fn reconcile(object: Arc<VirtualMachine>, context: Arc<Context>) -> Result<Action, Error> {
    let client = context.client_of(&object);
    finalize(&client, FINALIZER, object, async |step| {
        match step {
            Step::Apply(object) => run(&object, &context).await?,
            Step::Cleanup(object) => {
                context.machines.stop(&object.uid().unwrap_or_default());
                context.event(
                    &object,
                    EventType::Normal,
                    "Stopped",
                    "the machine has stopped",
                );
            }
        }
        Ok(Action::await_change())
    })
    .await
}

/// Starts the machine, and reports that it runs.
async fn run(object: &VirtualMachine, context: &Context) -> Result<(), Error> {
    let size = Size {
        cpu: object.spec.cpu.unwrap_or(CPU),
        memory: object.spec.memory.clone(),
    };
    let message = format!("{} CPUs, {} of memory", size.cpu, size.memory);
    if context
        .machines
        .start(&object.uid().unwrap_or_default(), size)
    {
        context.event(object, EventType::Normal, "Started", &message);
    }
    let ready = Condition {
        observed_generation: object.metadata.generation,
        ..condition("Ready", true, "Running", message)
    };
    let client = context.client_of(object);
    let status = client.modify_status_from(object, |object| {
        let status = object.status.get_or_insert_default();
        status.phase = Some(VirtualMachineStatusPhase::Running);
        let conditions = status.conditions.get_or_insert_default();
        set_condition(conditions, ready.clone());
    });
    status.await?;
    Ok(())
}

/// Decides how to continue after an error, and records an event for `kubectl describe`.
fn on_error(object: Arc<VirtualMachine>, error: &Error, context: Arc<Context>) -> OnError {
    let (reason, next) = match error {
        // Only a change of the object can fix that.
        Error::Api(error) if error.is_invalid() => ("Invalid", OnError::Drop),
        Error::Api(_) => ("Failed", OnError::Backoff),
    };
    context.event(&object, EventType::Warning, reason, &describe(error));
    next
}
