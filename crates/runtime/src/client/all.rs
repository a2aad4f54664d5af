//! Reads of a namespaced kind across all namespaces.
use futures::Stream;
use k8s_openapi::NamespaceResourceScope;
use kube::{
    Api, Client,
    api::{ListParams, ObjectList, WatchEvent, WatchParams},
};

use super::{decode::send, pages::pages};
use crate::Object;

/// Reads the objects of one kind in all namespaces.
///
/// ```
/// # use k8s_openapi::api::core::v1::Pod;
/// # use kube::api::ListParams;
/// # use kube_codegen_runtime::client::AllNamespaces;
/// # async fn example(client: kube::Client) -> kube::Result<()> {
/// let web = AllNamespaces::<Pod>::new(client).list(&ListParams::default().labels("app=web")).await?;
/// # Ok(()) }
/// ```
#[derive(Clone, Debug)]
pub struct AllNamespaces<K> {
    api: Api<K>,
}

impl<K: kube::Resource<DynamicType = (), Scope = NamespaceResourceScope>> AllNamespaces<K> {
    /// Creates a client for the objects in all namespaces.
    pub fn new(client: Client) -> Self {
        Self {
            api: Api::all(client),
        }
    }
}

impl<K: Object<DynamicType = ()>> AllNamespaces<K> {
    /// Returns the `kube::Api`, for requests that this type has no method for.
    pub fn api(&self) -> &Api<K> {
        &self.api
    }

    /// Like [`TypedClient::list`](super::TypedClient::list).
    pub async fn list(&self, params: &ListParams) -> kube::Result<ObjectList<K>> {
        send(&self.api, "list", |it| it.list(params)).await
    }

    /// Like [`TypedClient::pages`](super::TypedClient::pages).
    pub fn pages(
        &self,
        params: &ListParams,
        page_size: u32,
    ) -> impl Stream<Item = kube::Result<ObjectList<K>>> + use<K> {
        pages(self.api.clone(), Ok(()), params.clone(), page_size)
    }

    /// Like [`TypedClient::watch`](super::TypedClient::watch).
    pub async fn watch(
        &self,
        params: &WatchParams,
        version: &str,
    ) -> kube::Result<impl Stream<Item = kube::Result<WatchEvent<K>>> + use<K>> {
        self.api.watch(params, version).await
    }
}
