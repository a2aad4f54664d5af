//! An in-memory Kubernetes API server for testing operators.
//!
//! ```
//! # use kube_codegen_testing::{ApiServer, Failure, On};
//! # use k8s_openapi::api::core::v1::ConfigMap;
//! # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), kube::Error> {
//! let server = ApiServer::new();
//! let maps: kube::Api<ConfigMap> = kube::Api::namespaced(server.client(), "default");
//! server.fail_next(On::verb("create").resource("configmaps"), Failure::status(503));
//!
//! let map = serde_json::from_value(serde_json::json!({"metadata": {"name": "a"}})).unwrap();
//! assert!(maps.create(&Default::default(), &map).await.is_err());
//! maps.create(&Default::default(), &map).await?;
//! assert_eq!(server.requests().len(), 2);
//! # Ok(()) }
//! ```
//!
//! The server behaves like a real one wherever operators can tell the difference: resource versions, conflicts, generations, finalizers,
//! garbage collection, status and scale subresources, server-side apply, schemas with defaults and error messages, and watches that end,
//! expire and send bookmarks. Clients connect in process or, with [`ApiServer::listen`], over HTTP.
//!
//! # Limitations
//!
//! Namespaces, controllers and authorization are off by default: enable them with [`ApiServer::builder`]. Without controllers, a
//! Deployment gets no Pods, and your test sets the status that it needs.
//!
//! The responses for custom resources and built-in kinds are compared with kube-apiserver's; `docs/api-server-in-memory.md` lists the
//! remaining differences.

mod admission;
mod auth;
mod controllers;
mod fields;
mod handlers;
mod kinds;
mod policies;
mod rbac;
mod record;
mod request;
mod routing;
mod server;
mod storage;
mod transport;
mod values;
mod webhooks;

pub use controllers::{Controllers, PodPlan};
#[doc(hidden)]
pub use record::blocked_owners;
pub use record::{Action, EventAction, EventInFlight, Failure, On, RecordedRequest};
pub use request::User;
pub use server::{ApiServer, ApplyError, Builder, StateError};
pub use transport::ApiService;
#[cfg(feature = "tls")]
pub use transport::Tls;
#[doc(hidden)]
pub use transport::serving;
