//! The operator as a process, under its own service account and `deploy/rbac.yaml` alone, against a real API server.
//!
//! Where no control plane can be had the tests are skipped, and say so; `KUBE_CODEGEN_E2E=required` turns that into a failure.
#![allow(clippy::unwrap_used, clippy::panic)]

mod chaos;
mod children;
mod drift;
mod permissions;
mod refusals;
mod server;
mod stage;
