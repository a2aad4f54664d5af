//! Server-side apply: creates partial configurations, extracts what a field manager has applied, and predicts the changes of an apply.
//!
//! ```
//! use k8s_openapi::api::apps::v1::Deployment;
//! use kube_codegen_record::apply::{Apply, Items};
//! use serde_json::json;
//!
//! let web = Apply::<Deployment>::namespaced("web", "default").with(|web| {
//!     let spec = web.spec.get_or_insert_default();
//!     spec.replicas = Some(3);
//!     let pod = spec.template.spec.get_or_insert_default();
//!     let container = pod.containers.item("nginx");
//!     container.image = Some("nginx:1.29".into());
//!     container.ports.item((80, "TCP")).name = Some("http".into());
//! });
//! // The required `selector` is not set, so it is not part of the configuration.
//! assert_eq!(
//!     web.to_json()?["spec"],
//!     json!({"replicas": 3, "template": {"spec": {"containers": [{
//!         "name": "nginx", "image": "nginx:1.29", "ports": [{"containerPort": 80, "name": "http", "protocol": "TCP"}],
//!     }]}}}),
//! );
//! # Ok::<(), kube_codegen_record::apply::ApplyError>(())
//! ```
//!
//! See <https://kubernetes.io/docs/reference/using-api/server-side-apply/>, and docs/apply.md for a comparison with client-go.
mod core;
mod diff;
mod extract;
mod fields;
mod items;
mod last;
mod partial;
mod same;

use std::{collections::BTreeSet, fmt};

use k8s_openapi::{
    ClusterResourceScope, Metadata, NamespaceResourceScope,
    apimachinery::pkg::apis::meta::v1::ObjectMeta,
};
use serde::{Serialize, de::DeserializeOwned, ser::Error as _};
use serde_json::{Value, json};
use thiserror::Error;

pub use diff::{Change, Diff};
pub use items::{Items, KeyField, MapItem};
pub use last::LastApplied;

use crate::{
    read::read,
    value::{self, Record},
};
use fields::Owned;

/// Metadata that the server sets, and does not let a configuration own.
const SET_BY_SERVER: [&str; 6] = [
    "creationTimestamp",
    "deletionGracePeriodSeconds",
    "deletionTimestamp",
    "generation",
    "managedFields",
    "selfLink",
];
/// Metadata that has no owner.
const UNOWNED: [&str; 4] = ["name", "namespace", "resourceVersion", "uid"];

/// A kind that works with [`Apply`]: generated kinds and the kinds of `k8s-openapi`, which have tables of their fields.
///
/// Types with kube's derive do not: if a field is empty, zero or `false`, nothing tells whether it was set.
pub trait Fields:
    Metadata<Ty = ObjectMeta> + value::Value + Record + Serialize + DeserializeOwned
{
}

impl<K> Fields for K where
    K: Metadata<Ty = ObjectMeta> + value::Value + Record + Serialize + DeserializeOwned
{
}

/// A partial object for server-side apply. The field manager owns exactly the fields that you set.
///
/// It wraps an object of the kind, so you can use the fields, the documentation and the helper functions of the kind. A field counts as
/// set unless it is absent, or is required by the Rust type and blank: empty, zero or `false`. To apply a blank value to a required field,
/// call [`Apply::own`]. A field of type `Option<Nullable<T>>` can be an explicit `null`.
///
/// `metadata.uid` and `metadata.resourceVersion` are preconditions: if the value in the cluster differs, the server rejects the apply with
/// a conflict.
///
/// [`Apply::from`] wraps an object that you have built in another way.
#[derive(Clone, PartialEq)]
pub struct Apply<K> {
    object: K,
    owned: BTreeSet<String>,
}

/// Shows the type: the object may be a Secret.
impl<K> fmt::Debug for Apply<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Apply")
            .field("type", &std::any::type_name::<K>())
            .finish_non_exhaustive()
    }
}

/// The reason why an object cannot be applied, extracted or compared.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ApplyError {
    /// The object cannot be converted to or from JSON.
    #[error(transparent)]
    Json(#[from] serde_json::Error),
    /// [`Apply::own`] was called with a path at which the object has no field.
    #[error("the configuration has no field `{path}`; required fields without a value: {}", list(.blank))]
    NoField {
        /// The path that was given.
        path: String,
        /// The valid paths.
        blank: Vec<String>,
    },
}

fn list(paths: &[String]) -> String {
    if paths.is_empty() {
        return "none".to_owned();
    }
    paths.join(", ")
}

impl<K: Fields + k8s_openapi::Resource<Scope = NamespaceResourceScope>> Apply<K> {
    /// Creates an empty configuration for an object in a namespace.
    pub fn namespaced(name: impl Into<String>, namespace: impl Into<String>) -> Self {
        let mut config = Self::blank();
        let metadata = config.object.metadata_mut();
        metadata.name = Some(name.into());
        metadata.namespace = Some(namespace.into());
        config
    }
}

impl<K: Fields + k8s_openapi::Resource<Scope = ClusterResourceScope>> Apply<K> {
    /// Creates an empty configuration for a cluster-scoped object.
    pub fn cluster(name: impl Into<String>) -> Self {
        let mut config = Self::blank();
        config.object.metadata_mut().name = Some(name.into());
        config
    }
}

impl<K> From<K> for Apply<K> {
    /// Creates a configuration that sets the fields which `object` has.
    fn from(object: K) -> Self {
        Self {
            object,
            owned: BTreeSet::new(),
        }
    }
}

impl<K: Clone> From<&K> for Apply<K> {
    fn from(object: &K) -> Self {
        object.clone().into()
    }
}

impl<K: Fields> Apply<K> {
    fn blank() -> Self {
        K::blank().into()
    }

    /// Sets fields. For items of map lists, use [`Items::item`], which takes their keys.
    #[must_use]
    pub fn with(mut self, set: impl FnOnce(&mut K)) -> Self {
        set(&mut self.object);
        self
    }

    /// Adds a blank required field to the configuration, such as `.spec.replicas` if you want it to be zero. Other fields are part of the
    /// configuration as soon as they have a value.
    ///
    /// The path consists of field names as in the API, and indices of items: `.spec.versions[0].served`. If there is no such field,
    /// [`Apply::to_json`] fails.
    ///
    /// ```
    /// use k8s_openapi::api::scheduling::v1::PriorityClass;
    /// use kube_codegen_record::apply::Apply;
    ///
    /// let class = Apply::<PriorityClass>::cluster("low");
    /// assert_eq!(class.to_json()?.get("value"), None);
    /// assert_eq!(class.clone().own(".value").to_json()?["value"], 0);
    /// assert!(class.own(".valve").to_json().unwrap_err().to_string().contains("no field `.valve`"));
    /// # Ok::<(), kube_codegen_record::apply::ApplyError>(())
    /// ```
    #[must_use]
    pub fn own(mut self, path: impl Into<String>) -> Self {
        self.owned.insert(path.into());
        self
    }

    /// Returns the object that holds the fields. Required fields may be blank.
    pub fn object(&self) -> &K {
        &self.object
    }

    /// Returns the object, so that you can set fields, like [`Apply::with`].
    pub fn object_mut(&mut self) -> &mut K {
        &mut self.object
    }

    /// Returns the configuration to send. The server ignores the status in an apply to the object, and everything but the status in an
    /// apply to the status.
    ///
    /// # Errors
    /// If the object cannot be converted, or [`Apply::own`] was called with a path without a field.
    pub fn to_json(&self) -> Result<Value, ApplyError> {
        let mut partial = partial::partial(&self.object)?;
        partial.restore(&self.owned)?;
        let mut config = partial.json;
        if let Some(Value::Object(metadata)) = config.get_mut("metadata") {
            metadata.retain(|name, _| !SET_BY_SERVER.contains(&name.as_str()));
        }
        config["apiVersion"] = K::API_VERSION.into();
        config["kind"] = K::KIND.into();
        Ok(config)
    }

    /// Returns the changes that an apply by `manager` would make to `live`, without sending a request. If the diff is empty, the server
    /// would change nothing, except perhaps, for a built-in kind, the time in its managed fields.
    ///
    /// The diff may name changes that the apply does not make, if the server has changed what was applied: values that a webhook rewrites,
    /// and defaults of a CRD inside a list that is not a map list.
    ///
    /// `live` must include its managed fields, which informers drop by default. Without them, every field counts as a change.
    ///
    /// ```
    /// use k8s_openapi::api::core::v1::ConfigMap;
    /// use kube_codegen_record::apply::Apply;
    ///
    /// let live: ConfigMap = serde_json::from_str(r#"{
    ///     "metadata": {"name": "a", "managedFields": [{
    ///         "manager": "me", "operation": "Apply", "apiVersion": "v1", "fieldsV1": {"f:data": {"f:x": {}, "f:y": {}}}
    ///     }]},
    ///     "data": {"x": "1", "y": "2", "z": "of another manager"}
    /// }"#).unwrap();
    /// let config = Apply::<ConfigMap>::namespaced("a", "default")
    ///     .with(|map| drop(map.data.get_or_insert_default().insert("x".into(), "5".into())));
    /// assert_eq!(config.diff(&live, "me")?.to_string(), r#".data.x: "1" → "5", .data.y: "2" → unset"#);
    /// # Ok::<(), kube_codegen_record::apply::ApplyError>(())
    /// ```
    ///
    /// # Errors
    /// The same as for [`Apply::to_json`].
    pub fn diff(&self, live: &K, manager: &str) -> Result<Diff, ApplyError> {
        self.compare(live, manager, None)
    }

    /// Like [`Apply::diff`], for an apply of the status.
    ///
    /// # Errors
    /// The same as for [`Apply::to_json`].
    pub fn diff_status(&self, live: &K, manager: &str) -> Result<Diff, ApplyError> {
        self.compare(live, manager, Some("status"))
    }

    fn compare(
        &self,
        live: &K,
        manager: &str,
        subresource: Option<&str>,
    ) -> Result<Diff, ApplyError> {
        let owned = Owned::read(live.metadata(), manager, subresource, K::API_VERSION);
        let mut config = self.to_json()?;
        if let Value::Object(fields) = &mut config {
            let is_sent = |name: &str| match subresource {
                Some(part) => name == part,
                // Owned only by an apply of the object itself, which has no subresource for its status.
                None if name == "status" => owned.own.0.contains_key("f:status"),
                None => !matches!(name, "apiVersion" | "kind"),
            };
            fields.retain(|name, _| is_sent(name));
            if let Some(Value::Object(metadata)) = fields.get_mut("metadata") {
                metadata.retain(|name, _| !UNOWNED.contains(&name.as_str()));
                if metadata.is_empty() {
                    fields.remove("metadata");
                }
            }
        }
        let live = partial::partial(live)?.json;
        let comparer = same::Comparer::of(K::GROUP);
        let is_secret = K::GROUP.is_empty() && K::KIND == "Secret";
        Ok(diff::diff(&config, &live, &owned, comparer, is_secret))
    }
}

impl<K: Fields> Serialize for Apply<K> {
    /// Writes [`Apply::to_json`].
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.to_json()
            .map_err(S::Error::custom)?
            .serialize(serializer)
    }
}

/// Returns the configuration that `manager` applied last, according to the managed fields of `object`. It is empty if there is none.
///
/// To change one field of an earlier configuration, extract it, change it, and apply it again.
///
/// # Errors
/// If the object cannot be converted to or from JSON.
pub fn extract<K: Fields>(object: &K, manager: &str) -> Result<Apply<K>, ApplyError> {
    extract_from(object, manager, None)
}

/// Like [`extract`], for the configuration applied to the status.
///
/// # Errors
/// The same as for [`extract`].
pub fn extract_status<K: Fields>(object: &K, manager: &str) -> Result<Apply<K>, ApplyError> {
    extract_from(object, manager, Some("status"))
}

fn extract_from<K: Fields>(
    object: &K,
    manager: &str,
    subresource: Option<&str>,
) -> Result<Apply<K>, ApplyError> {
    let owned = Owned::read(object.metadata(), manager, subresource, K::API_VERSION);
    let live = serde_json::to_value(object)?;
    let mut extracted = json!({});
    if !owned.own.is_leaf() {
        extracted = extract::extract(&live, &owned.own, Some(&owned.all));
    }
    extracted["apiVersion"] = K::API_VERSION.into();
    extracted["kind"] = K::KIND.into();
    if extracted.get("metadata").is_none() {
        extracted["metadata"] = json!({});
    }
    for name in ["name", "namespace"] {
        if let Some(value) = live["metadata"].get(name) {
            extracted["metadata"][name] = value.clone();
        }
    }
    let mut config = Apply::from(read::<K, _>(&extracted)?);
    // Required fields that the manager owns although they are blank.
    let blank = partial::partial(&config.object)?.blank;
    config.owned = blank
        .into_iter()
        .filter(|(_, blank)| blank.is_in(&extracted))
        .map(|(path, _)| path)
        .collect();
    Ok(config)
}
