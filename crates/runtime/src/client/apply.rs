//! Server-side apply of any serializable configuration.
use kube::api::{Patch, PatchParams};
use serde::Serialize;
use serde_json::Value;

use super::{ApiObject, TypedClient, typed::invalid};

/// The name of a field manager, and whether it forces conflicts.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct FieldManager<'m> {
    name: &'m str,
    force: bool,
}

impl<'m> FieldManager<'m> {
    /// Creates a manager whose apply fails with a conflict if it changes a field of another manager.
    pub const fn new(name: &'m str) -> Self {
        Self { name, force: false }
    }

    /// Takes over fields from other managers, as controllers should.
    #[must_use]
    pub const fn force(self) -> Self {
        Self {
            force: true,
            ..self
        }
    }

    pub(super) fn params(self, dry_run: bool) -> PatchParams {
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

impl<K: ApiObject> TypedClient<K> {
    /// Applies a configuration: sets its fields and makes `manager` their owner. Fields that an earlier configuration had are removed.
    ///
    /// `object` is anything that serializes to an object of the kind with a `metadata.name`: an apply configuration, a `serde_json::Value`, or
    /// a whole object, whose `managedFields` are removed since the server rejects them. `apiVersion` and `kind` are added.
    /// See <https://kubernetes.io/docs/reference/using-api/server-side-apply/>.
    ///
    /// ```no_run
    /// # use k8s_openapi::api::core::v1::ConfigMap;
    /// # use kube_codegen_runtime::client::{FieldManager, TypedClient};
    /// # async fn apply(maps: TypedClient<ConfigMap>) -> kube::Result<()> {
    /// let map = serde_json::json!({"metadata": {"name": "a"}, "data": {"key": "value"}});
    /// maps.apply(&map, "my-tool").await?;
    /// maps.apply(&map, FieldManager::new("my-controller").force()).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn apply<'m>(
        &self,
        object: &impl Serialize,
        manager: impl Into<FieldManager<'m>>,
    ) -> kube::Result<K> {
        let (name, patch) = configuration::<K>(object)?;
        self.check_name(&name)?;
        let params = manager.into().params(self.params.dry_run);
        self.api.patch(&name, &params, &Patch::Apply(patch)).await
    }
}

/// Returns the name and the JSON of a configuration.
pub(super) fn configuration<K: ApiObject>(
    object: &impl Serialize,
) -> kube::Result<(String, Value)> {
    let mut document = serde_json::to_value(object).map_err(kube::Error::SerdeError)?;
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
