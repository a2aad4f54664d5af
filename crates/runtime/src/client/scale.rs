//! The `scale` subresource, for kinds that have it.
use super::{Kind, TypedClient};
use k8s_openapi::api::autoscaling::v1::Scale;
use kube::api::Patch;
use serde::Serialize;
use std::fmt::Debug;

/// Marks kinds whose number of replicas is read and set through `autoscaling/v1` Scale.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no scale subresource",
    note = "a CRD turns it on by `subresources: {{scale: {{specReplicasPath, statusReplicasPath}}}}` in its version"
)]
pub trait ScaleSubresource {}

/// The verbs of the `scale` subresource.
#[derive(Clone, Copy, Debug)]
pub struct ScaleClient<'c, K> {
    client: &'c TypedClient<K>,
}

impl<K: Kind> TypedClient<K> {
    /// The `scale` subresource.
    pub fn scale(&self) -> ScaleClient<'_, K>
    where
        K: ScaleSubresource,
    {
        ScaleClient { client: self }
    }
}

impl<K: Kind + ScaleSubresource> ScaleClient<'_, K> {
    /// Reads the scale of an object.
    pub async fn get(&self, name: &str) -> kube::Result<Scale> {
        self.client.check_name(name)?;
        self.client.api.get_scale(name).await
    }

    /// Replaces the scale of an object (PUT); its resourceVersion is heeded as by [`TypedClient::update`].
    pub async fn replace(&self, name: &str, scale: &Scale) -> kube::Result<Scale> {
        self.client.check_name(name)?;
        self.client
            .api
            .replace_scale(name, &self.client.params, scale)
            .await
    }

    /// Changes the scale of an object, as [`TypedClient::patch`].
    pub async fn patch<P: Serialize + Debug>(
        &self,
        name: &str,
        patch: &Patch<P>,
    ) -> kube::Result<Scale> {
        self.client.check_name(name)?;
        self.client
            .api
            .patch_scale(name, &self.client.patch_params(), patch)
            .await
    }
}
