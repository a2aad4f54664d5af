//! The `status` subresource, for kinds that have it.
use super::apply::{FieldManager, configuration};
use super::{Kind, TypedClient, retry};
use kube::api::{Patch, PatchParams};
use serde::Serialize;
use std::fmt::Debug;

/// Marks kinds whose status is written apart from the rest: writes of the object leave the status alone, and the other way round.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no status subresource",
    note = "a CRD turns it on by `subresources: {{status: {{}}}}` in its version"
)]
pub trait StatusSubresource {}

impl<K: Kind> TypedClient<K> {
    /// Reads an object through its status subresource.
    pub async fn get_status(&self, name: &str) -> kube::Result<K>
    where
        K: StatusSubresource,
    {
        self.check_name(name)?;
        self.api.get_status(name).await
    }

    /// Replaces the status of an object (PUT); all else of it is ignored, but the resourceVersion is heeded as by [`TypedClient::update`].
    pub async fn update_status(&self, object: &K) -> kube::Result<K>
    where
        K: StatusSubresource,
    {
        let name = self.name_of(object)?;
        self.api.replace_status(name, &self.params, object).await
    }

    /// Changes the status of an object, as [`TypedClient::patch`].
    pub async fn patch_status<P: Serialize + Debug>(
        &self,
        name: &str,
        patch: &Patch<P>,
    ) -> kube::Result<K>
    where
        K: StatusSubresource,
    {
        self.check_name(name)?;
        self.api
            .patch_status(name, &self.patch_params(), patch)
            .await
    }

    /// Applies the status of an object, as [`TypedClient::apply`].
    pub async fn apply_status<'m>(
        &self,
        object: &impl Serialize,
        manager: impl Into<FieldManager<'m>>,
    ) -> kube::Result<K>
    where
        K: StatusSubresource,
    {
        let (name, patch) = configuration::<K>(object)?;
        self.check_name(&name)?;
        let params: PatchParams = manager.into().params(self.params.dry_run);
        self.api
            .patch_status(&name, &params, &Patch::Apply(patch))
            .await
    }

    /// As [`TypedClient::retry_on_conflict`], for the status.
    pub async fn retry_status_on_conflict(
        &self,
        name: &str,
        mut change: impl FnMut(&mut K),
    ) -> kube::Result<K>
    where
        K: StatusSubresource,
    {
        retry::on_conflict(retry::DEFAULT_RETRY, async || {
            let mut object = self.get(name).await?;
            change(&mut object);
            self.update_status(&object).await
        })
        .await
    }
}
