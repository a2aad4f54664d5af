//! The `status` subresource.
use std::fmt::Debug;

use kube::{
    api::{Patch, PatchParams},
    core::object::HasStatus,
};
use serde::Serialize;

use super::{TypedClient, decode::send, typed::to_vec};
use crate::Object;

/// Marks kinds whose status is written separately: writes of the object do not change the status, nor the reverse.
///
/// You never implement it. A type with kube's derive has it by `#[kube(status = "…")]`, a generated one if its CRD has the subresource, and the kinds of
/// `k8s-openapi` are known. `By` is where that is known from; the compiler infers it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no status subresource",
    note = "a CRD turns it on by `subresources: {{status: {{}}}}` in its version, and kube-derive by `#[kube(status = \"…\")]`"
)]
pub trait StatusSubresource<By> {}

/// The kind implements kube's `HasStatus`.
#[derive(Debug)]
pub enum ByTrait {}

/// The kind has a mark.
#[derive(Debug)]
pub enum ByMark {}

/// Marks kinds that have a status subresource but no `HasStatus`: the kinds of `k8s-openapi`, and generated kinds whose status is not an
/// optional field.
pub trait MarkedStatus {}

// kube implements `HasStatus` where there is a status subresource, and generated code does the same.
impl<K: HasStatus> StatusSubresource<ByTrait> for K {}

impl<K: MarkedStatus> StatusSubresource<ByMark> for K {}

impl<K: Object<DynamicType = ()>> TypedClient<K> {
    /// Reads an object through its status subresource.
    pub async fn get_status<By>(&self, name: &str) -> kube::Result<K>
    where
        K: StatusSubresource<By>,
    {
        self.check_name(name)?;
        send(&self.api, "get_subresource", |it| {
            it.get_subresource("status", name)
        })
        .await
    }

    /// Replaces the status of an object (PUT) and ignores its other fields. To change a status, use [`TypedClient::modify_status`].
    ///
    /// Checks the resource version, and loses unknown fields, in the same way as [`TypedClient::replace`].
    #[doc(alias = "update_status")]
    pub async fn replace_status<By>(&self, object: &K) -> kube::Result<K>
    where
        K: StatusSubresource<By>,
    {
        let (name, object) = (self.name_of(object)?, to_vec(object)?);
        send(&self.api, "replace_subresource", |it| {
            it.replace_subresource("status", name, &self.params, object)
        })
        .await
    }

    /// Patches the status of an object, like [`TypedClient::patch`].
    pub async fn patch_status<P: Serialize + Debug, By>(
        &self,
        name: &str,
        patch: &Patch<P>,
    ) -> kube::Result<K>
    where
        K: StatusSubresource<By>,
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
