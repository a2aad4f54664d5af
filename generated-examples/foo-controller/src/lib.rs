//! The operator as a library: [`register`] adds its controllers to a manager.
#[rustfmt::skip]
pub mod generated;

pub mod controller;
pub mod deployment;
pub mod steps;

use kube_codegen_runtime::manager::Manager;

use crate::steps::Settings;

/// The name of the operator, which events are attributed to. Its Lease has the same name.
pub const REPORTER: &str = "foo-controller";

/// Adds the chosen step to `manager`.
pub fn register(manager: &mut Manager, settings: Settings) {
    steps::register(manager, settings);
}
