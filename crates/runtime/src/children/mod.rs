//! Children: objects that a controller maintains for an owner by server-side apply.
//!
//! [`Manager::children`](crate::manager::Manager::children) creates a [`Children`] together with its informer. Without a manager, do it
//! yourself:
//!
//! ```
//! use std::sync::Arc;
//!
//! use k8s_openapi::api::core::v1::{ConfigMap, ServiceAccount};
//! use kube_codegen_runtime::{
//!     children::{ChildState, Children},
//!     client::{FieldManager, TypedClient},
//!     informer::InformerFactory,
//!     record::apply::Apply,
//! };
//! # use kube_codegen_testing::ApiServer;
//!
//! const MANAGER: FieldManager<'static> = FieldManager::new("my-controller");
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let server = ApiServer::new();
//! # let (factory, client) = (InformerFactory::new(server.client()), server.client());
//! let maps = Children::new(factory.track_writes(&client), &factory.informer::<ConfigMap>(), MANAGER);
//! # factory.start();
//! # factory.wait_for_cache_sync().await?;
//! # let accounts = TypedClient::<ServiceAccount>::namespaced(server.client(), "default");
//! # let mut owner = ServiceAccount::default();
//! # owner.metadata.name = Some("a".into());
//! # let owner = accounts.create(&owner).await?;
//! // In a reconcile of `owner`:
//! let child = Apply::<ConfigMap>::namespaced("a-settings", "default")
//!     .with(|map| drop(map.data.get_or_insert_default().insert("level".into(), "debug".into())));
//! assert!(matches!(maps.apply(&owner, child.clone()).await?, ChildState::Created(_)));
//! assert!(matches!(maps.apply(&owner, child).await?, ChildState::Unchanged(_)));
//! // Deletes the other children of this kind.
//! assert!(maps.prune(&owner, ["a-settings"]).await?.is_empty());
//! assert_eq!(maps.prune(&owner, [""; 0]).await?, ["a-settings"]);
//! # factory.shutdown().await;
//! # Ok(()) }
//! ```
mod error;
mod former;
mod identity;
mod prune;

use std::{collections::HashMap, fmt, sync::Arc};

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kube::{
    Client,
    api::{GetParams, Patch},
    core::Request,
};
use parking_lot::Mutex;
use serde::{Deserialize, de::DeserializeOwned};

pub use error::ChildError;
pub use identity::{MANAGED_BY, OWNER};

use crate::{
    Object,
    cache::ObjectKey,
    client::{ErrorExt, FieldManager, apply::unusable, decode, typed},
    controller::{Controller, Host, Managed, is_controlled_by},
    informer::SharedInformer,
    lister::Lister,
    record::apply::{Apply, Fields, LastApplied},
};

/// How often the state of the server is read again because it changes at the same time.
const ATTEMPTS: usize = 3;
/// A resource version that no object has: the first revision of etcd is that of the empty store.
const NO_VERSION: &str = "1";

/// Maintains the children of one kind. Cheap to clone.
///
/// Each child has an owner reference that names the owner as its controller, and two labels: [`OWNER`] with the owner's uid, and
/// [`MANAGED_BY`] with the field manager. The garbage collector therefore deletes the child with its owner, `Controller::owns` enqueues
/// the owner when the child changes, and [`Children::prune`] finds the child.
pub struct Children<K: Object> {
    client: Client,
    informer: SharedInformer<K>,
    lister: Lister<K>,
    /// The name of the field manager.
    manager: Arc<str>,
    /// The field managers whose fields are taken over.
    former: Arc<[String]>,
    last: Arc<Mutex<HashMap<ObjectKey, Stored>>>,
}

/// The uid of a child, and what was last applied to it.
type Stored = (String, Arc<LastApplied>);

/// The outcome of applying a child.
#[derive(Clone)]
#[non_exhaustive]
pub enum ChildState<K> {
    /// The child was created.
    Created(Arc<K>),
    /// The child differed and was corrected.
    Corrected(Arc<K>),
    /// The child already matched, so nothing was sent.
    Unchanged(Arc<K>),
    /// The child cannot be created yet: an object of this name is being deleted or belongs to a deleted owner of the same name, or the
    /// owner itself has been deleted. The next event triggers another reconcile.
    Waiting,
}

/// Shows the name: the child may be a Secret.
impl<K: kube::Resource> fmt::Debug for ChildState<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (state, child) = match self {
            Self::Created(child) => ("Created", child),
            Self::Corrected(child) => ("Corrected", child),
            Self::Unchanged(child) => ("Unchanged", child),
            Self::Waiting => return f.write_str("Waiting"),
        };
        f.debug_tuple(state)
            .field(&ObjectKey::of(&**child))
            .finish()
    }
}

impl<K> ChildState<K> {
    /// Whether the child was created or corrected.
    pub fn is_written(&self) -> bool {
        matches!(self, Self::Created(_) | Self::Corrected(_))
    }

    /// Returns the child as stored by the server or the cache.
    pub fn object(&self) -> Option<&Arc<K>> {
        match self {
            Self::Created(object) | Self::Corrected(object) | Self::Unchanged(object) => {
                Some(object)
            }
            Self::Waiting => None,
        }
    }
}

/// What is read of a live owner.
#[derive(Deserialize)]
struct Head {
    metadata: ObjectMeta,
}

impl<K: Object<DynamicType = ()> + Fields> Children<K> {
    /// Creates a `Children` for the kind that `informer` caches.
    ///
    /// Pass the client of a manager, or another client whose writes show in the cache; see
    /// [`InformerFactory::track_writes`](crate::informer::InformerFactory::track_writes). Conflicts with other field managers are always
    /// forced, even if `manager` is not set to force them.
    ///
    /// After each start of the program, every child is applied once, which changes nothing in the cluster. This does not happen if the
    /// informer [keeps managed fields](crate::informer::InformerConfig::keep_managed_fields).
    pub fn new(client: Client, informer: &SharedInformer<K>, manager: FieldManager<'_>) -> Self {
        Self {
            client,
            informer: informer.clone(),
            lister: informer.lister(),
            manager: manager.name().into(),
            former: Arc::default(),
            last: Arc::default(),
        }
    }

    /// Uses this field manager instead of the program's.
    #[must_use]
    pub fn with_field_manager(mut self, name: impl Into<String>) -> Self {
        self.manager = name.into().into();
        self
    }

    /// Creates the children of a kind that a manager or a member cluster keeps.
    pub(crate) fn of_host(host: &impl Host) -> Self {
        let manager = FieldManager::new(host.field_manager());
        Self::new(host.client(), &host.factory().informer(), manager)
    }

    /// Creates or corrects a child.
    ///
    /// - The name of the child must not change. Its namespace is the owner's, unless the owner is cluster-scoped.
    /// - If the cached child already matches, nothing is sent. Fields set by other managers are left alone.
    /// - An existing object that `owner` does not control is never changed: see [`ChildError::Foreign`].
    /// - Before a child is created, the server is asked whether the owner still exists, because the cache may lag behind.
    ///
    /// The client needs the verbs `get`, `create` and `patch` for the child, and `get` for the owner.
    ///
    /// # Errors
    /// See [`ChildError`].
    pub async fn apply<O>(
        &self,
        owner: &O,
        child: impl Into<Apply<K>>,
    ) -> Result<ChildState<K>, ChildError>
    where
        O: kube::Resource<DynamicType = ()> + DeserializeOwned,
    {
        let mut child = child.into();
        let key = identity::mark(&mut child, owner, &self.manager)?;
        let mut known = self.cached(&key);
        for _ in 0..ATTEMPTS {
            if known.is_none() {
                if !self.is_alive(owner).await? {
                    return Ok(ChildState::Waiting);
                }
                known = self.live(&key).await?.map(Arc::new);
            }
            let done = match &known {
                Some(known) => self.correct(owner, &child, known, &key).await?,
                None => self.create(&child, &key).await?,
            };
            if let Some(done) = done {
                return Ok(done);
            }
            known = None;
        }
        Err(ChildError::Busy {
            kind: K::KIND,
            name: key.name,
        })
    }

    fn cached(&self, key: &ObjectKey) -> Option<Arc<K>> {
        match &key.namespace {
            Some(namespace) => self.lister.namespaced(namespace).get(&key.name).ok(),
            None => self.lister.get(&key.name).ok(),
        }
    }

    /// Corrects a child that exists. Returns `None` if it has been deleted or replaced since.
    async fn correct<O: kube::Resource<DynamicType = ()>>(
        &self,
        owner: &O,
        child: &Apply<K>,
        known: &Arc<K>,
        key: &ObjectKey,
    ) -> Result<Option<ChildState<K>>, ChildError> {
        if known.meta().deletion_timestamp.is_some() {
            return Ok(Some(ChildState::Waiting));
        }
        if !is_controlled_by(&**known, owner) {
            if identity::belongs_to_former_owner(&**known, owner) {
                return Ok(Some(ChildState::Waiting));
            }
            return Err(ChildError::foreign(&**known));
        }
        if self.is_current(child, known, key)? {
            return Ok(Some(ChildState::Unchanged(Arc::clone(known))));
        }
        if !self.take_over(key, known.meta().uid.as_deref()).await? {
            return Ok(None);
        }
        // With the uid, the apply cannot create a child again that was deleted with its owner.
        let mut config = child.to_json().map_err(unusable)?;
        let uid = known.meta().uid.as_deref();
        config["metadata"]["uid"] = uid.into();
        match self.patch(key, config).await {
            Ok(object) => {
                self.remember(child, &object, key)?;
                let is_written = object.meta().resource_version != known.meta().resource_version;
                let object = Arc::new(object);
                Ok(Some(if is_written {
                    ChildState::Corrected(object)
                } else {
                    ChildState::Unchanged(object)
                }))
            }
            // The object is gone, or another one has its name.
            Err(error) if error.is_conflict() || has_other_uid(&error) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Creates a child. Returns `None` if another client has created an object of its name since.
    async fn create(
        &self,
        child: &Apply<K>,
        key: &ObjectKey,
    ) -> Result<Option<ChildState<K>>, ChildError> {
        let mut config = child.to_json().map_err(unusable)?;
        // With a version that no object has, the apply creates the object or fails: it never changes one that has been created meanwhile.
        config["metadata"]["resourceVersion"] = NO_VERSION.into();
        match self.patch(key, config).await {
            Ok(object) => {
                self.remember(child, &object, key)?;
                Ok(Some(ChildState::Created(Arc::new(object))))
            }
            Err(error) if error.is_conflict() || error.is_already_exists() => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Whether a child has the configuration, and no other client has changed it since.
    fn is_current(&self, child: &Apply<K>, known: &K, key: &ObjectKey) -> kube::Result<bool> {
        let last = self.last.lock().get(key).cloned();
        if let Some((uid, last)) = last
            && known.meta().uid.as_deref() == Some(&uid)
        {
            return last.is_current(child, known).map_err(unusable);
        }
        let has_managed_fields = known.meta().managed_fields.is_some();
        let diff = || child.diff(known, &self.manager).map_err(unusable);
        Ok(has_managed_fields && diff()?.is_empty())
    }

    fn remember(&self, child: &Apply<K>, object: &K, key: &ObjectKey) -> kube::Result<()> {
        let last = LastApplied::new(child, object, &self.manager).map_err(unusable)?;
        let uid = object.meta().uid.clone().unwrap_or_default();
        let mut all = self.last.lock();
        all.insert(key.clone(), (uid, Arc::new(last)));
        // Forgets deleted children, at a cost in proportion to their number.
        if all.len() == all.capacity() {
            all.retain(|key, _| self.cached(key).is_some());
        }
        Ok(())
    }

    async fn patch(&self, key: &ObjectKey, config: serde_json::Value) -> kube::Result<K> {
        let request = request::<K>(key)?;
        let params = FieldManager::new(&self.manager).force().params(false);
        let request = request.patch(&key.name, &params, &Patch::Apply(config));
        self.send(request).await
    }

    async fn live(&self, key: &ObjectKey) -> kube::Result<Option<K>> {
        let request = request::<K>(key)?.get(&key.name, &GetParams::default());
        optional(self.send(request).await)
    }

    /// Asks the server whether the owner exists and is not being deleted.
    async fn is_alive<O: kube::Resource<DynamicType = ()>>(&self, owner: &O) -> kube::Result<bool> {
        let meta = owner.meta();
        let name = meta.name.as_deref().unwrap_or_default();
        let request = Request::new(O::url_path(&(), meta.namespace.as_deref()));
        let request = request.get(name, &GetParams::default());
        let live: Option<Head> = optional(self.send(request).await)?;
        Ok(live.is_some_and(|live| {
            live.metadata.uid == meta.uid && live.metadata.deletion_timestamp.is_none()
        }))
    }

    async fn send<T: DeserializeOwned>(
        &self,
        request: Result<http::Request<Vec<u8>>, kube::core::request::Error>,
    ) -> kube::Result<T> {
        let request = request.map_err(kube::Error::BuildRequest)?;
        decode::receive(&self.client, request, K::KIND).await
    }
}

/// Returns what makes requests for the objects of a kind, once namespace and name are valid segments of a path.
fn request<K: Object<DynamicType = ()> + Fields>(key: &ObjectKey) -> kube::Result<Request> {
    typed::check_segment("name", &key.name)?;
    if let Some(namespace) = &key.namespace {
        typed::check_segment("namespace", namespace)?;
    }
    Ok(Request::new(K::url_path(&(), key.namespace.as_deref())))
}

fn optional<T>(result: kube::Result<T>) -> kube::Result<Option<T>> {
    match result {
        Ok(found) => Ok(Some(found)),
        Err(error) if error.is_not_found() => Ok(None),
        Err(error) => Err(error),
    }
}

/// Whether the server rejected an apply because another object has the name.
fn has_other_uid(error: &kube::Error) -> bool {
    error.is_invalid()
        && error
            .field_errors()
            .iter()
            .any(|cause| cause.field == "metadata.uid")
}

impl<O: Object, H: Host, OnFailure> Controller<O, Managed<H, OnFailure>> {
    /// Returns the children of a kind and enqueues the owner when they change. It combines the manager's `children` with
    /// [`owns`](Controller::owns).
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # use k8s_openapi::api::{apps::v1::{Deployment, ReplicaSet}, core::v1::Pod};
    /// # use kube_codegen_runtime::{children::{ChildError, Children}, controller::Action, manager::Manager};
    /// struct Context {
    ///     sets: Children<ReplicaSet>,
    ///     pods: Children<Pod>,
    /// }
    ///
    /// # async fn reconcile(_: Arc<Deployment>, _: Arc<Context>) -> Result<Action, ChildError> { Ok(Action::await_change()) }
    /// # fn example(manager: &Manager) {
    /// let mut deployments = manager.reconcile::<Deployment>();
    /// let context = Context { sets: deployments.children(), pods: deployments.children() };
    /// deployments.run(reconcile, context);
    /// # }
    /// ```
    pub fn children<K: Object<DynamicType = ()> + Fields>(&mut self) -> Children<K> {
        let children = Children::of_host(self.host());
        self.add_owned(&children.informer, None);
        children
    }
}

impl<K: Object> AsRef<SharedInformer<K>> for Children<K> {
    fn as_ref(&self) -> &SharedInformer<K> {
        &self.informer
    }
}

impl<K: Object> Clone for Children<K> {
    fn clone(&self) -> Self {
        Self {
            client: self.client.clone(),
            informer: self.informer.clone(),
            lister: self.lister.clone(),
            manager: Arc::clone(&self.manager),
            former: Arc::clone(&self.former),
            last: Arc::clone(&self.last),
        }
    }
}
