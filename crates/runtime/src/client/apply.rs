//! Server-side apply: typed configurations, or anything that serializes to one.
use std::fmt;

use kube::api::{Patch, PatchParams};
use serde::Serialize;
use serde_json::Value;

use super::{StatusSubresource, TypedClient, typed::invalid};
use crate::{
    Object,
    cache::ObjectKey,
    record::apply::{Apply, ApplyError, Diff, Fields},
};

/// The name of a field manager, and whether it forces conflicts. Define it as a constant, one per controller:
///
/// ```
/// use kube_codegen_runtime::client::FieldManager;
///
/// const MANAGER: FieldManager<'static> = FieldManager::new("my-controller").force();
/// ```
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct FieldManager<'m> {
    name: &'m str,
    force: bool,
}

impl<'m> FieldManager<'m> {
    /// Creates a field manager that does not force: an apply that changes a field of another manager fails with a conflict.
    pub const fn new(name: &'m str) -> Self {
        Self { name, force: false }
    }

    /// Takes over conflicting fields from other managers, as controllers should.
    #[must_use]
    pub const fn force(self) -> Self {
        Self {
            force: true,
            ..self
        }
    }

    /// Returns the name, as it appears in `managedFields`.
    pub const fn name(self) -> &'m str {
        self.name
    }

    pub(crate) fn params(self, dry_run: bool) -> PatchParams {
        PatchParams {
            dry_run,
            force: self.force,
            field_manager: Some(self.name.to_owned()),
            ..PatchParams::default()
        }
    }
}

impl<'m> From<&'m str> for FieldManager<'m> {
    fn from(name: &'m str) -> Self {
        Self::new(name)
    }
}

/// The result of an apply that is sent only if it changes something. There are no other results.
#[derive(Clone, PartialEq)]
pub enum Applied<K> {
    /// The object already has the configuration, so nothing was sent.
    Unchanged,
    /// The configuration was applied.
    Changed {
        /// The object as stored.
        object: K,
        /// The difference that the apply was sent for.
        diff: Diff,
    },
}

/// Shows the name: the object may be a Secret.
impl<K: kube::Resource> fmt::Debug for Applied<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unchanged => f.write_str("Unchanged"),
            Self::Changed { object, diff } => f
                .debug_struct("Changed")
                .field("object", &ObjectKey::of(object))
                .field("diff", diff)
                .finish(),
        }
    }
}

impl<K: Object<DynamicType = ()>> TypedClient<K> {
    /// Applies a configuration: sets its fields and makes `manager` their owner. Fields that `manager` applied earlier and now omits are
    /// removed. See <https://kubernetes.io/docs/reference/using-api/server-side-apply/>.
    ///
    /// `config` is an [`Apply`], or anything that serializes to an object of the kind with a `metadata.name`, such as a
    /// `serde_json::Value` or a whole object. `apiVersion` and `kind` are added, and `managedFields` are removed because the server
    /// rejects them.
    ///
    /// Changing a field of another manager is a conflict, unless the manager [forces](FieldManager::force) it.
    /// [`ErrorExt::field_conflicts`](super::ErrorExt::field_conflicts) returns the fields and their managers.
    ///
    /// ```no_run
    /// # use k8s_openapi::api::core::v1::ConfigMap;
    /// use kube_codegen_runtime::{client::{FieldManager, TypedClient}, record::apply::Apply};
    ///
    /// # async fn apply(maps: TypedClient<ConfigMap>) -> kube::Result<()> {
    /// let map = Apply::<ConfigMap>::namespaced("a", "default")
    ///     .with(|map| drop(map.data.get_or_insert_default().insert("key".into(), "value".into())));
    /// maps.apply(&map, "my-tool").await?;
    /// maps.apply(&map, FieldManager::new("my-controller").force()).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn apply<'m>(
        &self,
        config: &impl Serialize,
        manager: impl Into<FieldManager<'m>>,
    ) -> kube::Result<K> {
        let (name, patch) = configuration::<K>(config)?;
        self.check_name(&name)?;
        let params = manager.into().params(self.params.dry_run);
        self.send_patch(&name, &params, &Patch::Apply(patch)).await
    }

    /// Like [`TypedClient::apply`], but sends nothing if `live` already has the configuration. See [`Apply::diff`].
    ///
    /// `live` must include its managed fields. Responses of the server include them; informers drop them by default.
    ///
    /// ```
    /// # use k8s_openapi::api::core::v1::ConfigMap;
    /// use kube_codegen_runtime::{client::{Applied, TypedClient}, record::apply::Apply};
    /// # use kube_codegen_testing::ApiServer;
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> kube::Result<()> {
    /// # let server = ApiServer::new();
    /// let maps = TypedClient::<ConfigMap>::namespaced(server.client(), "default");
    /// let map = Apply::<ConfigMap>::namespaced("a", "default").with(|map| map.immutable = Some(true));
    /// let live = maps.apply(&map, "me").await?;
    /// assert_eq!(maps.apply_from(&live, &map, "me").await?, Applied::Unchanged);
    /// # Ok(()) }
    /// ```
    pub async fn apply_from<'m>(
        &self,
        live: &K,
        config: &Apply<K>,
        manager: impl Into<FieldManager<'m>>,
    ) -> kube::Result<Applied<K>>
    where
        K: Fields,
    {
        let manager = manager.into();
        let diff = config.diff(live, manager.name).map_err(unusable)?;
        if diff.is_empty() {
            return Ok(Applied::Unchanged);
        }
        let object = self.apply(config, manager).await?;
        Ok(Applied::Changed { object, diff })
    }

    /// Like [`TypedClient::apply`], for the status. Other fields are not sent.
    pub async fn apply_status<'m, By>(
        &self,
        config: &impl Serialize,
        manager: impl Into<FieldManager<'m>>,
    ) -> kube::Result<K>
    where
        K: StatusSubresource<By>,
    {
        let (name, mut patch) = configuration::<K>(config)?;
        self.check_name(&name)?;
        if let Value::Object(fields) = &mut patch {
            fields
                .retain(|name, _| matches!(&**name, "apiVersion" | "kind" | "metadata" | "status"));
        }
        if let Some(Value::Object(metadata)) = patch.get_mut("metadata") {
            metadata.retain(|name, _| {
                matches!(&**name, "name" | "namespace" | "resourceVersion" | "uid")
            });
        }
        let params = manager.into().params(self.params.dry_run);
        self.send_status_patch(&name, &params, &Patch::Apply(patch))
            .await
    }

    /// Like [`TypedClient::apply_from`], for the status.
    pub async fn apply_status_from<'m, By>(
        &self,
        live: &K,
        config: &Apply<K>,
        manager: impl Into<FieldManager<'m>>,
    ) -> kube::Result<Applied<K>>
    where
        K: Fields + StatusSubresource<By>,
    {
        let manager = manager.into();
        let diff = config.diff_status(live, manager.name).map_err(unusable)?;
        if diff.is_empty() {
            return Ok(Applied::Unchanged);
        }
        let object = self.apply_status(config, manager).await?;
        Ok(Applied::Changed { object, diff })
    }
}

/// Returns the error for a configuration that cannot be sent.
pub(crate) fn unusable(error: ApplyError) -> kube::Error {
    match error {
        ApplyError::Json(error) => kube::Error::SerdeError(error),
        error => invalid(error.to_string()),
    }
}

/// Returns the name and the JSON of a configuration.
fn configuration<K: Object<DynamicType = ()>>(
    config: &impl Serialize,
) -> kube::Result<(String, Value)> {
    let mut document = serde_json::to_value(config).map_err(kube::Error::SerdeError)?;
    let fields = document
        .as_object_mut()
        .ok_or_else(|| invalid("the configuration is not an object"))?;
    fields
        .entry("apiVersion")
        .or_insert_with(|| K::api_version(&()).into());
    fields.entry("kind").or_insert_with(|| K::kind(&()).into());
    let metadata = fields.get_mut("metadata").and_then(Value::as_object_mut);
    let metadata = metadata.ok_or_else(|| invalid("the configuration has no metadata"))?;
    metadata.remove("managedFields");
    let name = metadata
        .get("name")
        .and_then(Value::as_str)
        .map(str::to_owned);
    Ok((
        name.ok_or_else(|| invalid("the configuration has no metadata.name"))?,
        document,
    ))
}
