//! A kind in, typed verbs on its objects out, over `kube::Api`; never guesses a path, and offers no verb that the kind does not have.
//!
//! [`TypedClient`] works for every kind that is known at compile time: generated ones and those of `k8s-openapi`. Verbs of the `status` and
//! `scale` subresources exist only for kinds marked with [`StatusSubresource`] and [`ScaleSubresource`]:
//!
//! ```compile_fail,E0277
//! # use k8s_openapi::api::core::v1::ConfigMap;
//! # async fn refused(maps: kube_codegen_runtime::client::TypedClient<ConfigMap>, map: ConfigMap) -> kube::Result<()> {
//! maps.update_status(&map).await?; // a ConfigMap has no status
//! # Ok(())
//! # }
//! ```
//!
//! ```compile_fail,E0277
//! # use k8s_openapi::api::core::v1::Pod;
//! # fn refused(pods: kube_codegen_runtime::client::TypedClient<Pod>) {
//! pods.scale(); // a Pod cannot be scaled
//! # }
//! ```
//!
//! A name that is no path segment (empty, `..`, with a slash) is refused before anything is sent.
mod all;
mod apply;
mod error;
mod kinds;
mod pages;
pub mod retry;
mod scale;
mod segment;
mod status;
mod typed;

pub use all::AllNamespaces;
pub use apply::FieldManager;
pub use error::ErrorExt;
pub use scale::{ScaleClient, ScaleSubresource};
pub use status::StatusSubresource;
pub use typed::TypedClient;

use serde::Serialize;
use serde::de::DeserializeOwned;
use std::fmt::Debug;

/// What a client asks of a kind. Every generated type and every resource of `k8s-openapi` has it.
pub trait Kind:
    kube::Resource<DynamicType = ()> + Clone + Debug + DeserializeOwned + Serialize
{
}

impl<K: kube::Resource<DynamicType = ()> + Clone + Debug + DeserializeOwned + Serialize> Kind
    for K
{
}
