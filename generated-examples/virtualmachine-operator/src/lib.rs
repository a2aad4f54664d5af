//! The operator as a library: [`register`] adds its controllers and webhooks to a manager.
#[rustfmt::skip]
pub mod generated;

pub mod controller;
pub mod machines;
pub mod webhooks;

use kube_codegen_runtime::manager::Manager;

use crate::machines::Machines;

/// The name of the operator, which events are attributed to. Its Lease has the same name.
pub const REPORTER: &str = "virtualmachine-operator";

/// Adds the controllers and webhooks to `manager`.
pub fn register(manager: &mut Manager) {
    manager.webhooks(webhooks::webhooks());
    controller::register(manager, Machines::default());
}
