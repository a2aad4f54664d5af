//! Predicates decide which events enqueue an object. They are plain functions: combine them with `&&`, `||` and `!` in a closure.
//!
//! ```
//! use k8s_openapi::api::apps::v1::Deployment;
//! use kube_codegen_runtime::{
//!     controller::{Controller, predicate::{annotations_changed, generation_changed}},
//!     informer::InformerFactory,
//! };
//!
//! # fn example(factory: &InformerFactory) {
//! // Writes of the status alone, such as the controller's own, cause no reconcile.
//! let controller = Controller::for_informer(&factory.informer::<Deployment>())
//!     .filter(|event| generation_changed(event) || annotations_changed(event));
//! # }
//! ```
use std::{collections::BTreeMap, sync::Arc};

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kube::{
    Resource,
    core::{Selector, SelectorExt as _},
};

use crate::informer::InformerEvent;

/// Accepts updates that change `metadata.generation`, which the API server increments when the spec changes, but not when only metadata or
/// status change.
///
/// Also accepts additions, deletions, resyncs (so `--resync` still reconciles every object once per period), and all updates of kinds
/// without generations.
pub fn generation_changed<K: Resource>(event: &InformerEvent<K>) -> bool {
    changed(event, |old, new| {
        old.generation != new.generation || (old.uid != new.uid)
    }) || has_no_generation(event)
}

/// Accepts updates that change the labels, and all additions, deletions and resyncs.
pub fn labels_changed<K: Resource>(event: &InformerEvent<K>) -> bool {
    changed(event, |old, new| old.labels != new.labels)
}

/// Accepts updates that change the annotations, and all additions, deletions and resyncs.
pub fn annotations_changed<K: Resource>(event: &InformerEvent<K>) -> bool {
    changed(event, |old, new| old.annotations != new.annotations)
}

/// Accepts updates that change the resource version, which excludes only resyncs, and all additions and deletions.
pub fn resource_version_changed<K: Resource>(event: &InformerEvent<K>) -> bool {
    changed(event, |old, new| {
        old.resource_version != new.resource_version
    }) && !is_resync(event)
}

/// Returns a predicate that accepts events of objects whose labels match `selector`. It checks the new labels of an update and the last
/// known labels of a deletion.
///
/// An object whose labels stop matching is not reconciled, so use this only for objects that no longer concern you once they stop
/// matching. To save memory, give the informer a label selector: it then does not cache the other objects.
///
/// ```
/// use k8s_openapi::api::core::v1::ConfigMap;
/// use kube_codegen_runtime::{
///     controller::{Controller, predicate::labels_match}, informer::InformerFactory, lister::parse_selector,
/// };
///
/// # fn example(factory: &InformerFactory) -> Result<(), Box<dyn std::error::Error>> {
/// let controller = Controller::for_informer(&factory.informer::<ConfigMap>())
///     .filter(labels_match(parse_selector("app in (web, db), !legacy")?));
/// # Ok(()) }
/// ```
pub fn labels_match<K: Resource>(selector: Selector) -> impl Fn(&InformerEvent<K>) -> bool {
    move |event| {
        let meta = match event {
            InformerEvent::Added { object, .. } => object.meta(),
            InformerEvent::Updated { new, .. } => new.meta(),
            InformerEvent::Deleted(deleted) => deleted.object.meta(),
        };
        match &meta.labels {
            Some(labels) => selector.matches(labels),
            None => selector.matches(&BTreeMap::new()),
        }
    }
}

fn changed<K: Resource>(
    event: &InformerEvent<K>,
    differs: impl FnOnce(&ObjectMeta, &ObjectMeta) -> bool,
) -> bool {
    match event {
        InformerEvent::Updated { old, new } => is_resync(event) || differs(old.meta(), new.meta()),
        InformerEvent::Added { .. } | InformerEvent::Deleted(_) => true,
    }
}

/// Whether an object is redelivered as it is.
fn is_resync<K>(event: &InformerEvent<K>) -> bool {
    matches!(event, InformerEvent::Updated { old, new } if Arc::ptr_eq(old, new))
}

fn has_no_generation<K: Resource>(event: &InformerEvent<K>) -> bool {
    matches!(event, InformerEvent::Updated { old, new }
        if new.meta().generation.is_none() && old.meta().resource_version != new.meta().resource_version)
}

#[cfg(test)]
mod tests {
    use k8s_openapi::api::core::v1::ConfigMap;

    use super::*;

    fn with(change: impl FnOnce(&mut ObjectMeta)) -> Arc<ConfigMap> {
        let mut object = ConfigMap::default();
        object.metadata.resource_version = Some("1".into());
        object.metadata.generation = Some(1);
        change(&mut object.metadata);
        Arc::new(object)
    }

    #[test]
    fn each_predicate_sees_its_own_field() {
        let update = |change: fn(&mut ObjectMeta)| {
            let event = InformerEvent::Updated {
                old: with(|_| {}),
                new: with(change),
            };
            [
                generation_changed(&event),
                labels_changed(&event),
                annotations_changed(&event),
                resource_version_changed(&event),
            ]
        };
        assert_eq!(update(|_| {}), [false; 4], "the same state twice");
        let object = with(|_| {});
        let resync = InformerEvent::Updated {
            old: Arc::clone(&object),
            new: object,
        };
        assert!(generation_changed(&resync) && labels_changed(&resync));
        assert!(annotations_changed(&resync) && !resource_version_changed(&resync));
        assert_eq!(
            update(|meta| meta.generation = Some(2)),
            [true, false, false, false]
        );
        assert_eq!(
            update(|meta| meta.uid = Some("2".into())),
            [true, false, false, false]
        );
        let labels = |meta: &mut ObjectMeta| meta.labels = Some([("a".into(), "b".into())].into());
        assert_eq!(update(labels), [false, true, false, false]);
        let notes =
            |meta: &mut ObjectMeta| meta.annotations = Some([("a".into(), "b".into())].into());
        assert_eq!(update(notes), [false, false, true, false]);
        let version = |meta: &mut ObjectMeta| meta.resource_version = Some("2".into());
        assert_eq!(update(version), [false, false, false, true]);
        let ungenerated = |meta: &mut ObjectMeta| {
            meta.resource_version = Some("2".into());
            meta.generation = None;
        };
        assert_eq!(update(ungenerated), [true, false, false, true]);
    }

    #[test]
    fn a_selector_sees_the_new_labels() {
        let accepts = labels_match(crate::lister::parse_selector("app=web,!legacy").unwrap());
        let labelled = |label: &'static str| {
            with(|meta| meta.labels = Some([("app".into(), label.into())].into()))
        };
        let update = |old, new| InformerEvent::Updated { old, new };
        assert!(accepts(&update(with(|_| {}), labelled("web"))));
        assert!(!accepts(&update(labelled("web"), labelled("db"))));
        assert!(!accepts(&update(labelled("web"), with(|_| {}))));
        let is_in_initial_list = true;
        assert!(accepts(&InformerEvent::Added {
            object: labelled("web"),
            is_in_initial_list
        }));
    }
}
