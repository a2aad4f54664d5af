//! What makes an object a child: namespace, owner reference and labels.
use kube::Resource;

use super::{Child, ChildError};
use crate::{
    cache::{ObjectKey, ObjectKind},
    controller::{controller_of, owned_by},
    record::apply::{Apply, Items},
};

/// The label of a child with the uid of its owner.
pub const OWNER: &str = "kube-codegen.dev/owner";
/// The label of a child with the field manager that keeps it.
pub const MANAGED_BY: &str = "app.kubernetes.io/managed-by";

/// Sets namespace, owner reference and labels of a child. Returns its key.
pub(super) fn mark<K: Child, O: Resource<DynamicType = ()>>(
    child: &mut Apply<K>,
    owner: &O,
    manager: &str,
) -> Result<ObjectKey, ChildError> {
    let is_cluster_scoped = ObjectKind::of::<K>(&()).cluster_scoped;
    let meta = k8s_openapi::Metadata::metadata_mut(child.object_mut());
    let name = meta.name.clone().unwrap_or_default();
    let fail = |namespace: Option<&String>| ChildError::Namespace {
        kind: K::KIND,
        name: name.clone(),
        namespace: namespace.cloned(),
        owner: owner.meta().namespace.clone(),
    };
    let reference = owned_by(owner).ok_or(ChildError::NoOwner)?;
    match (&owner.meta().namespace, &meta.namespace) {
        (Some(_), _) if is_cluster_scoped => return Err(fail(None)),
        (Some(namespace), None) => meta.namespace = Some(namespace.clone()),
        (Some(namespace), Some(given)) if given != namespace => return Err(fail(Some(given))),
        (None, None) if !is_cluster_scoped => return Err(fail(None)),
        _ => {}
    }
    *meta.owner_references.item(&reference.uid) = reference.clone();
    let labels = meta.labels.get_or_insert_default();
    labels.insert(OWNER.to_owned(), reference.uid);
    labels.insert(MANAGED_BY.to_owned(), manager.to_owned());
    Ok(ObjectKey {
        namespace: meta.namespace.clone().filter(|_| !is_cluster_scoped),
        name,
    })
}

/// Whether an object belongs to a deleted object that had the owner's name, and will be garbage-collected.
pub(super) fn belongs_to_former_owner<K: Resource, O: Resource<DynamicType = ()>>(
    object: &K,
    owner: &O,
) -> bool {
    let group = |version: &str| {
        version
            .rsplit_once('/')
            .map_or(String::new(), |(group, _)| group.to_owned())
    };
    controller_of(object).is_some_and(|reference| {
        reference.kind == O::kind(&())
            && group(&reference.api_version) == O::group(&())
            && Some(&reference.name) == owner.meta().name.as_ref()
    })
}
