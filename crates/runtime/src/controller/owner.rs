//! Owner references: reads the controller of a child, and creates the reference to write into a child.
use k8s_openapi::apimachinery::pkg::apis::meta::v1::OwnerReference;
use kube::Resource;

use crate::cache::{ObjectKey, ObjectKind};

/// Returns the owner reference of the object that controls `object`, if any.
pub fn controller_of<C: Resource>(object: &C) -> Option<&OwnerReference> {
    object
        .meta()
        .owner_references
        .as_deref()
        .unwrap_or_default()
        .iter()
        .find(|owner| owner.controller == Some(true))
}

/// Whether `owner` controls `object`. This compares uids, so an object that belonged to an earlier owner of the same name does not count.
pub fn is_controlled_by<C: Resource, K: Resource>(object: &C, owner: &K) -> bool {
    owner.meta().uid.is_some()
        && controller_of(object).map(|reference| &reference.uid) == owner.meta().uid.as_ref()
}

/// Returns the reference that makes `owner` the controller of a child. The garbage collector then deletes the child with its owner, and
/// `kubectl delete --cascade=foreground` waits for the child. Returns `None` if the owner has no uid because it has not been stored yet.
///
/// ```
/// use k8s_openapi::api::{apps::v1::Deployment, core::v1::ConfigMap};
/// use kube_codegen_runtime::controller::{is_controlled_by, owned_by};
///
/// let mut owner = ConfigMap::default();
/// assert_eq!(owned_by(&owner), None);
/// owner.metadata.name = Some("a".into());
/// owner.metadata.uid = Some("5e7c".into());
/// let mut child = Deployment::default();
/// child.metadata.owner_references = owned_by(&owner).map(|reference| vec![reference]);
/// assert!(is_controlled_by(&child, &owner));
/// ```
pub fn owned_by<K: Resource<DynamicType = ()>>(owner: &K) -> Option<OwnerReference> {
    owner
        .controller_owner_ref(&())
        .map(|reference| OwnerReference {
            block_owner_deletion: Some(true),
            ..reference
        })
}

/// Returns the key of the owner that controls `child`, if it is of this kind, in any version.
pub(super) fn controller_key<C: Resource>(kind: &ObjectKind, child: &C) -> Option<ObjectKey> {
    let owner = controller_of(child)?;
    let group = owner
        .api_version
        .split_once('/')
        .map_or("", |(group, _)| group);
    if owner.kind != kind.kind || group != kind.group {
        return None;
    }
    let namespace = if kind.cluster_scoped {
        None
    } else {
        Some(child.meta().namespace.clone()?)
    };
    Some(ObjectKey {
        namespace,
        name: owner.name.clone(),
    })
}

#[cfg(test)]
mod tests {
    use k8s_openapi::api::{
        apps::v1::{Deployment, ReplicaSet},
        core::v1::{Node, Pod},
    };
    use kube::core::ObjectMeta;

    use super::*;
    use crate::Object;

    fn child(api_version: &str, kind: &str, controller: Option<bool>) -> Pod {
        let owner = OwnerReference {
            api_version: api_version.into(),
            kind: kind.into(),
            name: "parent".into(),
            uid: "u1".into(),
            controller,
            ..OwnerReference::default()
        };
        let metadata = ObjectMeta {
            namespace: Some("ns".into()),
            owner_references: Some(vec![owner]),
            ..ObjectMeta::default()
        };
        Pod {
            metadata,
            ..Pod::default()
        }
    }

    #[test]
    fn only_the_controller_of_the_right_kind_and_group_counts() {
        fn key<K: Object<DynamicType = ()>>(
            api_version: &str,
            kind: &str,
            controller: Option<bool>,
        ) -> String {
            let child = child(api_version, kind, controller);
            let key = controller_key(&ObjectKind::of::<K>(&()), &child);
            key.map(|key| key.to_string()).unwrap_or_default()
        }
        let set = "ReplicaSet";
        assert_eq!(key::<ReplicaSet>("apps/v1", set, Some(true)), "ns/parent");
        assert_eq!(
            key::<ReplicaSet>("apps/v1beta2", set, Some(true)),
            "ns/parent"
        );
        assert_eq!(key::<ReplicaSet>("example.com/v1", set, Some(true)), "");
        assert_eq!(key::<Deployment>("apps/v1", set, Some(true)), "");
        assert_eq!(key::<ReplicaSet>("apps/v1", set, Some(false)), "");
        assert_eq!(key::<ReplicaSet>("apps/v1", set, None), "");
        assert_eq!(key::<Node>("v1", "Node", Some(true)), "parent");
    }

    #[test]
    fn control_is_decided_by_uid() {
        let child = child("apps/v1", "ReplicaSet", Some(true));
        let mut owner = ReplicaSet::default();
        assert!(!is_controlled_by(&child, &owner), "no uid");
        owner.metadata.uid = Some("u1".into());
        assert!(is_controlled_by(&child, &owner));
        owner.metadata.uid = Some("u2".into());
        assert!(!is_controlled_by(&child, &owner), "recreated");
        owner.metadata.name = Some("parent".into());
        let reference = OwnerReference {
            api_version: "apps/v1".into(),
            kind: "ReplicaSet".into(),
            name: "parent".into(),
            uid: "u2".into(),
            controller: Some(true),
            block_owner_deletion: Some(true),
        };
        assert_eq!(owned_by(&owner), Some(reference));
    }
}
