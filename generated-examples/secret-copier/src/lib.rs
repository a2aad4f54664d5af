//! The operator as a library: [`register`] adds its controllers to a manager.
pub mod controller;
pub mod copies;
pub mod settings;

use kube_codegen_runtime::manager::Manager;

use crate::settings::Settings;

/// The name of the operator, which events are attributed to. Its Lease has the same name.
pub const REPORTER: &str = "secret-copier";

/// Adds the controllers to `manager`.
pub fn register(manager: &mut Manager, settings: Settings) {
    controller::register(manager, settings);
}
