//! Creates or corrects a child. An object of the child's name that another owner controls is never changed.
use std::fmt::Debug;

use k8s_openapi::NamespaceResourceScope;
use kube::{Client, Resource, ResourceExt};
use kube_codegen_runtime::{
    client::{ErrorExt, TypedClient, describe},
    controller::{controller_of, is_controlled_by},
};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;

use crate::generated::iksoon_test_com::v1::CrdKind;

/// A child could not be created or corrected.
#[derive(Debug, thiserror::Error)]
pub enum EnsureError {
    /// The API server rejected a request, or could not be reached.
    #[error("{}", describe(.0))]
    Api(#[from] kube::Error),
    /// A child could not be converted to or from JSON.
    #[error(transparent)]
    Json(#[from] serde_json::Error),
    /// An object that ours does not control has the name of the child.
    #[error("{kind} {name:?} already exists and is not controlled by this object")]
    NameTaken {
        /// Kind of the child.
        kind: &'static str,
        /// Name of the child.
        name: String,
    },
}

/// A namespaced kind that can be a child.
pub trait Child:
    Resource<DynamicType = (), Scope = NamespaceResourceScope>
    + k8s_openapi::Resource
    + Clone
    + Debug
    + Serialize
    + DeserializeOwned
{
}
impl Child for k8s_openapi::api::apps::v1::Deployment {}
impl Child for k8s_openapi::api::core::v1::Service {}

/// Makes the child equal to `desired`. Returns whether a write was necessary.
pub async fn ensure<K: Child>(
    client: &Client,
    cached: Option<&K>,
    owner: &CrdKind,
    desired: &K,
) -> Result<bool, EnsureError> {
    let namespace = owner.namespace().unwrap_or_default();
    let children = TypedClient::<K>::namespaced(client.clone(), &namespace)
        .with_field_manager(crate::REPORTER);
    let live = match cached {
        Some(cached) => cached.clone(),
        // The cache may show a deleted owner. The garbage collector would delete its child, whose deletion leads here again.
        None if !exists(client, owner).await? => return Ok(false),
        None => match children.create(desired).await {
            Ok(_) => return Ok(true),
            // The cache lags behind the server.
            Err(error) if error.is_already_exists() => children.get(&desired.name_any()).await?,
            Err(error) => return Err(error.into()),
        },
    };
    if live.meta().deletion_timestamp.is_some() {
        // Its deletion enqueues the owner, which then creates it again.
        return Ok(false);
    }
    if !is_controlled_by(&live, owner) {
        if belongs_to_former_owner(&live, owner) {
            return Ok(false);
        }
        return Err(EnsureError::NameTaken {
            kind: K::KIND,
            name: live.name_any(),
        });
    }
    let desired = serde_json::to_value(desired)?;
    let correct = |child: &mut K| {
        let mut json = serde_json::to_value(&*child)?;
        overlay(&mut json, &desired);
        *child = serde_json::from_value(json)?;
        Ok::<_, EnsureError>(())
    };
    let corrected = children.modify_from(&live, correct).await?;
    Ok(corrected.meta().resource_version != live.meta().resource_version)
}

/// Asks the API server whether the owner exists and is not being deleted.
async fn exists(client: &Client, owner: &CrdKind) -> Result<bool, kube::Error> {
    let namespace = owner.namespace().unwrap_or_default();
    let owners = TypedClient::<CrdKind>::namespaced(client.clone(), &namespace);
    match owners.get(&owner.name_any()).await {
        Ok(live) => Ok(live.uid() == owner.uid() && live.metadata.deletion_timestamp.is_none()),
        Err(error) if error.is_not_found() => Ok(false),
        Err(error) => Err(error),
    }
}

/// Whether a child belongs to a deleted object of the same name, and will be garbage-collected.
fn belongs_to_former_owner<K: Child>(child: &K, owner: &CrdKind) -> bool {
    controller_of(child).is_some_and(|reference| {
        reference.kind == CrdKind::kind(&())
            && reference.api_version == CrdKind::api_version(&())
            && reference.name == owner.name_any()
    })
}

/// Overwrites `live` with the fields of `desired`, and keeps the fields that the server filled in. Lists and selectors get no other items than
/// the desired ones.
fn overlay(live: &mut Value, desired: &Value) {
    match (live, desired) {
        (Value::Object(live), Value::Object(desired)) => {
            for (name, value) in desired {
                // An additional label in a Service's selector would select other Pods.
                if name == "selector" {
                    live.insert(name.clone(), value.clone());
                } else {
                    overlay(live.entry(name.as_str()).or_insert(Value::Null), value);
                }
            }
        }
        (Value::Array(live), Value::Array(desired)) => {
            live.resize(desired.len(), Value::Null);
            live.iter_mut()
                .zip(desired)
                .for_each(|(live, desired)| overlay(live, desired));
        }
        (live, desired) => *live = desired.clone(),
    }
}
