//! A client and settings come in, the operator runs until it is told to stop.
pub mod generated;

pub mod children;
pub mod controller;
pub mod ensure;
pub mod settings;
pub mod validate;

use kube::Client;
use kube_codegen_runtime::event::EventRecorder;
use kube_codegen_runtime::informer::{InformerFactory, Stopped, strip_managed_fields};
use std::num::NonZeroUsize;
use std::time::Duration;

/// Name under which events are reported.
pub const REPORTER: &str = "crdkind-operator";

/// How to run.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The namespace to watch; all of them if there is none.
    pub namespace: Option<String>,
    /// Objects reconciled at the same time, per kind.
    pub workers: NonZeroUsize,
    /// Period after which every object is reconciled again, changed or not.
    pub resync: Duration,
    /// Period after which a child's name that somebody else has taken is looked at again.
    pub look_again: Duration,
    /// What to run.
    pub images: settings::Images,
}

/// What all controllers use.
#[derive(Clone)]
pub struct Shared {
    /// Access to the API server.
    pub client: Client,
    /// One cache per kind, whoever reads it.
    pub factory: InformerFactory,
    /// Reports events about objects.
    pub recorder: EventRecorder,
    /// Objects reconciled at the same time, per kind.
    pub workers: usize,
    /// What to run.
    pub images: settings::Images,
    /// Period after which a child's name that somebody else has taken is looked at again.
    pub look_again: Duration,
}

/// Runs until `stop` ends; what is being reconciled then is brought to its end.
pub async fn run(
    client: Client,
    settings: Settings,
    stop: impl Future<Output = ()> + Send + 'static,
) -> Result<(), Stopped> {
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
