//! A Kubernetes operator for `CrdKind`.
pub mod generated;

pub mod children;
pub mod controller;
pub mod ensure;
pub mod settings;
pub mod validate;

use std::{num::NonZeroUsize, time::Duration};

use kube::Client;
use kube_codegen_runtime::{
    controller::RunError,
    event::EventRecorder,
    informer::{InformerFactory, strip_managed_fields},
};

/// Name of the operator in events and as field manager.
pub const REPORTER: &str = "crdkind-operator";

/// Settings of the operator.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Namespace to watch, or all.
    pub namespace: Option<String>,
    /// Objects reconciled concurrently, per kind.
    pub workers: NonZeroUsize,
    /// Period of redelivering every object.
    pub resync: Duration,
    /// Delay before checking again whether a child's name is free.
    pub look_again: Duration,
    /// The images to run.
    pub images: settings::Images,
}

/// What all controllers share.
#[derive(Clone)]
pub struct Shared {
    /// Access to the API server.
    pub client: Client,
    /// Creates one cache per kind.
    pub factory: InformerFactory,
    /// Reports events about objects.
    pub recorder: EventRecorder,
    /// Objects reconciled concurrently, per kind.
    pub workers: usize,
    /// The images to run.
    pub images: settings::Images,
    /// Delay before checking again whether a child's name is free.
    pub look_again: Duration,
}

/// Runs the operator until `stop` completes, and lets running reconciles finish.
pub async fn run(
    client: Client,
    settings: Settings,
    stop: impl Future<Output = ()> + Send + 'static,
) -> Result<(), RunError> {
    let mut factory = InformerFactory::builder(client.clone())
        .resync(settings.resync)
        .transform(strip_managed_fields);
    if let Some(namespace) = &settings.namespace {
        factory = factory.namespace(namespace);
    }
    let shared = Shared {
        recorder: EventRecorder::new(client.clone(), REPORTER),
        factory: factory.build(),
        workers: settings.workers.get(),
        images: settings.images,
        look_again: settings.look_again,
        client,
    };
    let outcome = controller::run(&shared, stop).await;
    shared.factory.shutdown().await;
    shared.recorder.shutdown().await;
    outcome
}
