//! Typed reads of an informer's cache. A lister never sends a request.
//!
//! ```no_run
//! # use k8s_openapi::api::core::v1::Pod;
//! # use kube_codegen_runtime::informer::SharedInformer;
//! use kube_codegen_runtime::lister::parse_selector;
//!
//! # fn example(pods: SharedInformer<Pod>) -> Result<(), Box<dyn std::error::Error>> {
//! let lister = pods.lister();
//! let pod = lister.namespaced("default").get("web-0")?;
//! let fronts = lister.list(&parse_selector("app=web, tier in (front, edge)")?);
//! # Ok(())
//! # }
//! ```
use std::{fmt, marker::PhantomData, sync::Arc};

use kube::core::{
    Status,
    response::{StatusDetails, reason},
};
use parking_lot::RwLock;
use thiserror::Error;
use tokio_util::sync::DropGuard;

use crate::{
    Object,
    cache::{AnyObject, IndexError, ObjectKind, Store, names, typed, typed_all, typed_ref},
    record::{label_selector, private::Record, walk::SelectableField},
};

pub use crate::record::label_selector::ParseSelectorError;
pub use kube::core::{Expression, Selector, SelectorExt};

/// Parses a label selector in the syntax of `kubectl -l`, such as `app=web,tier notin (cache),!legacy`.
///
/// ```
/// use kube_codegen_runtime::lister::{SelectorExt, parse_selector};
///
/// let selector = parse_selector("app=web, tier in (front, back), !legacy")?;
/// assert!(!selector.matches(&[("app".to_owned(), "db".to_owned())].into()));
/// assert!(parse_selector("app in web").is_err());
/// # Ok::<(), kube_codegen_runtime::lister::ParseSelectorError>(())
/// ```
///
/// # Errors
/// The position and the reason, if the API server would reject the selector. `key>1` and `key<1` are errors too, because neither a
/// `LabelSelector` nor kube's [`Selector`] can express them: filter the objects of [`Lister::all`] instead.
pub fn parse_selector(text: &str) -> Result<Selector, ParseSelectorError> {
    let selector = label_selector::parse(text)?;
    Selector::try_from(selector).map_err(|error| ParseSelectorError {
        position: 0,
        message: error.to_string(),
    })
}

/// Reads the cache of a [`SharedInformer`](crate::informer::SharedInformer), and keeps that informer running. Cheap to clone.
///
/// Objects are shared with all other readers: clone an object before you change it. Lists are in no particular order. The cache lags
/// behind the server, except for writes by a manager's client; see
/// [`InformerFactory::track_writes`](crate::informer::InformerFactory::track_writes).
pub struct Lister<K> {
    kind: Arc<ObjectKind>,
    store: Arc<RwLock<Store>>,
    running: Option<Arc<DropGuard>>,
    of: PhantomData<fn() -> K>,
}

impl<K: Object> Lister<K> {
    pub(crate) fn new(
        kind: Arc<ObjectKind>,
        store: Arc<RwLock<Store>>,
        running: Arc<DropGuard>,
    ) -> Self {
        Self {
            kind,
            store,
            running: Some(running),
            of: PhantomData,
        }
    }

    /// Returns a lister that does not keep the informer running. Use it in handlers of the same informer: with a normal lister, the
    /// handler and the informer would keep each other alive until shutdown. Once the informer has stopped, the lister reads the last state
    /// of the cache.
    ///
    /// ```no_run
    /// # use k8s_openapi::api::core::v1::Pod;
    /// use kube_codegen_runtime::informer::{EventHandlerFuncs, SharedInformer};
    ///
    /// # fn example(pods: SharedInformer<Pod>) {
    /// let lister = pods.lister().detached();
    /// let handler = EventHandlerFuncs::new().on_add(move |_, _| println!("{} pods", lister.all().len()));
    /// let _registration = pods.add_event_handler(handler);
    /// # }
    /// ```
    #[must_use]
    pub fn detached(&self) -> Self {
        Self {
            running: None,
            ..self.clone()
        }
    }

    /// Returns the objects with matching labels.
    pub fn list(&self, selector: &Selector) -> Vec<Arc<K>> {
        typed_all(self.store.read().select(None, Some(selector)))
    }

    /// Returns all objects.
    pub fn all(&self) -> Vec<Arc<K>> {
        typed_all(self.store.read().select(None, None))
    }

    /// Returns a lister for one namespace.
    pub fn namespaced(&self, namespace: impl Into<String>) -> NamespaceLister<K> {
        NamespaceLister {
            lister: self.clone(),
            namespace: namespace.into(),
        }
    }

    /// Returns a cluster-scoped object by name. For other kinds, see [`namespaced`](Self::namespaced).
    pub fn get(&self, name: &str) -> Result<Arc<K>, NotFound> {
        self.find("", name)
    }

    /// Returns the objects that have `value` in the index; see [`SharedInformer::add_index`](crate::informer::SharedInformer::add_index).
    pub fn by_index(&self, index: &str, value: &str) -> Result<Vec<Arc<K>>, IndexError> {
        let found = self.store.read().by_index(index, value)?;
        Ok(typed_all(found))
    }

    /// Returns the objects whose selectable field has this value. As in field selectors, an absent field counts as empty.
    ///
    /// Generated types have a constant for each of the `selectableFields` of their CRD. The first call adds an index.
    ///
    /// ```
    /// # use kube_codegen_runtime::{lister::Lister, Object, record::{private::Record, walk::SelectableField}};
    /// # struct Pool;
    /// # trait Generated<K> { const SPEC_ZONE_FIELD: SelectableField<K>; }
    /// # fn example<Pool: Object + Record + Generated<Pool>>(lister: Lister<Pool>) {
    /// let pools = lister.by_field(Pool::SPEC_ZONE_FIELD, "eu-1");
    /// # }
    /// ```
    pub fn by_field(&self, field: SelectableField<K>, value: impl fmt::Display) -> Vec<Arc<K>>
    where
        K: Record,
    {
        let (index, value) = (format!("field {}", field.path()), value.to_string());
        if let Ok(found) = self.by_index(&index, &value) {
            return found;
        }
        let values_of = move |object: &dyn AnyObject| {
            let value = field.value(typed_ref(object));
            vec![value.unwrap_or_default()]
        };
        // Another reader may have added it since.
        let _ = self
            .store
            .write()
            .add_index(index.clone(), Box::new(values_of));
        self.by_index(&index, &value).unwrap_or_default()
    }

    fn find(&self, namespace: &str, name: &str) -> Result<Arc<K>, NotFound> {
        let object = self.store.read().get(namespace, name);
        object.map(typed).ok_or_else(|| NotFound {
            group: self.kind.group.clone(),
            resource: self.kind.plural.clone(),
            name: name.to_owned(),
        })
    }
}

impl<K> Clone for Lister<K> {
    fn clone(&self) -> Self {
        Self {
            kind: Arc::clone(&self.kind),
            store: Arc::clone(&self.store),
            running: self.running.clone(),
            of: PhantomData,
        }
    }
}

impl<K: Object> fmt::Debug for Lister<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Lister")
            .field("kind", &self.kind.to_string())
            .field("objects", &self.store.read().len())
            .finish_non_exhaustive()
    }
}

/// Reads one namespace of a cache.
pub struct NamespaceLister<K> {
    lister: Lister<K>,
    namespace: String,
}

impl<K: Object> NamespaceLister<K> {
    /// Returns an object by name.
    pub fn get(&self, name: &str) -> Result<Arc<K>, NotFound> {
        self.lister.find(&self.namespace, name)
    }

    /// Returns the objects in the namespace with matching labels.
    pub fn list(&self, selector: &Selector) -> Vec<Arc<K>> {
        let store = self.lister.store.read();
        typed_all(store.select(Some(&self.namespace), Some(selector)))
    }

    /// Like [`Lister::by_field`], for the objects in the namespace.
    pub fn by_field(&self, field: SelectableField<K>, value: impl fmt::Display) -> Vec<Arc<K>>
    where
        K: Record,
    {
        let mut found = self.lister.by_field(field, value);
        found.retain(|object| names(object.meta()).0 == self.namespace);
        found
    }

    /// Returns all objects in the namespace.
    pub fn all(&self) -> Vec<Arc<K>> {
        let store = self.lister.store.read();
        typed_all(store.select(Some(&self.namespace), None))
    }
}

impl<K> Clone for NamespaceLister<K> {
    fn clone(&self) -> Self {
        Self {
            lister: self.lister.clone(),
            namespace: self.namespace.clone(),
        }
    }
}

impl<K: Object> fmt::Debug for NamespaceLister<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NamespaceLister")
            .field("lister", &self.lister)
            .field("namespace", &self.namespace)
            .finish()
    }
}

/// The cache holds no such object. The message is the same as the API server's: `crdplural.iksoon.test.com "x" not found`.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{resource}{dot}{group} \"{name}\" not found", dot = if group.is_empty() { "" } else { "." })]
pub struct NotFound {
    /// The API group; empty for the core group.
    pub group: String,
    /// The plural name of the resource.
    pub resource: String,
    /// The requested name.
    pub name: String,
}

impl From<NotFound> for kube::Error {
    /// Returns the error that the API server would have caused.
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
