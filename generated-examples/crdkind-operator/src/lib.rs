//! A Kubernetes operator for `CrdKind`.
pub mod generated;

pub mod children;
pub mod controller;
pub mod settings;
pub mod validate;

use kube_codegen_runtime::manager::Manager;

use crate::settings::Settings;

/// Name of the operator: in events, as field manager, and of its Lease.
pub const REPORTER: &str = "crdkind-operator";

/// Adds the controller to `manager`.
pub fn register(manager: &mut Manager, settings: Settings) {
    controller::register(manager, settings);
}
