//! A wanted child comes in, and it is created, mended or left alone; what somebody else controls is never touched.
use k8s_openapi::NamespaceResourceScope;
use kube::api::PostParams;
use kube::{Api, Client, Resource, ResourceExt};
use kube_codegen_runtime::controller::{controller_of, is_controlled_by};
use kube_codegen_runtime::informer::SharedInformer;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::fmt::Debug;

use crate::controller::Error;
use crate::generated::iksoon_test_com::v1::CrdKind;

/// What can be a child: a namespaced kind that the caches hold.
pub trait Child:
    Resource<DynamicType = (), Scope = NamespaceResourceScope>
    + k8s_openapi::Resource
    + Clone
    + Debug
    + Serialize
    + DeserializeOwned
    + Send
    + Sync
    + 'static
{
}
impl Child for k8s_openapi::api::apps::v1::Deployment {}
impl Child for k8s_openapi::api::core::v1::Service {}

/// Makes the child as it is wanted; says whether something had to be written.
///
/// # Errors
/// [`Error::Foreign`] where the name is taken, or what the API server says.
pub async fn ensure<K: Child>(
    client: &Client,
    known: Option<&K>,
    owner: &CrdKind,
    wanted: &K,
) -> Result<bool, Error> {
    let namespace = owner.namespace().unwrap_or_default();
    let api: Api<K> = Api::namespaced(client.clone(), &namespace);
    let params = PostParams {
        field_manager: Some(crate::REPORTER.to_owned()),
        ..PostParams::default()
    };
    let live = match known {
        Some(known) => known.clone(),
        None => match api.create(&params, wanted).await {
            Ok(_) => return Ok(true),
            // The cache lags behind.
            Err(kube::Error::Api(status)) if status.is_already_exists() => {
                api.get(&wanted.name_any()).await?
            }
            Err(error) => return Err(error.into()),
        },
    };
    if live.meta().deletion_timestamp.is_some() {
        // Its end is an event of its own, and then it is made anew.
        return Ok(false);
    }
    if !is_controlled_by(&live, owner) {
        if is_left_over(&live, owner) {
            return Ok(false);
        }
        return Err(Error::Foreign {
            kind: K::KIND,
            name: live.name_any(),
        });
    }
    let before = serde_json::to_value(&live)?;
    let mut after = before.clone();
    overlay(&mut after, &serde_json::to_value(wanted)?);
    if before == after {
        return Ok(false);
    }
    api.replace(&live.name_any(), &params, &serde_json::from_value(after)?)
        .await?;
    Ok(true)
}

/// Whether a child belongs to an earlier object of the same name, and is about to be collected with it.
fn is_left_over<K: Child>(child: &K, owner: &CrdKind) -> bool {
    controller_of(child).is_some_and(|reference| {
        reference.kind == CrdKind::kind(&())
            && reference.api_version == CrdKind::api_version(&())
            && reference.name == owner.name_any()
    })
}

/// Lays what is wanted over what is there. What the server filled in stays; a list has the items that are wanted and no others, and so do selectors.
fn overlay(live: &mut Value, wanted: &Value) {
    match (live, wanted) {
        (Value::Object(live), Value::Object(wanted)) => {
            for (name, value) in wanted {
                // Another label in a Service's selector would choose other Pods.
                if name == "selector" {
                    live.insert(name.clone(), value.clone());
                } else {
                    overlay(live.entry(name.as_str()).or_insert(Value::Null), value);
                }
            }
        }
        (Value::Array(live), Value::Array(wanted)) => {
            live.resize(wanted.len(), Value::Null);
            live.iter_mut()
                .zip(wanted)
                .for_each(|(live, wanted)| overlay(live, wanted));
        }
        (live, wanted) => *live = wanted.clone(),
    }
}

/// The child of this name, out of a cache.
pub fn cached<K: Child + kube_codegen_runtime::informer::Object>(
    children: &SharedInformer<K>,
    namespace: &str,
    name: &str,
) -> Option<std::sync::Arc<K>> {
    children.lister().namespaced(namespace).get(name).ok()
}
