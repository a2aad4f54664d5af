//! The operator as a library: [`register`] adds its controllers to a manager.
pub mod controller;
pub mod watcher;

use kube_codegen_runtime::manager::Manager;

/// The name of the operator, which events are attributed to. Its Lease has the same name.
pub const REPORTER: &str = "pod-watcher";

/// Adds the controllers to `manager`.
pub fn register(manager: &mut Manager) {
    watcher::register(manager);
    controller::register(manager);
}
