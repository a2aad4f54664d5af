//! Typed clients over `kube::Api`. A client offers only the verbs that its kind supports.
//!
//! [`TypedClient`] works for every kind known at compile time: generated kinds and the kinds of `k8s-openapi`. The verbs of the `status`
//! and `scale` subresources exist only for kinds marked with [`StatusSubresource`] and [`ScaleSubresource`]:
//!
//! ```compile_fail,E0277
//! # use k8s_openapi::api::core::v1::ConfigMap;
//! # async fn rejected(maps: kube_codegen_runtime::client::TypedClient<ConfigMap>, map: ConfigMap) -> kube::Result<()> {
//! maps.replace_status(&map).await?; // a ConfigMap has no status
//! # Ok(())
//! # }
//! ```
//!
//! ```compile_fail,E0277
//! # use k8s_openapi::api::core::v1::Pod;
//! # fn rejected(pods: kube_codegen_runtime::client::TypedClient<Pod>) {
//! pods.scale(); // a Pod cannot be scaled
//! # }
//! ```
//!
//! To change an object, use [`TypedClient::modify`], which sends only the difference. [`TypedClient::replace`] sends the whole object, and
//! so drops any field that the Rust type does not have.
//!
//! A name that is not a valid path segment (empty, `..`, with a slash) fails before any request is sent.
mod all;
pub(crate) mod apply;
mod conflict;
#[cfg(feature = "rustls-tls")]
mod connect;
pub(crate) mod decode;
mod error;
mod kinds;
mod modify;
pub(crate) mod pages;
pub mod retry;
mod scale;
pub(crate) mod status;
#[cfg(feature = "rustls-tls")]
mod token;
mod trace;
pub(crate) mod transfer;
pub(crate) mod typed;
#[cfg(feature = "rustls-tls")]
mod warnings;
pub(crate) mod writer;

pub use all::AllNamespaces;
pub use apply::{Applied, FieldManager};
pub use conflict::FieldConflict;
#[cfg(feature = "rustls-tls")]
pub use connect::{DEAD_AFTER, builder, connect};
pub use error::{ErrorExt, NotLeading, describe};
pub use modify::ModifyResult;
pub use scale::{ScaleClient, ScaleSubresource};
#[doc(hidden)]
pub use status::MarkedStatus;
pub use status::StatusSubresource;
pub use trace::{TraceLayer, Traced};
pub use typed::TypedClient;
