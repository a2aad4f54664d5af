//! A real Kubernetes control plane for the tests of operators, without Docker.
//!
//! It consists of etcd, kube-apiserver, Kubernetes' controllers and a replacement for scheduler and kubelets, as processes on
//! 127.0.0.1. Building it requires Go. It runs on Unix alone.
//!
//! ```no_run
//! use std::{process::Command, time::Duration};
//! use k8s_openapi::api::apps::v1::Deployment;
//! use kube::Api;
//! use kube_codegen_testenv::{ControlPlane, TestResult, eventually, skip};
//!
//! #[tokio::test]
//! async fn a_foo_gets_its_deployment() -> TestResult {
//!     // One control plane for all tests of the binary. On `None` the test has been reported as skipped.
//!     let Some(plane) = ControlPlane::shared().await? else { return Ok(()) };
//!     if !plane.has_controllers() {
//!         return Ok(skip("Deployments get no Pods here")?);
//!     }
//!     let namespace = plane.namespace("foo").await?;
//!     plane.apply(include_str!("../../fixtures/crdkind.yaml")).await?;
//!
//!     // The operator runs with the rights of its service account and ends with the test.
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
//! # Fault injection
//!
//! A test with its own control plane ([`ControlPlane::for_test`]) can kill, restart and pause its [`Component`]s and
//! [compact](ControlPlane::compact) etcd. A [`Proxy`] in front of the API server changes responses by [`Rule`]s.
//!
//! # Configuration
//!
//! | variable | meaning |
//! |---|---|
//! | none set | Go builds it once from the module in this crate, into `$XDG_CACHE_HOME/kube-codegen` (about 10 minutes of processor time) |
//! | `KUBEBUILDER_ASSETS` | folder with `etcd` and `kube-apiserver` to use instead; without Go there are no controllers, and tests that need Pods are skipped |
//! | `KUBE_CODEGEN_E2E_KUBECONFIG` | kubeconfig of a cluster to use instead; disruptive tests are skipped, namespaces are deleted, other applied objects remain |
//! | `KUBE_CODEGEN_E2E` | `required`: a test that cannot run fails; `off`: all tests are skipped; unset: tests run if possible |
//! | `KUBE_CODEGEN_E2E_LOGS` | folder for the logs of failed tests; default: `kube-codegen-testenv-logs` in the temporary folder |
//!
//! The binary `control-plane` of this crate builds the programs ahead of time (`build`) or runs a control plane (`up`).
//!
//! # Clean-up
//!
//! All processes and files are removed, also when a test panics, times out or is killed by SIGKILL: a small shell process
//! does that. Only a failure keeps the logs of the components and prints their folder, with a picture of the run in
//! `run.html`: requests, faults, and starts and ends of processes, as lanes and arrows. A failure is a panic or a time-out of
//! [`eventually`]; with [`TestResult`], a failing `?` panics too.

#![warn(missing_docs)]

mod access;
mod assets;
mod component;
mod error;
mod go;
mod identity;
mod kubeconfig;
mod operator;
mod plane;
mod process;
mod proxy;
mod reaper;
mod recording;
mod scrape;
mod second;
mod shared;
mod start;
mod wait;

pub use self::{
    component::Component,
    error::Error,
    operator::Operator,
    plane::{Builder, ControlPlane, Namespace},
    process::Process,
    proxy::{Fault, Proxy, RecordedRequest, Rule, RuleHandle},
    scrape::scrape,
    second::SecondApiServer,
    shared::skip,
    wait::eventually,
};

pub use testresult::TestResult;

/// Builds the missing programs of the control plane and returns the path of the API server's. Without `KUBEBUILDER_ASSETS`
/// it contains all programs, selected by the first argument. The first build takes minutes.
pub fn build() -> Result<std::path::PathBuf, Error> {
    assets::Programs::find().map(|programs| programs.api_server.path())
}
