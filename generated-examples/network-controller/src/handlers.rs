//! Logs the changes of Networks.
use std::sync::Arc;

use kube::Resource;
use kube_codegen_runtime::{
    informer::{Deleted, EventHandler, ObjectKey},
    manager::Manager,
};
use tracing::info;

use crate::generated::{Informers, samplecrd_k8s_io::v1::Network};

/// Adds the handlers to the informer of Networks, which the controller uses too.
pub fn register(manager: &mut Manager) {
    let networks = manager.factory().samplecrd_k8s_io_v1().networks();
    // The handlers stay for as long as the informer runs.
    let _registration = networks.add_event_handler(Changes);
}

struct Changes;

impl EventHandler<Network> for Changes {
    fn on_add(&mut self, network: &Arc<Network>, _: bool) {
        info!("onAdd: {}", describe(network));
    }

    fn on_update(&mut self, old: &Arc<Network>, new: &Arc<Network>) {
        // A resync redelivers objects that did not change.
        if old.meta().resource_version != new.meta().resource_version {
            info!("onUpdate: {}", describe(new));
        }
    }

    /// The object is the last one that the informer knew, which is older than the final one if the watch missed the deletion.
    fn on_delete(&mut self, deleted: &Deleted<Network>) {
        let network = describe(&deleted.object);
        match deleted.final_state_unknown {
            false => info!("onDelete: {network}"),
            true => info!("onDelete: {network} (last known state)"),
        }
    }
}

fn describe(network: &Network) -> String {
    let (key, spec) = (ObjectKey::of(network), &network.spec);
    format!("{key}: {} via {}", spec.cidr, spec.gateway)
}
