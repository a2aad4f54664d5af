//! The trait of all kinds.
use std::fmt::Debug;

use serde::{Serialize, de::DeserializeOwned};

/// A kind of objects, as accepted by every client, cache, controller and webhook.
///
/// You never implement it: every generated type, every kind of `k8s-openapi`, every type with kube's `#[derive(CustomResource)]`, and
/// kube's `PartialObjectMeta` and `DynamicObject` are an `Object` automatically. The trait bundles what they have in common.
///
/// ```
/// use kube_codegen_runtime::Object;
///
/// fn label<K: Object>(object: &mut K) {
///     object.meta_mut().labels.get_or_insert_default().insert("app".into(), "web".into());
/// }
/// # label(&mut k8s_openapi::api::core::v1::Pod::default());
/// ```
///
/// A kind that is known at compile time is an `Object<DynamicType = ()>`; clients and webhooks require one. Other traits mark what only
/// some kinds can do:
///
/// | Trait | Kinds | For |
/// |---|---|---|
/// | [`StatusSubresource`](crate::client::StatusSubresource) | kinds with a status subresource | `modify_status`, `apply_status` and so on |
/// | [`ScaleSubresource`](crate::client::ScaleSubresource) | kinds with a scale subresource | `scale()` |
/// | [`Fields`](crate::record::apply::Fields) | generated kinds, and the kinds of `k8s-openapi` | [`Apply`](crate::record::apply::Apply) and [`Children`](crate::children::Children), which must tell the fields that you set from the others |
pub trait Object:
    kube::Resource + Clone + Debug + Serialize + DeserializeOwned + Send + Sync + 'static
{
}

impl<K> Object for K where
    K: kube::Resource + Clone + Debug + Serialize + DeserializeOwned + Send + Sync + 'static
{
}
