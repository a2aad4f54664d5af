//! A test's own look at the stored objects and its own changes to them: past admission, never in the log of actions.
use std::sync::Arc;

use k8s_openapi::Resource;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::kind::{self, Kind};
use super::object::{self, at, deleting, put, section, text};
use super::store::Store;
use super::{ApiServer, admit, gc, lock};

/// Why a test cannot do what it asked for.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StateError {
    /// A `CustomResourceDefinition` that cannot be served.
    #[error("not a CustomResourceDefinition that can be served: {0}")]
    Definition(String),
    /// An object of a kind that is neither built in nor registered.
    #[error("the server does not know kind {kind} of {api_version}")]
    UnknownKind {
        /// As in the object.
        api_version: String,
        /// As in the object.
        kind: String,
    },
    /// No such object.
    #[error("there is no {0}")]
    NotFound(String),
    /// A value that does not become JSON, or an object that does not become its type.
    #[error(transparent)]
    Json(#[from] serde_json::Error),
}

impl ApiServer {
    /// Serves the kind that a `CustomResourceDefinition` declares, at once; it may be given as a typed object or as JSON.
    ///
    /// # Errors
    /// If it lacks what serving needs, with the field.
    pub fn register_crd(&self, crd: &impl Serialize) -> Result<(), StateError> {
        let mut crd = serde_json::to_value(crd)?;
        put(&mut crd, "/apiVersion", "apiextensions.k8s.io/v1".into());
        put(&mut crd, "/kind", "CustomResourceDefinition".into());
        kind::from_crd(&crd).map_err(StateError::Definition)?;
        self.seed(&crd)
    }

    /// Stores an object as it is, new or in place of another: no defaults, no validation, a uid where it has none.
    /// So a test makes what an older server stored, or what does not decode.
    ///
    /// # Errors
    /// If its kind is not known here.
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
                    || admit::uid(store.unique()),
                    |old| object::uid(&old).to_owned(),
                );
                put(&mut object, "/metadata/uid", uid.into());
            }
            if at(&object, "/metadata/creationTimestamp").is_null() {
                put(&mut object, "/metadata/creationTimestamp", admit::now());
            }
            let stored = store.write(&kind, object.take());
            gc::after_create(store, &kind, &stored);
            Ok(())
        })
    }

    /// The stored object, if there is one; `namespace` is empty for cluster-scoped kinds.
    pub fn get<K: Resource + DeserializeOwned>(&self, namespace: &str, name: &str) -> Option<K> {
        let store = lock(&self.0.store);
        let kind = store.kinds.named(K::API_VERSION, K::KIND)?;
        let object = store.get(kind, namespace, name)?;
        serde_json::from_value(Value::clone(&object)).ok()
    }

    /// All stored objects of a type that decode, by namespace and name.
    pub fn list<K: Resource + DeserializeOwned>(&self) -> Vec<K> {
        let store = lock(&self.0.store);
        let Some(kind) = store.kinds.named(K::API_VERSION, K::KIND) else {
            return Vec::new();
        };
        store
            .list(kind, "")
            .iter()
            .filter_map(|object| serde_json::from_value(Value::clone(object)).ok())
            .collect()
    }

    /// Changes a stored object as somebody else would, raising `resourceVersion` (and `generation`, if more than metadata and status changed).
    ///
    /// # Errors
    /// If there is no such object.
    pub fn edit<K: Resource>(
        &self,
        namespace: &str,
        name: &str,
        change: impl FnOnce(&mut Value),
    ) -> Result<(), StateError> {
        self.change(|store| {
            let (kind, old) = find::<K>(store, namespace, name)?;
            let mut new = Value::clone(&old);
            change(&mut new);
            if kind.generation && admit::spec_changed(&old, &new, true) {
                let generation = at(&old, "/metadata/generation")
                    .as_i64()
                    .unwrap_or_default()
                    + 1;
                section(&mut new, "metadata").insert("generation".to_owned(), generation.into());
            }
            let stored = store.write(&kind, new);
            gc::after_update(store, &kind, &stored);
            Ok(())
        })
    }

    /// Deletes a stored object as somebody else would; finalizers hold it.
    ///
    /// # Errors
    /// If there is no such object.
    pub fn delete<K: Resource>(&self, namespace: &str, name: &str) -> Result<(), StateError> {
        self.change(|store| {
            let (kind, old) = find::<K>(store, namespace, name)?;
            gc::delete(store, &kind, &old, gc::Propagation::Background, None);
            Ok(())
        })
    }

    /// Writes the status that a Deployment has when all its replicas are ready, as its controller would.
    ///
    /// # Errors
    /// If there is no such Deployment.
    pub fn make_deployment_ready(&self, namespace: &str, name: &str) -> Result<(), StateError> {
        self.edit::<k8s_openapi::api::apps::v1::Deployment>(namespace, name, |deployment| {
            let replicas = at(deployment, "/spec/replicas").as_i64().unwrap_or(1);
            let condition = |name: &str, reason: &str| {
                json!({"type": name, "status": "True", "reason": reason, "lastUpdateTime": admit::now(), "lastTransitionTime": admit::now()})
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

    /// Waits until `check` gives something; it is asked now and after each change of the store. Bound it by `tokio::time::timeout`.
    pub async fn until<T>(&self, mut check: impl FnMut(&Self) -> Option<T>) -> T {
        let mut revisions = self.0.revisions.subscribe();
        loop {
            if let Some(found) = check(self) {
                return found;
            }
            if revisions.changed().await.is_err() {
                // The sender lives in this handle: it cannot go before us.
                std::future::pending::<()>().await;
            }
        }
    }

    /// Whether an object is there and is being deleted.
    pub fn is_terminating<K: Resource>(&self, namespace: &str, name: &str) -> bool {
        find::<K>(&mut lock(&self.0.store), namespace, name)
            .is_ok_and(|(_, object)| deleting(&object))
    }

    fn change<T>(
        &self,
        change: impl FnOnce(&mut Store) -> Result<T, StateError>,
    ) -> Result<T, StateError> {
        let mut store = lock(&self.0.store);
        let result = change(&mut store);
        self.0.revisions.send_replace(store.revision);
        result
    }
}

fn named(store: &Store, object: &Value) -> Result<Arc<Kind>, StateError> {
    let (api_version, kind) = (text(object, "/apiVersion"), text(object, "/kind"));
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

fn find<K: Resource>(
    store: &mut Store,
    namespace: &str,
    name: &str,
) -> Result<(Arc<Kind>, Arc<Value>), StateError> {
    let unknown = || StateError::UnknownKind {
        api_version: K::API_VERSION.to_owned(),
        kind: K::KIND.to_owned(),
    };
    let kind = store
        .kinds
        .named(K::API_VERSION, K::KIND)
        .cloned()
        .ok_or_else(unknown)?;
    let object = store
        .get(&kind, namespace, name)
        .ok_or_else(|| StateError::NotFound(format!("{} {namespace}/{name}", K::KIND)))?;
    Ok((kind, object))
}
