//! The `status` subresource.
use std::fmt::Debug;

use kube::api::{Patch, PatchParams};
use serde::Serialize;

use super::{ApiObject, TypedClient, decode::send, typed::to_vec};

/// Marks kinds whose status is written separately: writes of the object do not change the status, nor the reverse.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no status subresource",
    note = "a CRD turns it on by `subresources: {{status: {{}}}}` in its version"
)]
pub trait StatusSubresource {}

impl<K: ApiObject> TypedClient<K> {
    /// Reads an object through its status subresource.
    pub async fn get_status(&self, name: &str) -> kube::Result<K>
    where
        K: StatusSubresource,
    {
        self.check_name(name)?;
        send(&self.api, "get_subresource", |it| {
            it.get_subresource("status", name)
        })
        .await
    }

    /// Replaces the status of an object (PUT) and ignores its other fields. A resource version is checked as by [`TypedClient::replace`], and
    /// the status can lose the same. Use [`TypedClient::modify_status`] to change a status.
    #[doc(alias = "update_status")]
    pub async fn replace_status(&self, object: &K) -> kube::Result<K>
    where
        K: StatusSubresource,
    {
        let (name, object) = (self.name_of(object)?, to_vec(object)?);
        send(&self.api, "replace_subresource", |it| {
            it.replace_subresource("status", name, &self.params, object)
        })
        .await
    }

    /// Patches the status of an object, like [`TypedClient::patch`].
    pub async fn patch_status<P: Serialize + Debug>(
        &self,
        name: &str,
        patch: &Patch<P>,
    ) -> kube::Result<K>
    where
        K: StatusSubresource,
    {
        self.check_name(name)?;
        self.send_status_patch(name, &self.patch_params(), patch)
            .await
    }

    pub(super) async fn send_status_patch<P: Serialize + Debug>(
        &self,
        name: &str,
        params: &PatchParams,
        patch: &Patch<P>,
    ) -> kube::Result<K> {
        send(&self.api, "patch_subresource", |it| {
            it.patch_subresource("status", name, params, patch)
        })
        .await
    }
}
