//! Cleans up before an object is deleted, by means of a finalizer.
//!
//! See <https://kubernetes.io/docs/concepts/overview/working-with-objects/finalizers/>. Children in the same cluster do not need one: give
//! them an owner reference, and the garbage collector deletes them.
use std::{fmt, sync::Arc};

use crate::{
    Object,
    cache::ObjectKey,
    client::{ErrorExt, TypedClient},
    controller::Action,
};

/// The work that a reconcile has to do for an object with a finalizer.
#[derive(Clone)]
pub enum Step<K> {
    /// The object exists and has the finalizer: compare the actual with the desired state and correct it.
    Apply(Arc<K>),
    /// The object is being deleted: remove everything that belongs to it. Must be idempotent, because it is repeated until it succeeds.
    Cleanup(Arc<K>),
}

/// Shows the name: the object may be a Secret.
impl<K: kube::Resource> fmt::Debug for Step<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (step, object) = match self {
            Self::Apply(object) => ("Apply", object),
            Self::Cleanup(object) => ("Cleanup", object),
        };
        f.debug_tuple(step)
            .field(&ObjectKey::of(&**object))
            .finish()
    }
}

/// Reconciles an object with a finalizer: adds the finalizer before the first [`Step::Apply`], and removes it after a successful
/// [`Step::Cleanup`].
///
/// Unlike `kube::runtime::finalizer`, it continues with `Apply` right after adding the finalizer, and needs no second attempt if the
/// cached object is outdated. An object that is deleted before it has the finalizer is ignored.
///
/// ```
/// # use std::sync::Arc;
/// # use k8s_openapi::api::core::v1::ConfigMap;
/// use kube_codegen_runtime::{client::TypedClient, controller::Action, finalizer::{Step, finalize}};
///
/// # async fn create_bucket(_: &ConfigMap) -> kube::Result<()> { Ok(()) }
/// # async fn delete_bucket(_: &ConfigMap) -> kube::Result<()> { Ok(()) }
/// async fn reconcile(map: Arc<ConfigMap>, maps: Arc<TypedClient<ConfigMap>>) -> kube::Result<Action> {
///     finalize(&maps, "example.com/bucket", map, async |step| {
///         match step {
///             Step::Apply(map) => create_bucket(&map).await?,
///             Step::Cleanup(map) => delete_bucket(&map).await?,
///         }
///         Ok(Action::await_change())
///     })
///     .await
/// }
/// ```
///
/// `finalizer` is a qualified name, such as `example.com/bucket`. The client needs `patch` on the kind, and `get` for outdated objects.
///
/// # Errors
/// The errors of the requests and of `reconcile`. If `reconcile` fails, the finalizer stays.
pub async fn finalize<K: Object<DynamicType = ()>, E: From<kube::Error>, Running>(
    client: &TypedClient<K>,
    finalizer: &str,
    object: Arc<K>,
    reconcile: impl FnOnce(Step<K>) -> Running,
) -> Result<Action, E>
where
    Running: Future<Output = Result<Action, E>>,
{
    if is_deleting(&*object) {
        if !has(&*object, finalizer) {
            return Ok(Action::await_change());
        }
        let action = reconcile(Step::Cleanup(Arc::clone(&object))).await?;
        let remove = |object: &mut K| {
            if let Some(finalizers) = &mut object.meta_mut().finalizers {
                finalizers.retain(|it| it != finalizer);
            }
        };
        return match client.modify_from(&object, remove).await {
            Err(error) if !error.is_not_found() => Err(error.into()),
            _ => Ok(action),
        };
    }
    if has(&*object, finalizer) {
        return reconcile(Step::Apply(object)).await;
    }
    let add = |object: &mut K| {
        // The server accepts no new finalizer on an object that is being deleted.
        if !is_deleting(object) && !has(object, finalizer) {
            let finalizers = object.meta_mut().finalizers.get_or_insert_default();
            finalizers.push(finalizer.to_owned());
        }
    };
    let stored = match client.modify_from(&object, add).await {
        Err(error) if error.is_not_found() => return Ok(Action::await_change()),
        stored => stored?,
    };
    if !has(&stored, finalizer) {
        return Ok(Action::await_change());
    }
    reconcile(Step::Apply(Arc::new(stored))).await
}

fn is_deleting<K: kube::Resource>(object: &K) -> bool {
    object.meta().deletion_timestamp.is_some()
}

fn has<K: kube::Resource>(object: &K, finalizer: &str) -> bool {
    let finalizers = object.meta().finalizers.as_deref().unwrap_or_default();
    finalizers.iter().any(|it| it == finalizer)
}
