//! The operator as a library: [`register`] adds its controllers to a manager.
#[rustfmt::skip]
pub mod generated;

pub mod controller;
pub mod deployment;
pub mod steps;

use kube_codegen_runtime::manager::Manager;

/// The name of the operator, which events are attributed to. Its Lease has the same name.
pub const REPORTER: &str = "foo-controller";

/// Adds the controllers to `manager`.
pub fn register(manager: &mut Manager) {
    controller::register(manager);
}
