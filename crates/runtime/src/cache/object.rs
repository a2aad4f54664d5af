//! What a cache holds, and the key of an object.
use std::{
    any::{Any, TypeId},
    cmp::Ordering,
    fmt,
    hash::{Hash, Hasher},
    ops::Range,
    sync::Arc,
};

use k8s_openapi::{ClusterResourceScope, apimachinery::pkg::apis::meta::v1::ObjectMeta};
use kube::{Resource, api::ApiResource, core::discovery::Scope};

use crate::Object;

/// An object of any kind. Caches and informers hold such objects, so that their code is compiled once, not once per kind.
pub(crate) trait AnyObject: Any + Send + Sync {
    fn metadata(&self) -> &ObjectMeta;
    fn metadata_mut(&mut self) -> &mut ObjectMeta;
    fn to_json(&self) -> serde_json::Result<Vec<u8>>;
}

impl<K: Object> AnyObject for K {
    fn metadata(&self) -> &ObjectMeta {
        self.meta()
    }

    fn metadata_mut(&mut self) -> &mut ObjectMeta {
        self.meta_mut()
    }

    fn to_json(&self) -> serde_json::Result<Vec<u8>> {
        serde_json::to_vec(self)
    }
}

impl fmt::Debug for dyn AnyObject {
    /// Writes the key.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("AnyObject")
            .field(&ObjectKey::of_meta(self.metadata()))
            .finish()
    }
}

/// An object as a cache shares it.
pub(crate) type Shared = Arc<dyn AnyObject>;

/// Reads an object of the kind of a cache from JSON, with its managed fields or without. Returns where the managed fields are that it has skipped, too (the last ones, if
/// there are several). The object is new, and not shared yet.
pub(crate) type Read = fn(&str, bool) -> serde_json::Result<(Shared, Range<usize>)>;

/// Returns an object from the cache of `K`.
#[expect(clippy::expect_used, reason = "a cache has one `Read`, of its kind")]
pub(crate) fn typed<K: Object>(object: Shared) -> Arc<K> {
    let object: Arc<dyn Any + Send + Sync> = object;
    object.downcast().expect("an object of the kind")
}

/// Like [`typed`], for a borrowed object.
#[expect(clippy::expect_used, reason = "a cache has one `Read`, of its kind")]
pub(crate) fn typed_ref<K: Object>(object: &dyn AnyObject) -> &K {
    let object: &dyn Any = object;
    object.downcast_ref().expect("an object of the kind")
}

/// Like [`typed_ref`], to change it.
#[expect(clippy::expect_used, reason = "a cache has one `Read`, of its kind")]
pub(crate) fn typed_mut<K: Object>(object: &mut dyn AnyObject) -> &mut K {
    let object: &mut dyn Any = object;
    object.downcast_mut().expect("an object of the kind")
}

/// Like [`typed`], for several objects.
pub(crate) fn typed_all<K: Object>(objects: Vec<Shared>) -> Vec<Arc<K>> {
    objects.into_iter().map(typed).collect()
}

/// Returns an object that was just read, to change it.
#[expect(
    clippy::expect_used,
    reason = "what a `Read` returns is not shared yet"
)]
pub(crate) fn unique(object: &mut Shared) -> &mut dyn AnyObject {
    Arc::get_mut(object).expect("an object that is not shared")
}

/// The names of a kind, which for a dynamic type are known at run time only.
#[derive(Clone, Debug)]
pub(crate) struct ObjectKind {
    pub(crate) group: String,
    pub(crate) api_version: String,
    pub(crate) kind: String,
    pub(crate) plural: String,
    pub(crate) cluster_scoped: bool,
    /// Whether only the metadata of the objects is requested.
    pub(crate) metadata_only: bool,
}

impl ObjectKind {
    pub(crate) fn of<K: Object>(dynamic: &K::DynamicType) -> Self {
        Self {
            group: K::group(dynamic).into_owned(),
            api_version: K::api_version(dynamic).into_owned(),
            kind: K::kind(dynamic).into_owned(),
            plural: K::plural(dynamic).into_owned(),
            cluster_scoped: TypeId::of::<K::Scope>() == TypeId::of::<ClusterResourceScope>(),
            metadata_only: K::metadata_api(),
        }
    }

    /// Returns the API version without its group.
    pub(crate) fn version(&self) -> &str {
        let grouped = self.api_version.split_once('/');
        grouped.map_or(&self.api_version, |(_, version)| version)
    }

    /// Returns the names of a kind that is known at run time only.
    pub(crate) fn of_dynamic<K: Object<DynamicType = ApiResource>>(
        resource: &ApiResource,
        scope: &Scope,
    ) -> Self {
        Self {
            cluster_scoped: *scope == Scope::Cluster,
            ..Self::of::<K>(resource)
        }
    }
}

impl fmt::Display for ObjectKind {
    /// Writes `Pod` or `Deployment.apps`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.kind)?;
        if self.group.is_empty() {
            return Ok(());
        }
        write!(f, ".{}", self.group)
    }
}

/// Namespace and name of an object, its key in caches and work queues. An empty namespace equals an absent one.
///
/// ```
/// use kube_codegen_runtime::informer::ObjectKey;
///
/// assert_eq!(ObjectKey::namespaced("default", "web").to_string(), "default/web");
/// assert_eq!(ObjectKey::cluster("node-1").to_string(), "node-1");
/// ```
#[derive(Clone, Debug, Default)]
pub struct ObjectKey {
    /// The namespace; `None` for cluster-scoped objects.
    pub namespace: Option<String>,
    /// `metadata.name`.
    pub name: String,
}

impl ObjectKey {
    /// Returns the key of an object in `namespace`.
    pub fn namespaced(namespace: impl Into<String>, name: impl Into<String>) -> Self {
        Self {
            namespace: Some(namespace.into()),
            name: name.into(),
        }
    }

    /// Returns the key of a cluster-scoped object.
    pub fn cluster(name: impl Into<String>) -> Self {
        Self {
            namespace: None,
            name: name.into(),
        }
    }

    /// Returns the key of `object`. The name is empty if the object does not have one yet.
    pub fn of<K: Resource>(object: &K) -> Self {
        Self::of_meta(object.meta())
    }

    pub(crate) fn of_meta(meta: &ObjectMeta) -> Self {
        Self {
            namespace: meta.namespace.clone(),
            name: meta.name.clone().unwrap_or_default(),
        }
    }

    /// Returns namespace and name as the store compares them: empty rather than absent.
    pub(crate) fn parts(&self) -> (&str, &str) {
        (self.namespace.as_deref().unwrap_or_default(), &self.name)
    }
}

impl PartialEq for ObjectKey {
    fn eq(&self, other: &Self) -> bool {
        self.parts() == other.parts()
    }
}

impl Eq for ObjectKey {}

impl Hash for ObjectKey {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.parts().hash(state);
    }
}

impl PartialOrd for ObjectKey {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for ObjectKey {
    fn cmp(&self, other: &Self) -> Ordering {
        self.parts().cmp(&other.parts())
    }
}

impl fmt::Display for ObjectKey {
    /// Writes `namespace/name`, or `name` alone, as client-go does in its logs and queues.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.parts() {
            ("", name) => f.write_str(name),
            (namespace, name) => write!(f, "{namespace}/{name}"),
        }
    }
}

impl serde::Serialize for ObjectKey {
    /// Serializes the text of [`Display`](fmt::Display).
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// Returns namespace and name as the store compares them: empty rather than absent.
pub(crate) fn names(meta: &ObjectMeta) -> (&str, &str) {
    (
        meta.namespace.as_deref().unwrap_or_default(),
        meta.name.as_deref().unwrap_or_default(),
    )
}

/// Whether both are the same object in the same state. Uid and resource version do not suffice: after a restore of etcd, the server counts
/// from an older version and gives the same one to another state.
pub(crate) fn same_state(a: &dyn AnyObject, b: &dyn AnyObject) -> bool {
    let (meta, other) = (a.metadata(), b.metadata());
    let same_version = meta.resource_version.is_some()
        && meta.resource_version == other.resource_version
        && meta.uid == other.uid;
    same_version
        && match (a.to_json(), b.to_json()) {
            (Ok(a), Ok(b)) => a == b,
            _ => false,
        }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use k8s_openapi::api::{apps::v1::Deployment, core::v1::Pod};

    use super::*;

    #[test]
    fn the_version_has_no_group() {
        assert_eq!(ObjectKind::of::<Deployment>(&()).version(), "v1");
        assert_eq!(ObjectKind::of::<Pod>(&()).version(), "v1");
    }

    #[test]
    fn an_empty_namespace_equals_an_absent_one() {
        let keys = [ObjectKey::cluster("a"), ObjectKey::namespaced("", "a")];
        assert_eq!(keys[0], keys[1]);
        assert_eq!(keys[0].cmp(&keys[1]), Ordering::Equal);
        assert_eq!(keys[1].to_string(), "a");
        assert_eq!(HashSet::from(keys).len(), 1);
    }
}
