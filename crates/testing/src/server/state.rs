//! Access to the stored objects for tests; these methods skip admission and are not recorded as requests.

use std::{any::TypeId, sync::Arc};

use k8s_openapi::{
    ListableResource, NamespaceResourceScope,
    api::{apps::v1::Deployment, events::v1::Event},
};
use kube::Resource;
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Value, json};

use super::ApiServer;
use crate::{
    controllers::collect,
    handlers::{self, removal},
    kinds::{
        convert, events,
        kind::{self, Kind, Types, Version},
        store::Store,
        target::Target,
    },
    storage::lock,
    values::object::{self, at, deleting, now, put, text},
};

/// The reason why a stored object could not be read or changed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StateError {
    /// The CRD is invalid.
    #[error("invalid CustomResourceDefinition: {0}")]
    InvalidCrd(String),
    /// The kind is neither built in nor registered.
    #[error("kind {kind} of {api_version} is not registered: call register_crd first")]
    UnknownKind {
        /// The `apiVersion` of the object.
        api_version: String,
        /// The `kind` of the object.
        kind: String,
    },
    /// The object does not exist.
    #[error("{0} does not exist")]
    NotFound(String),
    /// A value could not be converted from or to JSON.
    #[error(transparent)]
    Json(#[from] serde_json::Error),
}

impl ApiServer {
    /// Stores a CRD, given as a typed object or as JSON, and serves its kind at once.
    ///
    /// # Errors
    /// If the CRD is invalid.
    pub fn register_crd(&self, crd: &impl Serialize) -> Result<(), StateError> {
        let mut crd = serde_json::to_value(crd)?;
        put(&mut crd, "/apiVersion", "apiextensions.k8s.io/v1".into());
        put(&mut crd, "/kind", "CustomResourceDefinition".into());
        kind::from_crd(&crd).map_err(StateError::InvalidCrd)?;
        self.seed(&crd)
    }

    /// Serves a kind of k8s-openapi that the server lacks, without defaults and validation. Does nothing for kinds that it already has.
    ///
    /// ```
    /// # use kube_codegen_testing::ApiServer;
    /// use k8s_openapi::api::storage::v1::StorageClass;
    ///
    /// let server = ApiServer::new();
    /// server.register_kind::<StorageClass>();
    /// ```
    pub fn register_kind<K: ListableResource<Scope: 'static>>(&self) {
        let mut store = lock(&self.0.backend.store);
        let version = Version {
            name: K::VERSION.to_owned(),
            status: true,
            scale: None,
            types: Types::None,
            columns: Vec::new(),
            fields: Vec::new(),
            warning: None,
        };
        if let Some(known) = store.kinds.get(K::GROUP, K::URL_PATH_SEGMENT) {
            if known.version(K::VERSION).is_none() {
                let mut kind = Kind::clone(known);
                kind.versions.push(version);
                store.kinds.insert(kind);
            }
            return;
        }
        store.kinds.insert(Kind {
            group: K::GROUP.to_owned(),
            kind: K::KIND.to_owned(),
            list_kind: K::LIST_KIND.to_owned(),
            plural: K::URL_PATH_SEGMENT.to_owned(),
            singular: K::KIND.to_lowercase(),
            short_names: Vec::new(),
            categories: Vec::new(),
            namespaced: TypeId::of::<K::Scope>() == TypeId::of::<NamespaceResourceScope>(),
            custom: false,
            storage: None,
            generation: false,
            versions: vec![version],
        });
    }

    /// Makes uids and generated names reproducible across processes. The uid of a new object is derived from this seed, the object's name,
    /// and the number of earlier objects with that name; generated names are derived from their prefix in the same way. Other objects have
    /// no influence.
    ///
    /// Without a seed, uids contain the process id, and generated names depend on the number of objects.
    pub fn set_seed(&self, seed: u64) {
        lock(&self.0.backend.store).set_seed(seed);
    }

    /// Turns the garbage collector off or on. When you turn it on again, it catches up on everything that changed in the meantime.
    ///
    /// ```
    /// # use kube_codegen_testing::ApiServer;
    /// # use k8s_openapi::api::core::v1::ConfigMap;
    /// # use serde_json::json;
    /// # fn main() -> Result<(), kube_codegen_testing::StateError> {
    /// let server = ApiServer::new();
    /// server.seed(&json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "owner", "uid": "1"}}))?;
    /// let owner = json!({"apiVersion": "v1", "kind": "ConfigMap", "name": "owner", "uid": "1"});
    /// server.seed(&json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "child", "ownerReferences": [owner]}}))?;
    /// server.set_collection(false);
    /// server.delete::<ConfigMap>("default", "owner")?;
    /// assert!(server.get::<ConfigMap>("default", "child").is_some());
    /// server.set_collection(true);
    /// assert!(server.get::<ConfigMap>("default", "child").is_none());
    /// # Ok(()) }
    /// ```
    pub fn set_collection(&self, is_on: bool) {
        collect(&mut lock(&self.0.backend.store), is_on);
        self.0.backend.changes.wake();
    }

    /// Creates or replaces an object without defaulting or validation; only a missing uid is added. Use it for objects stored by an older
    /// server, or objects that cannot be decoded.
    ///
    /// # Errors
    /// If the kind is not registered.
    pub fn seed(&self, object: &impl Serialize) -> Result<(), StateError> {
        let mut object = serde_json::to_value(object)?;
        self.change(|store| {
            let kind = named(store, &object)?;
            if kind.namespaced && object::namespace(&object).is_empty() {
                put(&mut object, "/metadata/namespace", "default".into());
            }
            if object::uid(&object).is_empty() {
                let kept = store.get(&kind, object::namespace(&object), object::name(&object));
                let uid = kept.map_or_else(
                    || store.uid(&kind, object::namespace(&object), object::name(&object)),
                    |old| object::uid(&old).to_owned(),
                );
                put(&mut object, "/metadata/uid", uid.into());
            }
            if at(&object, "/metadata/creationTimestamp").is_null() {
                put(&mut object, "/metadata/creationTimestamp", now());
            }
            let stored = store.write(&kind, object.take());
            store.reactions.created(store, &kind, &stored);
            Ok(())
        })
    }

    /// Returns a stored object, or `None` if it does not exist or cannot be decoded. `namespace` is empty for cluster-scoped kinds.
    pub fn get<K: Resource<DynamicType = ()> + DeserializeOwned>(
        &self,
        namespace: &str,
        name: &str,
    ) -> Option<K> {
        let mut store = lock(&self.0.backend.store);
        let kind = registered(&store, &K::api_version(&()), &K::kind(&())).ok()?;
        let object = store.get(&kind, namespace, name)?;
        decoded(&mut store, &kind, &object)
    }

    /// Returns all stored objects of a type, sorted by namespace and name. Objects that cannot be decoded are skipped.
    pub fn list<K: Resource<DynamicType = ()> + DeserializeOwned>(&self) -> Vec<K> {
        let mut store = lock(&self.0.backend.store);
        let Ok(kind) = registered(&store, &K::api_version(&()), &K::kind(&())) else {
            return Vec::new();
        };
        let objects = store.list(&kind, "");
        let objects = objects.iter();
        objects
            .filter_map(|object| decoded(&mut store, &kind, object))
            .collect()
    }

    /// Returns all stored objects as JSON, sorted by group, resource, namespace and name.
    pub fn objects(&self) -> Vec<Value> {
        self.filter_map(|object| Some(object.clone()))
    }

    /// Calls `f` with each stored object, in the order of [`Self::objects`], and returns the results that are not `None`.
    ///
    /// The server is locked during the call, so `f` must not use it.
    pub fn filter_map<T>(&self, mut f: impl FnMut(&Value) -> Option<T>) -> Vec<T> {
        lock(&self.0.backend.store)
            .all()
            .filter_map(|(_, object)| f(&object))
            .collect()
    }

    /// Returns the newest resourceVersion.
    pub fn revision(&self) -> u64 {
        lock(&self.0.backend.store).revision()
    }

    /// Changes a stored object as another client would. This increases `resourceVersion`, and `generation` if anything but metadata and
    /// status changes.
    ///
    /// # Errors
    /// If the object does not exist.
    pub fn edit<K: Resource<DynamicType = ()>>(
        &self,
        namespace: &str,
        name: &str,
        change: impl FnOnce(&mut Value),
    ) -> Result<(), StateError> {
        self.change(|store| {
            let (kind, old) = find::<K>(store, namespace, name)?;
            let mut new = Value::clone(&old);
            change(&mut new);
            handlers::raise_generation(&kind, &old, &mut new, true);
            let stored = store.write(&kind, new);
            store.reactions.updated(store, &kind, &stored);
            Ok(())
        })
    }

    /// Deletes a stored object as another client would. Finalizers delay its removal.
    ///
    /// # Errors
    /// If the object does not exist.
    pub fn delete<K: Resource<DynamicType = ()>>(
        &self,
        namespace: &str,
        name: &str,
    ) -> Result<(), StateError> {
        self.change(|store| {
            let (kind, old) = find::<K>(store, namespace, name)?;
            removal::delete(store, &kind, &old, removal::Propagation::Background, None);
            Ok(())
        })
    }

    /// Sets the status of a Deployment as its controller would if all replicas were ready.
    ///
    /// # Errors
    /// If the Deployment does not exist.
    pub fn make_deployment_ready(&self, namespace: &str, name: &str) -> Result<(), StateError> {
        self.edit::<Deployment>(namespace, name, |deployment| {
            let replicas = at(deployment, "/spec/replicas").as_i64().unwrap_or(1);
            let condition = |name: &str, reason: &str| {
                json!({"type": name, "status": "True", "reason": reason, "lastUpdateTime": now(), "lastTransitionTime": now()})
            };
            let status = json!({
                "observedGeneration": at(deployment, "/metadata/generation"),
                "replicas": replicas,
                "updatedReplicas": replicas,
                "readyReplicas": replicas,
                "availableReplicas": replicas,
                "conditions": [condition("Available", "MinimumReplicasAvailable"), condition("Progressing", "NewReplicaSetAvailable")],
            });
            put(deployment, "/status", status);
        })
    }

    /// Waits until `check` returns a value. It is called at once, and then after each change to the stored objects. Use
    /// `tokio::time::timeout` for a time limit.
    ///
    /// ```
    /// # use kube_codegen_testing::ApiServer;
    /// # use k8s_openapi::api::core::v1::ConfigMap;
    /// # use serde_json::json;
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), kube_codegen_testing::StateError> {
    /// let server = ApiServer::new();
    /// server.seed(&json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}}))?;
    /// let map: ConfigMap = server.until(|server| server.get("default", "a")).await;
    /// assert_eq!(map.metadata.name.as_deref(), Some("a"));
    /// # Ok(()) }
    /// ```
    pub async fn until<T>(&self, mut check: impl FnMut(&Self) -> Option<T>) -> T {
        loop {
            let change = self.0.backend.changes.next();
            if let Some(found) = check(self) {
                return found;
            }
            change.await;
        }
    }

    /// Returns the stored Warning events, such as `Failed: no such image (ConfigMap default/a)`. They often tell why a test times out.
    ///
    /// ```
    /// # use kube_codegen_testing::ApiServer;
    /// # use serde_json::json;
    /// # fn main() -> Result<(), kube_codegen_testing::StateError> {
    /// let server = ApiServer::new();
    /// server.seed(&json!({
    ///     "apiVersion": "events.k8s.io/v1", "kind": "Event", "metadata": {"name": "a.1"},
    ///     "type": "Warning", "reason": "Failed", "note": "no such image",
    ///     "regarding": {"kind": "ConfigMap", "namespace": "default", "name": "a"},
    /// }))?;
    /// assert_eq!(server.warnings(), ["Failed: no such image (ConfigMap default/a)"]);
    /// # Ok(()) }
    /// ```
    pub fn warnings(&self) -> Vec<String> {
        let events = self.list::<Event>().into_iter();
        let warnings = events.filter(|event| event.type_.as_deref() == Some("Warning"));
        warnings
            .map(|event| {
                let about = event.regarding.unwrap_or_default();
                let names = about.namespace.into_iter().chain(about.name);
                format!(
                    "{}: {} ({} {})",
                    event.reason.unwrap_or_default(),
                    event.note.unwrap_or_default(),
                    about.kind.unwrap_or_default(),
                    names.collect::<Vec<_>>().join("/")
                )
            })
            .collect()
    }

    /// Whether an object exists and is being deleted.
    pub fn is_terminating<K: Resource<DynamicType = ()>>(
        &self,
        namespace: &str,
        name: &str,
    ) -> bool {
        find::<K>(&mut lock(&self.0.backend.store), namespace, name)
            .is_ok_and(|(_, object)| deleting(&object))
    }

    fn change<T>(
        &self,
        change: impl FnOnce(&mut Store) -> Result<T, StateError>,
    ) -> Result<T, StateError> {
        let mut store = lock(&self.0.backend.store);
        let result = change(&mut store);
        self.0.backend.changes.wake();
        result
    }
}

/// Decodes a stored object in the version of its type, unless a webhook over HTTP has to convert it.
fn decoded<K: Resource<DynamicType = ()> + DeserializeOwned>(
    store: &mut Store,
    kind: &Arc<Kind>,
    object: &Arc<Value>,
) -> Option<K> {
    let target = Target {
        kind: kind.clone(),
        version: K::version(&()).into_owned(),
        namespace: String::new(),
        name: String::new(),
        subresource: String::new(),
    };
    let loaded = convert::load(store, &target, object);
    store.conversions.take_wanted();
    let mut object = Value::clone(&*loaded.unwrap_or_else(|_| object.clone()));
    events::load(kind, &mut object);
    serde_json::from_value(object).ok()
}

fn named(store: &Store, object: &Value) -> Result<Arc<Kind>, StateError> {
    let (api_version, kind) = (text(object, "/apiVersion"), text(object, "/kind"));
    registered(store, api_version, kind)
}

fn registered(store: &Store, api_version: &str, kind: &str) -> Result<Arc<Kind>, StateError> {
    let unknown = || StateError::UnknownKind {
        api_version: api_version.to_owned(),
        kind: kind.to_owned(),
    };
    store
        .kinds
        .named(api_version, kind)
        .cloned()
        .ok_or_else(unknown)
}

fn find<K: Resource<DynamicType = ()>>(
    store: &mut Store,
    namespace: &str,
    name: &str,
) -> Result<(Arc<Kind>, Arc<Value>), StateError> {
    let kind = registered(store, &K::api_version(&()), &K::kind(&()))?;
    let object = store
        .get(&kind, namespace, name)
        .ok_or_else(|| StateError::NotFound(format!("{} {namespace}/{name}", K::kind(&()))))?;
    Ok((kind, object))
}
