//! The verbs that every kind has.
use std::fmt::Debug;

use either::Either;
use futures::Stream;
use kube::{
    Api, Client,
    api::{
        DeleteParams, GetParams, ListParams, ObjectList, Patch, PatchParams, PostParams,
        WatchEvent, WatchParams,
    },
    core::{Status, request::Error::Validation},
};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::value::RawValue;

use super::{
    ErrorExt,
    decode::{send, undecodable},
    pages::pages,
};
use crate::Object;

/// Typed verbs for the objects of one kind, in one namespace or cluster-scoped. Methods have the same names as in `kube::Api`.
///
/// ```
/// use k8s_openapi::api::core::v1::ConfigMap;
/// use kube_codegen_runtime::client::{ErrorExt, TypedClient};
/// use kube_codegen_testing::ApiServer;
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> kube::Result<()> {
/// let server = ApiServer::new();
/// let maps = TypedClient::<ConfigMap>::namespaced(server.client(), "default").with_field_manager("my-tool");
/// let mut map = ConfigMap::default();
/// map.metadata.name = Some("a".into());
/// let stored = maps.create(&map).await?;
/// maps.modify("a", |map| map.immutable = Some(true)).await?;
/// assert!(maps.replace(&stored).await.unwrap_err().is_conflict());
/// assert_eq!(maps.get_opt("b").await?, None);
/// # Ok(()) }
/// ```
#[derive(Clone, Debug)]
pub struct TypedClient<K> {
    pub(super) api: Api<K>,
    pub(super) params: PostParams,
}

impl<K: kube::Resource<DynamicType = (), Scope = k8s_openapi::NamespaceResourceScope>>
    TypedClient<K>
{
    /// Creates a client for the objects in `namespace`.
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
    /// Creates a client for a cluster-scoped kind.
    pub fn cluster(client: Client) -> Self {
        Self {
            api: Api::all(client),
            params: PostParams::default(),
        }
    }
}

impl<K> TypedClient<K> {
    /// Sets the field manager that owns the fields changed by `create`, `replace` and `patch`.
    #[must_use]
    pub fn with_field_manager(mut self, manager: impl Into<String>) -> Self {
        self.params.field_manager = Some(manager.into());
        self
    }

    /// Makes all writes dry runs: the server processes them but stores nothing.
    #[must_use]
    pub fn dry_run(mut self) -> Self {
        self.params.dry_run = true;
        self
    }

    /// Returns the `kube::Api`, for requests that this type has no method for.
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

impl<K: Object<DynamicType = ()>> TypedClient<K> {
    /// Creates an object and returns it as stored. Fails with [`is_already_exists`](super::ErrorExt::is_already_exists) if the name is taken.
    pub async fn create(&self, object: &K) -> kube::Result<K> {
        self.check()?;
        let object = to_vec(object)?;
        send(&self.api, "create", |it| it.create(&self.params, object)).await
    }

    /// Reads an object. Fails with [`is_not_found`](super::ErrorExt::is_not_found) if it does not exist.
    pub async fn get(&self, name: &str) -> kube::Result<K> {
        self.check_name(name)?;
        send(&self.api, "get", |it| it.get(name, &GetParams::default())).await
    }

    /// Reads an object, or returns `None` if it does not exist.
    pub async fn get_opt(&self, name: &str) -> kube::Result<Option<K>> {
        match self.get(name).await {
            Err(error) if error.is_not_found() => Ok(None),
            found => found.map(Some),
        }
    }

    /// Lists the objects that match the selectors of `params`, in one response unless `params` sets a limit.
    pub async fn list(&self, params: &ListParams) -> kube::Result<ObjectList<K>> {
        self.check()?;
        send(&self.api, "list", |it| it.list(params)).await
    }

    /// Lists in pages of `page_size` objects.
    ///
    /// A continue token expires after some minutes. As in client-go's pager, the whole list is then requested again at the newest version,
    /// and only the objects not yet returned are added. No object (by namespace and name) is returned twice, but the pages then come from
    /// two versions.
    pub fn pages(
        &self,
        params: &ListParams,
        page_size: u32,
    ) -> impl Stream<Item = kube::Result<ObjectList<K>>> + use<K> {
        pages(self.api.clone(), self.check(), params.clone(), page_size)
    }

    /// Streams the changes since `version` until the server or the network ends the stream. If you need a cache, use an
    /// [`informer`](crate::informer).
    pub async fn watch(
        &self,
        params: &WatchParams,
        version: &str,
    ) -> kube::Result<impl Stream<Item = kube::Result<WatchEvent<K>>> + use<K>> {
        self.check()?;
        self.api.watch(params, version).await
    }

    /// Replaces an object by name (PUT). To change an object, use [`TypedClient::modify`] instead.
    ///
    /// Fails with [`is_conflict`](super::ErrorExt::is_conflict) if the object's resource version is outdated. Without a resource version,
    /// it overwrites the stored object, if the kind allows that.
    ///
    /// The stored object becomes exactly what `object` serializes to, which can differ from what you read: fields that `K` does not know,
    /// such as fields of a newer CRD, are lost, and required fields that the stored object lacked are stored as blank.
    #[doc(alias = "update")]
    pub async fn replace(&self, object: &K) -> kube::Result<K> {
        let (name, object) = (self.name_of(object)?, to_vec(object)?);
        send(&self.api, "replace", |it| {
            it.replace(name, &self.params, object)
        })
        .await
    }

    /// Patches an object with a JSON, merge or strategic merge patch. Custom resources do not support strategic merge. See also
    /// [`TypedClient::apply`].
    pub async fn patch<P: Serialize + Debug>(
        &self,
        name: &str,
        patch: &Patch<P>,
    ) -> kube::Result<K> {
        self.check_name(name)?;
        self.send_patch(name, &self.patch_params(), patch).await
    }

    /// Deletes an object. Returns the object if finalizers delay its deletion, or else the status.
    pub async fn delete(
        &self,
        name: &str,
        params: &DeleteParams,
    ) -> kube::Result<Either<K, Status>> {
        self.check_name(name)?;
        let params = self.delete_params(params);
        let response: Box<RawValue> =
            send(&self.api, "delete", |it| it.delete(name, &params)).await?;
        deleted::<K, _>(&response)
    }

    /// Deletes all objects that match the selectors of `list`.
    pub async fn delete_collection(
        &self,
        params: &DeleteParams,
        list: &ListParams,
    ) -> kube::Result<Either<ObjectList<K>, Status>> {
        self.check()?;
        let params = self.delete_params(params);
        let response: Box<RawValue> = send(&self.api, "delete_collection", |it| {
            it.delete_collection(&params, list)
        })
        .await?;
        deleted::<K, _>(&response)
    }

    fn delete_params(&self, params: &DeleteParams) -> DeleteParams {
        DeleteParams {
            dry_run: params.dry_run || self.params.dry_run,
            ..params.clone()
        }
    }

    pub(super) async fn send_patch<P: Serialize + Debug>(
        &self,
        name: &str,
        params: &PatchParams,
        patch: &Patch<P>,
    ) -> kube::Result<K> {
        send(&self.api, "patch", |it| it.patch(name, params, patch)).await
    }

    /// Checks the namespace.
    pub(super) fn check(&self) -> kube::Result<()> {
        self.api
            .namespace()
            .map_or(Ok(()), |namespace| check_segment("namespace", namespace))
    }

    /// Checks the namespace and `name`.
    pub(super) fn check_name(&self, name: &str) -> kube::Result<()> {
        self.check()?;
        check_segment("name", name)
    }

    /// Returns the checked name of `object`.
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

/// Reads the response of a deletion: a status, or what finalizers delay.
fn deleted<K: Object<DynamicType = ()>, T: DeserializeOwned>(
    response: &RawValue,
) -> kube::Result<Either<T, Status>> {
    #[derive(Deserialize)]
    struct Head {
        kind: Option<String>,
    }
    let head: Head = read::<K, _>(response)?;
    if head.kind.as_deref() == Some("Status") {
        read::<K, _>(response).map(Either::Right)
    } else {
        read::<K, _>(response).map(Either::Left)
    }
}

fn read<K: Object<DynamicType = ()>, T: DeserializeOwned>(response: &RawValue) -> kube::Result<T> {
    serde_json::from_str(response.get()).map_err(|error| undecodable(&K::kind(&()), &error))
}

pub(super) fn to_vec(object: &impl Serialize) -> kube::Result<Vec<u8>> {
    serde_json::to_vec(object).map_err(kube::Error::SerdeError)
}

/// Returns an error that is found before any request is sent.
pub(crate) fn invalid(message: impl Into<String>) -> kube::Error {
    kube::Error::BuildRequest(Validation(message.into()))
}

/// Checks that `text` is a valid path segment. The server checks the other rules of names.
pub(crate) fn check_segment(what: &str, text: &str) -> kube::Result<()> {
    let is_special =
        |c: char| matches!(c, '/' | '%' | '?' | '#' | '\\') || c.is_whitespace() || c.is_control();
    if text.is_empty() {
        return Err(invalid(format!("the {what} is empty")));
    }
    if text == "." || text == ".." || text.contains(is_special) {
        return Err(invalid(format!("{text:?} is not a valid {what}")));
    }
    Ok(())
}
