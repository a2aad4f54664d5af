//! Logs every change of a Pod.
use k8s_openapi::api::core::v1::Pod;
use kube_codegen_runtime::{
    informer::{EventHandlerFuncs, ObjectKey},
    manager::Manager,
};
use tracing::info;

/// Adds the handler to the informer of Pods, which the controller uses too.
pub fn register(manager: &mut Manager) {
    let handler = EventHandlerFuncs::<Pod>::new()
        .on_add(|pod, _| info!("onAdd: {}", ObjectKey::of(&**pod)))
        .on_update(|_, pod| info!("onUpdate: {}", ObjectKey::of(&**pod)))
        .on_delete(|deleted| info!("onDelete: {}", ObjectKey::of(&*deleted.object)));
    let pods = manager.factory().informer::<Pod>();
    // The handler stays for as long as the informer runs.
    let _registration = pods.add_event_handler(handler);
}
