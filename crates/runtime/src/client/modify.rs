//! Changes of objects that keep everything else as it is stored.
use std::fmt::Debug;

use json_patch::{
    Patch as JsonPatch, PatchOperation, ReplaceOperation, TestOperation, jsonptr::PointerBuf,
};
use kube::api::{GetParams, Patch};
use serde_json::Value;

use super::{
    ErrorExt, StatusSubresource, TypedClient,
    decode::{send, undecodable},
    retry::{self, BackoffBuilder},
    transfer::transfer,
    typed::invalid,
};
use crate::Object;

/// The return type of the closure of [`TypedClient::modify`]: `()`, or a `Result` whose error cancels the modification.
pub trait ModifyResult {
    /// The error type of the modification.
    type Error: From<kube::Error>;

    /// Converts the value to a result.
    ///
    /// # Errors
    /// The error that the closure returned.
    fn into_result(self) -> Result<(), Self::Error>;
}

impl ModifyResult for () {
    type Error = kube::Error;

    fn into_result(self) -> Result<(), kube::Error> {
        Ok(())
    }
}

impl<E: From<kube::Error>> ModifyResult for Result<(), E> {
    type Error = E;

    fn into_result(self) -> Self {
        self
    }
}

impl<K: Object<DynamicType = ()>> TypedClient<K> {
    /// Reads an object, changes it and sends the difference. Returns the object as stored.
    ///
    /// The request is a JSON patch against the version that was read. It contains only the changes that `change` made:
    ///
    /// - Fields that `K` does not know, such as fields of a newer CRD, keep their stored values.
    /// - Required fields that the stored object lacks, and that `K` reads as blank, stay absent unless `change` sets them.
    /// - List items are matched by `uid`, `name`, `key` or `type` (or `id`, `ip`, `containerPort`, `port`, `mountPath`, `devicePath`,
    ///   `topologyKey`). Items without any of these are matched by index if the list keeps its length. Any other item is new, and stored
    ///   as `change` left it.
    /// - If nothing changed, nothing is sent.
    ///
    /// If another client changes the object in between, the object is read again and `change` is called again, with
    /// [`retry::DEFAULT_RETRY`]. If `change` returns an error, nothing is sent. Its error type must implement `From<kube::Error>`.
    ///
    /// If the kind has a status subresource, the server ignores changes to the status: use [`TypedClient::modify_status`].
    ///
    /// ```
    /// # use k8s_openapi::api::core::v1::ConfigMap;
    /// # use kube_codegen_runtime::client::TypedClient;
    /// # async fn example(maps: TypedClient<ConfigMap>) -> Result<(), Box<dyn std::error::Error>> {
    /// maps.modify("a", |map| map.immutable = Some(true)).await?;
    ///
    /// maps.modify("a", |map| {
    ///     let data = map.data.as_mut().ok_or("the map is empty")?;
    ///     data.insert("key".into(), "value".into());
    ///     Ok::<_, Box<dyn std::error::Error>>(())
    /// })
    /// .await?;
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// The error of `change`, or of a request.
    #[doc(alias = "retry_on_conflict")]
    pub async fn modify<R: ModifyResult>(
        &self,
        name: &str,
        change: impl FnMut(&mut K) -> R,
    ) -> Result<K, R::Error> {
        self.check_name(name)?;
        Modification {
            client: self,
            name,
            part: Part::Object,
        }
        .run(None, change)
        .await
    }

    /// Like [`TypedClient::modify`], but starts from `cached`, which saves a request if it is the newest version.
    ///
    /// The object must be complete except for its managed fields. If the informer has a transform, do not change the fields that it
    /// removed.
    ///
    /// ```
    /// # use k8s_openapi::api::core::v1::ConfigMap;
    /// # use kube_codegen_runtime::{client::TypedClient, lister::Lister};
    /// # async fn example(maps: TypedClient<ConfigMap>, lister: Lister<ConfigMap>) -> Result<(), Box<dyn std::error::Error>> {
    /// let cached = lister.namespaced("default").get("a")?;
    /// maps.modify_from(&cached, |map| map.immutable = Some(true)).await?;
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// The errors of [`TypedClient::modify`], and a conflict if the object was deleted and another one created with its name.
    pub async fn modify_from<R: ModifyResult>(
        &self,
        cached: &K,
        change: impl FnMut(&mut K) -> R,
    ) -> Result<K, R::Error> {
        self.modification_of(cached, Part::Object)?
            .run(Some(cached), change)
            .await
    }

    /// Like [`TypedClient::modify`], for the status. Changing anything else is an error.
    ///
    /// # Errors
    /// The errors of [`TypedClient::modify`], and an error before any request if `change` changes more than the status.
    #[doc(alias = "retry_status_on_conflict")]
    pub async fn modify_status<R: ModifyResult, By>(
        &self,
        name: &str,
        change: impl FnMut(&mut K) -> R,
    ) -> Result<K, R::Error>
    where
        K: StatusSubresource<By>,
    {
        self.check_name(name)?;
        Modification {
            client: self,
            name,
            part: Part::Status,
        }
        .run(None, change)
        .await
    }

    /// Like [`TypedClient::modify_from`], for the status. Changing anything else is an error.
    ///
    /// # Errors
    /// The errors of [`TypedClient::modify_from`], and an error before any request if `change` changes more than the status.
    pub async fn modify_status_from<R: ModifyResult, By>(
        &self,
        cached: &K,
        change: impl FnMut(&mut K) -> R,
    ) -> Result<K, R::Error>
    where
        K: StatusSubresource<By>,
    {
        self.modification_of(cached, Part::Status)?
            .run(Some(cached), change)
            .await
    }

    fn modification_of<'c>(
        &'c self,
        cached: &'c K,
        part: Part,
    ) -> kube::Result<Modification<'c, K>> {
        let name = self.name_of(cached)?;
        let theirs = cached.meta().namespace.as_deref();
        match (self.api.namespace(), theirs) {
            (Some(ours), Some(theirs)) if ours != theirs => Err(invalid(format!(
                "{name:?} is in the namespace {theirs:?}, but the client is for {ours:?}"
            ))),
            _ => Ok(Modification {
                client: self,
                name,
                part,
            }),
        }
    }

    /// Reads an object as the server sends it.
    async fn get_json(&self, name: &str) -> kube::Result<Value> {
        send(&self.api, "get", |it| it.get(name, &GetParams::default())).await
    }
}

/// What of an object is written.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Part {
    Object,
    Status,
}

struct Modification<'c, K> {
    client: &'c TypedClient<K>,
    name: &'c str,
    part: Part,
}

impl<K: Object<DynamicType = ()>> Modification<'_, K> {
    async fn run<R: ModifyResult>(
        &self,
        cached: Option<&K>,
        mut change: impl FnMut(&mut K) -> R,
    ) -> Result<K, R::Error> {
        let mut failed = None;
        if let Some(cached) = cached
            && let Some(version) = &cached.meta().resource_version
        {
            let mut object = cached.clone();
            let before = to_json(&object)?;
            change(&mut object).into_result()?;
            let after = to_json(&object)?;
            if before == after {
                return Ok(object);
            }
            let mut patch = json_patch::diff(&before, &after);
            // The items may have more fields on the server; then the whole object must be read.
            let mut lists = Vec::new();
            changed_lists(&before, &after, &mut PointerBuf::new(), &mut lists);
            patch.0.splice(0..0, lists);
            match self.send(patch, version).await {
                Err(error) if is_outdated(&error) => failed = Some(error),
                result => return Ok(result?),
            }
        }
        let mut rejected_version = None;
        let mut delays = retry::DEFAULT_RETRY.build();
        loop {
            let stored = self.client.get_json(self.name).await?;
            let mut object =
                K::deserialize(&stored).map_err(|error| undecodable(&K::kind(&()), &error))?;
            let version = object.meta().resource_version.clone().unwrap_or_default();
            if let Some(error) = failed.take() {
                let is_another =
                    cached.is_some_and(|cached| cached.meta().uid != object.meta().uid);
                // A patch for an outdated version may be rejected as invalid. This one was for the newest.
                let is_final = error.is_invalid() && rejected_version.as_ref() == Some(&version);
                if is_another || is_final {
                    return Err(error.into());
                }
            }
            let before = to_json(&object)?;
            change(&mut object).into_result()?;
            let after = to_json(&object)?;
            if before == after {
                return Ok(object);
            }
            let mut wanted = stored.clone();
            transfer(&mut wanted, &before, &after);
            let error = match self
                .send(json_patch::diff(&stored, &wanted), &version)
                .await
            {
                Err(error) if is_outdated(&error) => error,
                result => return Ok(result?),
            };
            let Some(delay) = delays.next() else {
                return Err(error.into());
            };
            tokio::time::sleep(delay).await;
            (failed, rejected_version) = (Some(error), Some(version));
        }
    }

    /// Sends a patch for a version. The server rejects it as a conflict if that is not the newest.
    async fn send(&self, mut patch: JsonPatch, version: &str) -> kube::Result<K> {
        if self.part == Part::Status {
            let outside = patch.0.iter().find(|operation| {
                operation
                    .path()
                    .tokens()
                    .next()
                    .is_none_or(|first| first.encoded() != "status")
            });
            if let Some(operation) = outside {
                return Err(invalid(format!(
                    "`{}` is not part of the status, but was changed with it",
                    operation.path()
                )));
            }
        }
        if !version.is_empty() {
            let operation = ReplaceOperation {
                path: PointerBuf::from_tokens(["metadata", "resourceVersion"]),
                value: version.into(),
            };
            patch.0.insert(0, PatchOperation::Replace(operation));
        }
        let (api, params) = (&self.client.api, self.client.patch_params());
        let patch = Patch::Json::<()>(patch);
        match self.part {
            Part::Object => api.patch(self.name, &params, &patch).await,
            Part::Status => api.patch_status(self.name, &params, &patch).await,
        }
    }
}

/// Whether the patch may have been for an outdated version: a conflict, or a patch that does not apply. The server lists the causes if it
/// rejects the patched object.
fn is_outdated(error: &kube::Error) -> bool {
    error.is_conflict() || (error.is_invalid() && error.field_errors().is_empty())
}

/// Adds a test for each list that changed: that the server has nothing but what `before` has.
fn changed_lists(
    before: &Value,
    after: &Value,
    path: &mut PointerBuf,
    tests: &mut Vec<PatchOperation>,
) {
    match (before, after) {
        (Value::Object(before), Value::Object(after)) => {
            for (name, before) in before {
                if let Some(after) = after.get(name) {
                    path.push_back(name);
                    changed_lists(before, after, path, tests);
                    path.pop_back();
                }
            }
        }
        (Value::Array(_), Value::Array(_)) if before != after => {
            let (path, value) = (path.clone(), before.clone());
            tests.push(PatchOperation::Test(TestOperation { path, value }));
        }
        _ => {}
    }
}

/// Returns the written form of an object, without its version: the patch has it anyway.
fn to_json<K: Object<DynamicType = ()>>(object: &K) -> kube::Result<Value> {
    let mut json = serde_json::to_value(object).map_err(kube::Error::SerdeError)?;
    if let Some(Value::Object(metadata)) = json.get_mut("metadata") {
        metadata.remove("resourceVersion");
    }
    Ok(json)
}
