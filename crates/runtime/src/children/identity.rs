//! What makes an object a child: namespace, owner reference and labels.
use std::hash::Hasher;

use kube::Resource;
use siphasher::sip::SipHasher13;

use super::ChildError;
use crate::{
    Object,
    cache::{ObjectKey, ObjectKind},
    controller::{controller_of, owned_by},
    record::apply::{Apply, Fields, Items},
};

/// The label that holds the uid of a child's owner.
pub const OWNER: &str = "kube-codegen.dev/owner";
/// The label that holds the field manager of a child. If the field manager's name is not a valid label value, such as
/// `example.com/widgets`, invalid characters are replaced and a hash of the name is appended (`example.com-widgets-fe9908ab`).
pub const MANAGED_BY: &str = "app.kubernetes.io/managed-by";
/// The most characters of a label's value.
const LONGEST: usize = 63;

/// Returns the value of [`MANAGED_BY`] for a field manager.
pub(super) fn label_of(manager: &str) -> String {
    let is_inner = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    let is_end = |c: char| c.is_ascii_alphanumeric();
    let is_value = manager.len() <= LONGEST
        && manager.chars().all(is_inner)
        && manager.starts_with(is_end)
        && manager.ends_with(is_end);
    if is_value || manager.is_empty() {
        return manager.to_owned();
    }
    let mut hasher = SipHasher13::new();
    hasher.write(manager.as_bytes());
    let number = format!("{:08x}", hasher.finish() >> 32);
    let allowed = manager
        .chars()
        .map(|c| if is_inner(c) { c } else { '-' })
        .take(LONGEST - 1 - number.len());
    let name: String = allowed.collect();
    match name.trim_matches(|c| !is_end(c)) {
        "" => number,
        name => format!("{name}-{number}"),
    }
}

/// Sets namespace, owner reference and labels of a child. Returns its key.
pub(super) fn mark<K: Object<DynamicType = ()> + Fields, O: Resource<DynamicType = ()>>(
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
    labels.insert(MANAGED_BY.to_owned(), label_of(manager));
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_field_manager_has_a_label_of_its_own() {
        for valid in ["", "a", "my-controller", "example.com", &"a".repeat(63)] {
            assert_eq!(label_of(valid), valid);
        }
        let (slash, long) = (label_of("example.com/widgets"), "a".repeat(64));
        assert_eq!(slash, "example.com-widgets-fe9908ab");
        let others = [
            "example.com-widgets",
            "example.com widgets",
            "/",
            "ü",
            "-a",
            "a-",
            &long,
        ];
        let mut all: Vec<_> = others.iter().map(|name| label_of(name)).collect();
        all.push(slash);
        for label in &all {
            assert!(label.len() <= LONGEST && label.is_ascii(), "{label}");
            let ends = [label.chars().next(), label.chars().next_back()];
            assert!(
                ends.iter().flatten().all(char::is_ascii_alphanumeric),
                "{label}"
            );
        }
        all.sort();
        all.dedup();
        assert_eq!(all.len(), others.len() + 1);
    }
}
