//! Deletes children that are no longer wanted.
use std::{collections::BTreeSet, sync::Arc};

use kube::{
    Resource,
    api::{DeleteParams, Preconditions},
};

use super::{ATTEMPTS, ChildError, Children, MANAGED_BY, OWNER, identity::label_of, request};
use crate::{
    Object, cache::ObjectKey, client::ErrorExt, controller::is_controlled_by, record::apply::Fields,
};

impl<K: Object<DynamicType = ()> + Fields> Children<K> {
    /// Returns the cached children of `owner`: the objects that have both labels and that it controls.
    pub fn of<O: Resource<DynamicType = ()>>(&self, owner: &O) -> Vec<Arc<K>> {
        let mut children = match &owner.meta().namespace {
            Some(namespace) => self.lister.namespaced(namespace).all(),
            None => self.lister.all(),
        };
        children.retain(|child| self.is_child(&**child, owner));
        children.sort_by_key(|child| ObjectKey::of(&**child).to_string());
        children
    }

    /// Whether `object` has both labels, and `owner` controls it.
    fn is_child<O: Resource<DynamicType = ()>>(&self, object: &K, owner: &O) -> bool {
        let labels = object.meta().labels.as_ref();
        let label = |name| labels?.get(name).map(String::as_str);
        label(OWNER) == owner.meta().uid.as_deref()
            && label(MANAGED_BY) == Some(&label_of(&self.manager))
            && is_controlled_by(object, owner)
    }

    /// Deletes the children of `owner` except those named in `keep`. Returns the names of the deleted children, sorted. If the owner is
    /// cluster-scoped, names include the namespace, both here and in `keep`.
    ///
    /// An object that lacks one of the labels, or that has another controller, is never deleted, even if it has replaced a child that the
    /// cache still shows. The client needs the verbs `delete` and `get`.
    ///
    /// # Errors
    /// [`ChildError::Api`] if a child could not be deleted. Children before it are already deleted; return the error so that the reconcile
    /// is retried.
    pub async fn prune<O: Resource<DynamicType = ()>>(
        &self,
        owner: &O,
        keep: impl IntoIterator<Item = impl AsRef<str>>,
    ) -> Result<Vec<String>, ChildError> {
        let keep: BTreeSet<String> = keep
            .into_iter()
            .map(|name| name.as_ref().to_owned())
            .collect();
        let mut deleted = Vec::new();
        for child in self.of(owner) {
            let key = ObjectKey::of(&*child);
            let name = match owner.meta().namespace {
                Some(_) => key.name.clone(),
                None => key.to_string(),
            };
            if keep.contains(&name) || child.meta().deletion_timestamp.is_some() {
                continue;
            }
            if self.delete(owner, child, &key).await? {
                deleted.push(name);
            }
            self.last.lock().remove(&key);
        }
        Ok(deleted)
    }

    /// Deletes a child. Returns `false` if it is gone, or another object has its name.
    async fn delete<O: Resource<DynamicType = ()>>(
        &self,
        owner: &O,
        mut child: Arc<K>,
        key: &ObjectKey,
    ) -> kube::Result<bool> {
        let mut attempts = 1;
        loop {
            let params = DeleteParams {
                preconditions: Some(Preconditions {
                    uid: child.meta().uid.clone(),
                    resource_version: None,
                }),
                ..DeleteParams::background()
            };
            let request = request::<K>(key)?.delete(&key.name, &params);
            match self.send::<serde_json::Value>(request).await {
                Ok(_) => return Ok(true),
                Err(error) if error.is_not_found() => return Ok(false),
                Err(error) if error.is_conflict() && attempts < ATTEMPTS => {}
                Err(error) => return Err(error),
            }
            attempts += 1;
            // The child was replaced, or changed at the same time.
            let live = self.live(key).await?;
            let live = live.filter(|live| {
                self.is_child(live, owner) && live.meta().deletion_timestamp.is_none()
            });
            let Some(live) = live else { return Ok(false) };
            child = Arc::new(live);
        }
    }
}
