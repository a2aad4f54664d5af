//! The operator as a library: [`register`] adds its controllers and webhooks to a manager.
#[rustfmt::skip]
pub mod generated;

pub mod controller;
pub mod machines;
pub mod webhooks;

use kube_codegen_runtime::{manager::Manager, webhook::Webhooks};

use crate::machines::Machines;

/// The name of the operator, which events are attributed to. Its Lease has the same name.
pub const REPORTER: &str = "virtualmachine-operator";

/// Returns the webhooks of all kinds.
pub fn webhooks() -> Webhooks {
    let webhooks = Webhooks::new(REPORTER);
    webhooks::add(webhooks)
}

/// Adds the controllers and webhooks to `manager`.
pub fn register(manager: &mut Manager) {
    manager.webhooks(webhooks());
    controller::register(manager, Machines::default());
}
