//! Typed reads of an informer's cache: selectors and names come in, shared objects go out. Never asks the API server.
mod selector;

pub use selector::{ParseSelectorError, Requirement, Selector};

use crate::informer::{IndexError, Object, SharedInformer};
use kube::core::{
    Status,
    response::{StatusDetails, reason},
};
use std::{fmt, sync::Arc};
use thiserror::Error;

/// Reads the cache of a [`SharedInformer`], and keeps the informer running. Cheap to clone.
///
/// Objects are shared with every other reader: clone what is to be changed. Lists come in no particular order. The cache follows the server with some
/// delay, also behind writes of one's own.
pub struct Lister<K> {
    informer: SharedInformer<K>,
}

impl<K: Object> Lister<K> {
    pub(crate) fn new(informer: SharedInformer<K>) -> Self {
        Self { informer }
    }

    /// All objects whose labels match.
    pub fn list(&self, selector: &Selector) -> Vec<Arc<K>> {
        self.informer.select(None, |object| {
            selector.matches(object.meta().labels.as_ref())
        })
    }

    /// All objects.
    pub fn all(&self) -> Vec<Arc<K>> {
        self.informer.select(None, |_| true)
    }

    /// Reads of one namespace.
    pub fn namespaced(&self, namespace: impl Into<String>) -> NamespaceLister<K> {
        NamespaceLister {
            informer: self.informer.clone(),
            namespace: namespace.into(),
        }
    }

    /// An object of a cluster-scoped kind by its name; for others see [`namespaced`](Self::namespaced).
    pub fn get(&self, name: &str) -> Result<Arc<K>, NotFound> {
        get(&self.informer, "", name)
    }

    /// The objects behind `value` in an index of the informer; see [`SharedInformer::add_index`].
    pub fn by_index(&self, index: &str, value: &str) -> Result<Vec<Arc<K>>, IndexError> {
        self.informer.by_index(index, value)
    }

    /// The informer behind this lister.
    pub fn informer(&self) -> &SharedInformer<K> {
        &self.informer
    }
}

impl<K> Clone for Lister<K> {
    fn clone(&self) -> Self {
        Self {
            informer: self.informer.clone(),
        }
    }
}

impl<K: Object> fmt::Debug for Lister<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Lister").field(&self.informer).finish()
    }
}

/// Reads one namespace of a cache.
pub struct NamespaceLister<K> {
    informer: SharedInformer<K>,
    namespace: String,
}

impl<K: Object> NamespaceLister<K> {
    /// The object of that name.
    pub fn get(&self, name: &str) -> Result<Arc<K>, NotFound> {
        get(&self.informer, &self.namespace, name)
    }

    /// The namespace's objects whose labels match.
    pub fn list(&self, selector: &Selector) -> Vec<Arc<K>> {
        self.informer.select(Some(&self.namespace), |object| {
            selector.matches(object.meta().labels.as_ref())
        })
    }

    /// All objects of the namespace.
    pub fn all(&self) -> Vec<Arc<K>> {
        self.informer.select(Some(&self.namespace), |_| true)
    }
}

impl<K> Clone for NamespaceLister<K> {
    fn clone(&self) -> Self {
        Self {
            informer: self.informer.clone(),
            namespace: self.namespace.clone(),
        }
    }
}

impl<K: Object> fmt::Debug for NamespaceLister<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NamespaceLister")
            .field("informer", &self.informer)
            .field("namespace", &self.namespace)
            .finish()
    }
}

fn get<K: Object>(
    informer: &SharedInformer<K>,
    namespace: &str,
    name: &str,
) -> Result<Arc<K>, NotFound> {
    informer.find(namespace, name).ok_or_else(|| NotFound {
        group: K::group(&()).into_owned(),
        resource: K::plural(&()).into_owned(),
        name: name.to_owned(),
    })
}

/// The cache holds no such object. Reads like the API server's answer: `crdplural.iksoon.test.com "x" not found`.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{resource}{dot}{group} \"{name}\" not found", dot = if group.is_empty() { "" } else { "." })]
pub struct NotFound {
    /// API group; empty for the core group.
    pub group: String,
    /// Plural name of the resource.
    pub resource: String,
    /// Name that was asked for.
    pub name: String,
}

impl From<NotFound> for kube::Error {
    /// The status that the API server would have given.
    fn from(error: NotFound) -> Self {
        let status = Status::failure(&error.to_string(), reason::NOT_FOUND)
            .with_code(404)
            .with_details(StatusDetails {
                name: error.name,
                group: error.group,
                kind: error.resource,
                uid: String::new(),
                causes: Vec::new(),
                retry_after_seconds: 0,
            });
        kube::Error::Api(status.boxed())
    }
}
