//! The three steps from a client to a controller.
use std::{convert::Infallible, time::Duration};

use kube::api::ListParams;
use kube_codegen_runtime::{
    client::{AllNamespaces, describe},
    informer::{EventHandlerFuncs, ObjectKey},
    manager::{Manager, Runnable},
};
use tracing::{info, warn};

use crate::{
    controller,
    generated::{Clientset, Informers, example_com::v1alpha1::Foo},
};

/// What the program runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Step {
    /// List the objects in a loop, with the typed client
    List,
    /// Log the changes, with an informer and its handlers
    Watch,
    /// Reconcile the objects
    #[default]
    Control,
}

/// Settings of the operator.
#[derive(Clone, Copy, Debug, clap::Args)]
pub struct Settings {
    /// What to run
    #[arg(value_enum, default_value_t)]
    pub step: Step,

    /// Interval of the step `list`
    #[arg(long, value_name = "PERIOD", default_value = "10s", value_parser = humantime::parse_duration)]
    pub every: Duration,
}

/// Adds a step to `manager`.
pub fn register(manager: &mut Manager, Settings { step, every }: Settings) {
    match step {
        Step::List => {
            let foos = Clientset::new(manager.client()).example_com_v1alpha1();
            let foos = foos.foos_all();
            manager.add(Runnable::new("list", async move |stop| {
                // Until the stop.
                _ = stop.run_until_cancelled(list(&foos, every)).await;
                Ok::<_, Infallible>(())
            }));
        }
        Step::Watch => watch(manager),
        Step::Control => controller::register(manager),
    }
}

/// Lists all objects in a loop.
async fn list(foos: &AllNamespaces<Foo>, every: Duration) {
    loop {
        match foos.list(&ListParams::default()).await {
            Ok(foos) => {
                info!("there are {} Foos", foos.items.len());
                for object in foos {
                    info!("listed: {}", line(&object));
                }
            }
            Err(error) => warn!("cannot list Foos: {}", describe(&error)),
        }
        tokio::time::sleep(every).await;
    }
}

/// Adds handlers to the informer.
fn watch(manager: &mut Manager) {
    let handler = EventHandlerFuncs::<Foo>::new()
        .on_add(|object, _| info!("added: {}", line(object)))
        .on_update(|_, object| info!("updated: {}", line(object)))
        .on_delete(|deleted| info!("deleted: {}", line(&deleted.object)));
    let foos = manager.factory().example_com_v1alpha1().foos();
    // The handlers stay for as long as the informer runs.
    let _registration = foos.add_event_handler(handler);
}

fn line(object: &Foo) -> String {
    let (key, spec) = (ObjectKey::of(object), &object.spec);
    let replicas = spec.replicas;
    format!("{key}: {replicas} of {}", spec.deployment_name)
}
