//! What an informer can hold, and how objects are called inside it. Never touches an object's content beyond its metadata.
use kube::Resource;
use serde::de::DeserializeOwned;
use std::fmt;

/// A kind that an informer can list, watch and keep: any statically known Kubernetes type, from k8s-openapi as well as generated.
///
/// Implemented for all types that qualify; `Clone` is not asked for, the cache shares its objects by `Arc`.
pub trait Object: Resource<DynamicType = ()> + DeserializeOwned + Send + Sync + 'static {}

impl<K> Object for K where K: Resource<DynamicType = ()> + DeserializeOwned + Send + Sync + 'static {}

/// Namespace and name of an object: its key in a cache or a work queue.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ObjectKey {
    /// The namespace; `None` for objects of a cluster-scoped kind.
    pub namespace: Option<String>,
    /// `metadata.name`.
    pub name: String,
}

impl ObjectKey {
    /// The key of an object in `namespace`.
    pub fn namespaced(namespace: impl Into<String>, name: impl Into<String>) -> Self {
        Self {
            namespace: Some(namespace.into()),
            name: name.into(),
        }
    }

    /// The key of an object of a cluster-scoped kind.
    pub fn cluster(name: impl Into<String>) -> Self {
        Self {
            namespace: None,
            name: name.into(),
        }
    }

    /// The key of `object`; its name is empty if the object has none (yet).
    pub fn of<K: Resource>(object: &K) -> Self {
        let meta = object.meta();
        Self {
            namespace: meta.namespace.clone(),
            name: meta.name.clone().unwrap_or_default(),
        }
    }

    /// The namespace, or the empty string for a cluster-scoped object.
    pub(crate) fn namespace_or_empty(&self) -> &str {
        self.namespace.as_deref().unwrap_or_default()
    }
}

impl fmt::Display for ObjectKey {
    /// `namespace/name`, or `name` alone; the form that client-go uses in its logs and queues.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.namespace {
            Some(namespace) => write!(f, "{namespace}/{}", self.name),
            None => f.write_str(&self.name),
        }
    }
}

/// Name and namespace as the store compares them: both empty rather than absent.
pub(crate) fn names<K: Resource>(object: &K) -> (&str, &str) {
    let meta = object.meta();
    (
        meta.namespace.as_deref().unwrap_or_default(),
        meta.name.as_deref().unwrap_or_default(),
    )
}

/// Whether two objects are the same object in the same state, as far as the API server can tell.
pub(crate) fn same_version<K: Resource>(a: &K, b: &K) -> bool {
    let (a, b) = (a.meta(), b.meta());
    a.resource_version.is_some() && a.resource_version == b.resource_version && a.uid == b.uid
}
