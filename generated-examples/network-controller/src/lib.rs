//! The operator as a library: [`register`] adds its controllers to a manager.
#[rustfmt::skip]
pub mod generated;

pub mod controller;
pub mod handlers;
pub mod networks;
pub mod settings;

use kube_codegen_runtime::manager::Manager;

use crate::settings::Settings;

/// The name of the operator, which events are attributed to. Its Lease has the same name.
pub const REPORTER: &str = "network-controller";

/// Adds the controllers to `manager`.
pub fn register(manager: &mut Manager, settings: Settings) {
    handlers::register(manager);
    controller::register(manager, settings);
}
