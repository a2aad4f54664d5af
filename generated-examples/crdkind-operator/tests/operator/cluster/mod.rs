//! The operator as a process, with the permissions of `deploy/rbac.yaml` alone, against a real API server.
//!
//! Without a control plane the tests report that they are skipped; `KUBE_CODEGEN_E2E=required` turns that into a failure.
#![allow(clippy::unwrap_used, clippy::panic)]

mod chaos;
mod children;
mod deployed;
mod drift;
mod kustomize;
mod leaders;
mod permissions;
mod rejections;
mod server;
mod shards;
mod stage;
