//! The verbs that every kind has.
use super::segment::{invalid, segment};
use super::{Kind, pages, retry};
use either::Either;
use futures::Stream;
use kube::api::{
    DeleteParams, ListParams, ObjectList, Patch, PatchParams, PostParams, WatchEvent, WatchParams,
};
use kube::core::Status;
use kube::{Api, Client};
use serde::Serialize;
use std::fmt::Debug;

/// Typed verbs on the objects of one kind: those of one namespace, or all of a cluster-scoped kind.
#[derive(Clone, Debug)]
pub struct TypedClient<K> {
    pub(super) api: Api<K>,
    pub(super) params: PostParams,
}

impl<K: kube::Resource<DynamicType = (), Scope = k8s_openapi::NamespaceResourceScope>>
    TypedClient<K>
{
    /// The objects in `namespace`.
    pub fn namespaced(client: Client, namespace: &str) -> Self {
        Self {
            api: Api::namespaced(client, namespace),
            params: PostParams::default(),
        }
    }
}

impl<K: kube::Resource<DynamicType = (), Scope = k8s_openapi::ClusterResourceScope>>
    TypedClient<K>
{
    /// The objects of a cluster-scoped kind.
    pub fn cluster(client: Client) -> Self {
        Self {
            api: Api::all(client),
            params: PostParams::default(),
        }
    }
}

impl<K> TypedClient<K> {
    /// The same client with a name for who writes: what `create`, `update` and `patch` change is then owned by `manager`.
    #[must_use]
    pub fn with_field_manager(mut self, manager: impl Into<String>) -> Self {
        self.params.field_manager = Some(manager.into());
        self
    }

    /// The same client for trying out: the server does everything to a write but store it.
    #[must_use]
    pub fn dry_run(mut self) -> Self {
        self.params.dry_run = true;
        self
    }

    /// The plain `kube::Api`, for all that has no verb here.
    pub fn api(&self) -> &Api<K> {
        &self.api
    }

    pub(super) fn patch_params(&self) -> PatchParams {
        PatchParams {
            dry_run: self.params.dry_run,
            field_manager: self.params.field_manager.clone(),
            ..PatchParams::default()
        }
    }
}

impl<K: Kind> TypedClient<K> {
    /// Creates an object. The server answers with what it stored, or an error for which [`is_already_exists`](super::ErrorExt::is_already_exists) holds.
    pub async fn create(&self, object: &K) -> kube::Result<K> {
        self.check()?;
        self.api.create(&self.params, object).await
    }

    /// Reads an object; an error for which [`is_not_found`](super::ErrorExt::is_not_found) holds if there is none.
    pub async fn get(&self, name: &str) -> kube::Result<K> {
        self.check_name(name)?;
        self.api.get(name).await
    }

    /// Reads an object, or `None` if there is none.
    pub async fn get_opt(&self, name: &str) -> kube::Result<Option<K>> {
        self.check_name(name)?;
        self.api.get_opt(name).await
    }

    /// Lists what the selectors of `params` match, in one answer unless they set a limit.
    pub async fn list(&self, params: &ListParams) -> kube::Result<ObjectList<K>> {
        self.check()?;
        self.api.list(params).await
    }

    /// Lists in pages of `page_size` objects; survives an expired continue token.
    ///
    /// A token expires after some minutes. As by client-go's pager, all is then listed in one answer at the newest version; of it, only what was not yet
    /// handed out is given on. So no object (by namespace and name) comes twice, but after such a break the pages are of two versions.
    pub fn pages(
        &self,
        params: &ListParams,
        page_size: u32,
    ) -> impl Stream<Item = kube::Result<ObjectList<K>>> + use<K> {
        pages::pages(self.api.clone(), self.check(), params.clone(), page_size)
    }

    /// Streams the changes since `version`, until the server or the network ends it. An informer does the rest of what a cache needs.
    pub async fn watch(
        &self,
        params: &WatchParams,
        version: &str,
    ) -> kube::Result<impl Stream<Item = kube::Result<WatchEvent<K>>> + use<K>> {
        self.check()?;
        self.api.watch(params, version).await
    }

    /// Replaces an object by name (PUT). With a resourceVersion in it, an error for which [`is_conflict`](super::ErrorExt::is_conflict) holds if it is
    /// not the newest; without, whatever is there is overwritten, where the kind allows that.
    pub async fn update(&self, object: &K) -> kube::Result<K> {
        let name = self.name_of(object)?;
        self.api.replace(name, &self.params, object).await
    }

    /// Changes an object by a JSON, merge or strategic merge patch. Custom resources know no strategic merge. See [`TypedClient::apply`] for the fourth.
    pub async fn patch<P: Serialize + Debug>(
        &self,
        name: &str,
        patch: &Patch<P>,
    ) -> kube::Result<K> {
        self.check_name(name)?;
        self.api.patch(name, &self.patch_params(), patch).await
    }

    /// Deletes an object: the object if its deletion waits (finalizers), else the status of the deletion.
    pub async fn delete(
        &self,
        name: &str,
        params: &DeleteParams,
    ) -> kube::Result<Either<K, Status>> {
        self.check_name(name)?;
        self.api.delete(name, &self.delete_params(params)).await
    }

    /// Deletes all objects that the selectors of `list` match.
    pub async fn delete_collection(
        &self,
        params: &DeleteParams,
        list: &ListParams,
    ) -> kube::Result<Either<ObjectList<K>, Status>> {
        self.check()?;
        self.api
            .delete_collection(&self.delete_params(params), list)
            .await
    }

    /// Reads an object, changes it and replaces it; all over again, up to [`retry::DEFAULT_RETRY`], if somebody else was faster.
    ///
    /// `change` sees the newest object each time. See [`retry::on_conflict`] for anything else that is to be tried again.
    pub async fn retry_on_conflict(
        &self,
        name: &str,
        mut change: impl FnMut(&mut K),
    ) -> kube::Result<K> {
        retry::on_conflict(retry::DEFAULT_RETRY, async || {
            let mut object = self.get(name).await?;
            change(&mut object);
            self.update(&object).await
        })
        .await
    }

    fn delete_params(&self, params: &DeleteParams) -> DeleteParams {
        DeleteParams {
            dry_run: params.dry_run || self.params.dry_run,
            ..params.clone()
        }
    }

    /// Holds that the namespace is one.
    pub(super) fn check(&self) -> kube::Result<()> {
        self.api
            .namespace()
            .map_or(Ok(()), |namespace| segment("namespace", namespace))
    }

    /// Holds that the namespace and `name` are names.
    pub(super) fn check_name(&self, name: &str) -> kube::Result<()> {
        self.check()?;
        segment("name", name)
    }

    /// The name of an object that is to be written.
    pub(super) fn name_of<'o>(&self, object: &'o K) -> kube::Result<&'o str> {
        let name = object
            .meta()
            .name
            .as_deref()
            .ok_or_else(|| invalid("the object has no metadata.name"))?;
        self.check_name(name)?;
        Ok(name)
    }
}
