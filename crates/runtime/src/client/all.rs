//! A namespaced kind across all namespaces: what can be read so, and nothing that needs one namespace.
use super::{Kind, pages};
use futures::Stream;
use k8s_openapi::NamespaceResourceScope;
use kube::api::{ListParams, ObjectList, WatchEvent, WatchParams};
use kube::{Api, Client};

/// Reads the objects of one kind in all namespaces.
#[derive(Clone, Debug)]
pub struct AllNamespaces<K> {
    api: Api<K>,
}

impl<K: kube::Resource<DynamicType = (), Scope = NamespaceResourceScope>> AllNamespaces<K> {
    /// The objects of all namespaces.
    pub fn new(client: Client) -> Self {
        Self {
            api: Api::all(client),
        }
    }
}

impl<K: Kind> AllNamespaces<K> {
    /// The plain `kube::Api`, for all that has no verb here.
    pub fn api(&self) -> &Api<K> {
        &self.api
    }

    /// As [`TypedClient::list`](super::TypedClient::list).
    pub async fn list(&self, params: &ListParams) -> kube::Result<ObjectList<K>> {
        self.api.list(params).await
    }

    /// As [`TypedClient::pages`](super::TypedClient::pages).
    pub fn pages(
        &self,
        params: &ListParams,
        page_size: u32,
    ) -> impl Stream<Item = kube::Result<ObjectList<K>>> + use<K> {
        pages::pages(self.api.clone(), Ok(()), params.clone(), page_size)
    }

    /// As [`TypedClient::watch`](super::TypedClient::watch).
    pub async fn watch(
        &self,
        params: &WatchParams,
        version: &str,
    ) -> kube::Result<impl Stream<Item = kube::Result<WatchEvent<K>>> + use<K>> {
        self.api.watch(params, version).await
    }
}
