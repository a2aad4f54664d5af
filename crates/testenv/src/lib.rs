//! A real Kubernetes control plane for the tests of operators: etcd, kube-apiserver, Kubernetes' own controllers and a
//! stand-in for scheduler and kubelets, as processes on 127.0.0.1. It needs Go once, and neither Docker nor a cluster.
//!
//! ```no_run
//! use std::{process::Command, time::Duration};
//! use k8s_openapi::api::apps::v1::Deployment;
//! use kube::Api;
//! use kube_codegen_testenv::{ControlPlane, TestResult, eventually, skip};
//!
//! #[tokio::test]
//! async fn a_foo_gets_its_deployment() -> TestResult {
//!     // One control plane for all tests of the binary. `None`: none can be had here, and the test is reported as skipped.
//!     let Some(plane) = ControlPlane::shared().await? else { return Ok(()) };
//!     if !plane.has_controllers() {
//!         return Ok(skip("nothing becomes of Deployments here")?);
//!     }
//!     let namespace = plane.namespace("foo").await?;
//!     plane.apply(include_str!("../../fixtures/crdkind.yaml")).await?;
//!
//!     // The operator runs with the rights of its own service account alone, and ends with the test.
//!     plane.kubectl(["create", "serviceaccount", "operator", "-n", namespace.name()]).await?;
//!     let kubeconfig = plane.kubeconfig_for(namespace.name(), "operator").await?;
//!     let mut command = Command::new("target/debug/my-operator");
//!     command.env("KUBECONFIG", kubeconfig);
//!     let operator = plane.spawn("my-operator", command)?;
//!
//!     plane.apply(&format!("{{apiVersion: example.com/v1, kind: Foo, metadata: {{name: a, namespace: {namespace}}}}}")).await?;
//!     let deployments: Api<Deployment> = Api::namespaced(plane.client()?, namespace.name());
//!     eventually("the Deployment", Duration::from_secs(30), async || deployments.get("a").await).await?;
//!     assert!(!operator.log().contains("panicked"));
//!     Ok(())
//! }
//! ```
//!
//! Faults: a control plane of the test's own ([`ControlPlane::for_test`]) can have its [`Component`]s killed, restarted and
//! paused, and etcd [compacted](ControlPlane::compact); a [`Proxy`] before the API server spoils answers by [`Rule`].
//!
//! # Where the control plane comes from
//!
//! | variable | meaning |
//! |---|---|
//! | none | it is built by Go from the module in this crate, once, into `$XDG_CACHE_HOME/kube-codegen` (about 10 minutes of processor time) |
//! | `KUBEBUILDER_ASSETS` | folder with `etcd` and `kube-apiserver` to use instead; without Go there are no controllers then, so no Pods, and tests that need them are skipped |
//! | `KUBE_CODEGEN_E2E_KUBECONFIG` | kubeconfig of a cluster to use instead; tests that break things are skipped, namespaces are deleted, what else is applied there stays |
//! | `KUBE_CODEGEN_E2E` | `required`: a test that cannot run fails; `off`: all are skipped; unset: they run where they can |
//! | `KUBE_CODEGEN_E2E_LOGS` | where the logs of failed tests go; the temporary folder's `kube-codegen-testenv-logs` otherwise |
//!
//! The binary `control-plane` of this crate builds one ahead (`build`) or keeps one running for a person (`up`).
//!
//! # What is left behind
//!
//! Nothing, also when a test panics, runs into a time limit or is killed by SIGKILL: a small shell process notices and
//! cleans up. Only a failure keeps something, the logs of the components, and says where. A failure is a panic or a time-out of
//! [`eventually`]; tests that return a [`TestResult`] panic where a `?` fails, so no failure of theirs is without its logs.

#![warn(missing_docs)]

mod access;
mod assets;
mod component;
mod error;
mod go;
mod identity;
mod kubeconfig;
mod namespace;
mod plane;
mod process;
mod proxy;
mod reaper;
mod shared;
mod start;
mod wait;

pub use self::{
    component::Component,
    error::Error,
    namespace::Namespace,
    plane::{Builder, ControlPlane},
    process::Process,
    proxy::{Fault, Proxy, Rule, RuleHandle, Seen},
    shared::skip,
    wait::eventually,
};

pub use testresult::TestResult;

/// Builds what is missing of the control plane's programs, and gives the one that is the API server: without `KUBEBUILDER_ASSETS`
/// it is all the others as well, by its first argument. Takes minutes the first time.
pub fn build() -> Result<std::path::PathBuf, Error> {
    assets::Programs::find().map(|programs| programs.api_server.path())
}
