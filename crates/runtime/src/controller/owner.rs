//! Owner references: who controls an object, and references to write into children. Reads metadata alone.
use k8s_openapi::{NamespaceResourceScope, apimachinery::pkg::apis::meta::v1::OwnerReference};
use kube::Resource;
use std::any::TypeId;

use crate::informer::{Object, ObjectKey};

/// The one owner that controls `object`, if any.
pub fn controller_of<C: Resource>(object: &C) -> Option<&OwnerReference> {
    object
        .meta()
        .owner_references
        .as_deref()
        .unwrap_or_default()
        .iter()
        .find(|owner| owner.controller == Some(true))
}

/// Whether `owner`, told by its uid, controls `object`. A foreign object of the right name is not one's own.
pub fn is_controlled_by<C: Resource, K: Resource>(object: &C, owner: &K) -> bool {
    owner.meta().uid.is_some()
        && controller_of(object).map(|reference| &reference.uid) == owner.meta().uid.as_ref()
}

/// The reference that makes `owner` the controller of a child: the child is garbage-collected with it, and `kubectl delete --cascade=foreground` waits
/// for the child. `None` if the owner has not been stored yet, for it then has no uid.
pub fn owned_by<K: Resource<DynamicType = ()>>(owner: &K) -> Option<OwnerReference> {
    owner
        .controller_owner_ref(&())
        .map(|reference| OwnerReference {
            block_owner_deletion: Some(true),
            ..reference
        })
}

/// The key of the `K` that controls `child`, if it is a `K` of any version.
pub(super) fn controlling<K: Object, C: Resource>(child: &C) -> Option<ObjectKey> {
    let owner = controller_of(child)?;
    let group = owner
        .api_version
        .split_once('/')
        .map_or("", |(group, _)| group);
    if owner.kind != K::kind(&()) || group != K::group(&()) {
        return None;
    }
    let namespaced = TypeId::of::<K::Scope>() == TypeId::of::<NamespaceResourceScope>();
    let namespace = if namespaced {
        Some(child.meta().namespace.clone()?)
    } else {
        None
    };
    Some(ObjectKey {
        namespace,
        name: owner.name.clone(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use k8s_openapi::api::{
        apps::v1::{Deployment, ReplicaSet},
        core::v1::{Node, Pod},
    };
    use kube::core::ObjectMeta;

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
        let key = Some(ObjectKey::namespaced("ns", "parent"));
        assert_eq!(
            controlling::<ReplicaSet, _>(&child("apps/v1", "ReplicaSet", Some(true))),
            key
        );
        assert_eq!(
            controlling::<ReplicaSet, _>(&child("apps/v1beta2", "ReplicaSet", Some(true))),
            key,
            "any version of the group"
        );
        assert_eq!(
            controlling::<ReplicaSet, _>(&child("example.com/v1", "ReplicaSet", Some(true))),
            None
        );
        assert_eq!(
            controlling::<Deployment, _>(&child("apps/v1", "ReplicaSet", Some(true))),
            None
        );
        assert_eq!(
            controlling::<ReplicaSet, _>(&child("apps/v1", "ReplicaSet", Some(false))),
            None
        );
        assert_eq!(
            controlling::<ReplicaSet, _>(&child("apps/v1", "ReplicaSet", None)),
            None
        );
        assert_eq!(
            controlling::<Node, _>(&child("v1", "Node", Some(true))),
            Some(ObjectKey::cluster("parent")),
            "cluster-scoped owners have no namespace"
        );
    }

    #[test]
    fn control_is_told_by_uid() {
        let mut owner = ReplicaSet::default();
        assert!(
            !is_controlled_by(&child("apps/v1", "ReplicaSet", Some(true)), &owner),
            "an owner without uid owns nothing"
        );
        owner.metadata.uid = Some("u1".into());
        assert!(is_controlled_by(
            &child("apps/v1", "ReplicaSet", Some(true)),
            &owner
        ));
        owner.metadata.uid = Some("u2".into());
        assert!(
            !is_controlled_by(&child("apps/v1", "ReplicaSet", Some(true)), &owner),
            "same name, another life"
        );
        owner.metadata.name = Some("parent".into());
        let reference = owned_by(&owner).unwrap();
        assert_eq!(
            (
                reference.kind.as_str(),
                reference.api_version.as_str(),
                reference.uid.as_str()
            ),
            ("ReplicaSet", "apps/v1", "u2")
        );
        assert_eq!(
            (reference.controller, reference.block_owner_deletion),
            (Some(true), Some(true))
        );
    }
}
