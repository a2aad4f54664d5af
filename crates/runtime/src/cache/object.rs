//! What a cache holds, and the key of an object.
use std::fmt;

use kube::Resource;
use serde::de::DeserializeOwned;

/// A kind that an informer can list, watch and cache: any type known at compile time, generated or from k8s-openapi.
///
/// Implemented for every type that qualifies. `Clone` is not required: the cache shares its objects by `Arc`.
pub trait Object: Resource<DynamicType = ()> + DeserializeOwned + Send + Sync + 'static {}

impl<K> Object for K where K: Resource<DynamicType = ()> + DeserializeOwned + Send + Sync + 'static {}

/// Namespace and name of an object: its key in a cache or a work queue.
///
/// ```
/// use kube_codegen_runtime::informer::ObjectKey;
///
/// assert_eq!(ObjectKey::namespaced("default", "web").to_string(), "default/web");
/// assert_eq!(ObjectKey::cluster("node-1").to_string(), "node-1");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ObjectKey {
    /// The namespace; `None` for objects of a cluster-scoped kind.
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

    /// Returns the key of an object of a cluster-scoped kind.
    pub fn cluster(name: impl Into<String>) -> Self {
        Self {
            namespace: None,
            name: name.into(),
        }
    }

    /// Returns the key of `object`. The name is empty if the object has none yet.
    pub fn of<K: Resource>(object: &K) -> Self {
        let meta = object.meta();
        Self {
            namespace: meta.namespace.clone(),
            name: meta.name.clone().unwrap_or_default(),
        }
    }

    /// Returns the namespace, or the empty string for a cluster-scoped object.
    pub(crate) fn namespace_or_empty(&self) -> &str {
        self.namespace.as_deref().unwrap_or_default()
    }
}

impl fmt::Display for ObjectKey {
    /// Writes `namespace/name`, or `name` alone, as client-go does in its logs and queues.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.namespace {
            Some(namespace) => write!(f, "{namespace}/{}", self.name),
            None => f.write_str(&self.name),
        }
    }
}

/// Returns namespace and name as the store compares them: empty rather than absent.
pub(crate) fn names<K: Resource>(object: &K) -> (&str, &str) {
    let meta = object.meta();
    (
        meta.namespace.as_deref().unwrap_or_default(),
        meta.name.as_deref().unwrap_or_default(),
    )
}

/// Whether both are the same object in the same state, by uid and resource version.
pub(crate) fn same_version<K: Resource>(a: &K, b: &K) -> bool {
    let (a, b) = (a.meta(), b.meta());
    a.resource_version.is_some() && a.resource_version == b.resource_version && a.uid == b.uid
}
