//! The `scale` subresource.
use std::fmt::Debug;

use k8s_openapi::api::autoscaling::v1::Scale;
use kube::api::Patch;
use serde::Serialize;
use serde_json::json;

use super::{FieldManager, TypedClient};
use crate::Object;

/// Marks kinds whose replicas can be read and set as an `autoscaling/v1` Scale.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no scale subresource",
    note = "a CRD turns it on by `subresources: {{scale: {{specReplicasPath, statusReplicasPath}}}}` in its version"
)]
pub trait ScaleSubresource {}

/// The verbs of the `scale` subresource.
///
/// ```
/// # use k8s_openapi::api::apps::v1::Deployment;
/// # use kube_codegen_runtime::client::TypedClient;
/// # async fn example(client: kube::Client) -> kube::Result<()> {
/// let deployments = TypedClient::<Deployment>::namespaced(client, "default");
/// let mut scale = deployments.scale().get("web").await?;
/// scale.spec.get_or_insert_default().replicas = Some(3);
/// deployments.scale().replace("web", &scale).await?;
/// # Ok(()) }
/// ```
#[derive(Clone, Copy, Debug)]
pub struct ScaleClient<'c, K> {
    client: &'c TypedClient<K>,
}

impl<K: Object<DynamicType = ()>> TypedClient<K> {
    /// Returns a client for the verbs of the `scale` subresource.
    pub fn scale(&self) -> ScaleClient<'_, K>
    where
        K: ScaleSubresource,
    {
        ScaleClient { client: self }
    }
}

impl<K: Object<DynamicType = ()> + ScaleSubresource> ScaleClient<'_, K> {
    /// Reads the scale of an object.
    pub async fn get(&self, name: &str) -> kube::Result<Scale> {
        self.client.check_name(name)?;
        self.client.api.get_scale(name).await
    }

    /// Replaces the scale of an object (PUT). Checks the resource version in the same way as [`TypedClient::replace`].
    pub async fn replace(&self, name: &str, scale: &Scale) -> kube::Result<Scale> {
        self.client.check_name(name)?;
        self.client
            .api
            .replace_scale(name, &self.client.params, scale)
            .await
    }

    /// Patches the scale of an object, like [`TypedClient::patch`].
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

    /// Applies the number of replicas and makes `manager` its owner, like [`TypedClient::apply`].
    pub async fn apply<'m>(
        &self,
        name: &str,
        replicas: i32,
        manager: impl Into<FieldManager<'m>>,
    ) -> kube::Result<Scale> {
        self.client.check_name(name)?;
        let scale = json!({
            "apiVersion": "autoscaling/v1",
            "kind": "Scale",
            "metadata": {"name": name},
            "spec": {"replicas": replicas},
        });
        let params = manager.into().params(self.client.params.dry_run);
        self.client
            .api
            .patch_scale(name, &params, &Patch::Apply(scale))
            .await
    }
}
