//! Deletes children that are no longer wanted.
use std::{collections::BTreeSet, sync::Arc};

use kube::{
    Resource,
    api::{DeleteParams, Preconditions},
};

use super::{Child, ChildError, Children, MANAGED_BY, OWNER, request};
use crate::{cache::ObjectKey, client::ErrorExt, controller::is_controlled_by};

impl<K: Child> Children<K> {
    /// Returns the cached children of `owner`: those with both labels that it controls.
    pub fn of<O: Resource<DynamicType = ()>>(&self, owner: &O) -> Vec<Arc<K>> {
        let uid = owner.meta().uid.as_deref();
        let is_child = |object: &K| {
            let labels = object.meta().labels.as_ref();
            let label = |name| {
                labels
                    .and_then(|labels| labels.get(name))
                    .map(String::as_str)
            };
            label(OWNER) == uid
                && label(MANAGED_BY) == Some(self.manager.name())
                && is_controlled_by(object, owner)
        };
        let mut children = match &owner.meta().namespace {
            Some(namespace) => self.lister.namespaced(namespace).all(),
            None => self.lister.all(),
        };
        children.retain(|child| is_child(child));
        children.sort_by_key(|child| ObjectKey::of(&**child).to_string());
        children
    }

    /// Deletes the children of `owner` except for those named in `keep`. Returns the names of the deleted ones, sorted; with their namespace if the
    /// owner is cluster-scoped, as in `keep`.
    ///
    /// A child that was replaced since the cache has seen it is not deleted, nor one without both labels or of another controller. The client needs
    /// the verb `delete`.
    ///
    /// # Errors
    /// [`ChildError::Api`]. Children before the failed one have been deleted then.
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
            let params = DeleteParams {
                preconditions: Some(Preconditions {
                    uid: child.meta().uid.clone(),
                    resource_version: None,
                }),
                ..DeleteParams::background()
            };
            let request = request::<K>(&key)?.delete(&key.name, &params);
            match self.send::<serde_json::Value>(request).await {
                Ok(_) => deleted.push(name),
                Err(error) if error.is_not_found() || error.is_conflict() => {}
                Err(error) => return Err(error.into()),
            }
            self.last.lock().remove(&key);
        }
        Ok(deleted)
    }
}
