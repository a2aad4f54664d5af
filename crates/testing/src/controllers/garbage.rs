//! The garbage collector: deletes objects whose owners are gone, and handles its finalizers.

use std::sync::Arc;

use serde_json::{Value, json};

use super::{events, namespaces, pass::AGENT};
use crate::{
    handlers::client::{Client, check},
    handlers::removal::{FOREGROUND, ORPHAN, Propagation, delete, is_ending, remove},
    kinds::{kind::Kind, store::Store},
    values::object::{self, deleting, flag, list, now, put, strings, text},
};

/// Deletes an object whose owners do not exist, and releases it from those of several that do not.
pub(super) fn examine(store: &mut Store, kind: &Arc<Kind>, object: &Arc<Value>) {
    let (gone, owners) = gone(store, object);
    report_strangers(store, object);
    if gone.is_empty() {
        return;
    }
    if gone.len() == owners {
        delete(store, kind, object, Propagation::Background, None);
    } else {
        release(store, kind, object, &gone);
    }
}

/// Returns the uids of the owners that do not exist, and how many owners there are.
fn gone<'o>(store: &Store, object: &'o Value) -> (Vec<&'o str>, usize) {
    let owners = list(object, "/metadata/ownerReferences");
    let is_gone = |owner: &&Value| !exists(store, owner, object::namespace(object));
    let gone = owners.iter().filter(is_gone);
    (
        gone.map(|owner| text(owner, "/uid")).collect(),
        owners.len(),
    )
}

/// Handles the collector's finalizers of a changed object, and removes a deleted object without finalizers. Another one is deleted if none of its owners
/// exists. If some do, it keeps the others: to release it takes a real collector a while, and an operator with an old view that sets the reference
/// again would be answered without end.
pub(super) fn updated(store: &mut Store, kind: &Arc<Kind>, object: &Arc<Value>) {
    if !deleting(object) {
        let (gone, owners) = gone(store, object);
        if owners > 0 && gone.len() == owners {
            delete(store, kind, object, Propagation::Background, None);
        }
        return;
    }
    let mut finalizers = strings(object, "/metadata/finalizers");
    let before = finalizers.len();
    if finalizers.iter().any(|name| name == ORPHAN) {
        orphan(store, object);
        finalizers.retain(|name| name != ORPHAN);
    }
    if finalizers.iter().any(|name| name == FOREGROUND) {
        for (kind, dependent) in store.dependents(object::uid(object)) {
            if !deleting(&dependent) {
                delete(store, &kind, &dependent, Propagation::Background, None);
            }
        }
        let blocked = store
            .dependents(object::uid(object))
            .iter()
            .any(|(_, dependent)| blocks(dependent, object::uid(object)));
        finalizers.retain(|name| name != FOREGROUND || blocked);
    }
    if finalizers.is_empty() && !is_ending(store, object) {
        if store.namespaces && kind.is_namespace() {
            namespaces::finish(store, object::name(object));
        } else {
            remove(store, kind, object);
        }
    } else if finalizers.len() != before {
        let mut changed = Value::clone(object);
        put(&mut changed, "/metadata/finalizers", finalizers.into());
        store.write(kind, changed);
    }
}

/// Deletes or releases what depended on a removed object.
pub(super) fn removed(store: &mut Store, object: &Value) {
    for (kind, dependent) in store.dependents(object::uid(object)) {
        examine(store, &kind, &dependent);
    }
}

/// Handles what has changed without the collector.
pub(super) fn catch_up(store: &mut Store) {
    let all = store.all();
    let all: Vec<_> = all.map(|(kind, it)| (kind.clone(), it)).collect();
    for (kind, object) in all {
        // What is collected takes others with it.
        let newest = store.get(&kind, object::namespace(&object), object::name(&object));
        if let Some(newest) = newest.filter(|it| object::uid(it) == object::uid(&object)) {
            if deleting(&newest) {
                updated(store, &kind, &newest);
            } else {
                examine(store, &kind, &newest);
            }
        }
    }
}

/// Completes the deletions of owners that may have waited for a removed object.
pub(super) fn release_owners(store: &mut Store, object: &Value) {
    for owner in list(object, "/metadata/ownerReferences") {
        if let Some((kind, waiting)) = find(store, owner, object::namespace(object)) {
            store.reactions.updated(store, &kind, &waiting);
        }
    }
}

/// Returns whether an owner may exist. One that cannot be looked up may: its kind or version is not served, or it is in a namespace, which the
/// object is not.
fn exists(store: &Store, owner: &Value, namespace: &str) -> bool {
    let Some(kind) = kind_of(store, owner) else {
        return true;
    };
    (kind.namespaced && namespace.is_empty()) || find(store, owner, namespace).is_some()
}

fn kind_of<'a>(store: &'a Store, owner: &Value) -> Option<&'a Arc<Kind>> {
    let api_version = text(owner, "/apiVersion");
    let version = api_version.rsplit('/').next().unwrap_or_default();
    let kind = store.kinds.named(api_version, text(owner, "/kind"));
    kind.filter(|kind| kind.version(version).is_some())
}

/// Writes an Event for each owner that is in a namespace of its own, where it owns nothing of this object's.
fn report_strangers(store: &mut Store, object: &Value) {
    let namespace = object::namespace(object);
    let is_stranger = |owner: &&Value| {
        let kind = kind_of(store, owner).filter(|kind| kind.namespaced);
        let others = kind.into_iter().flat_map(|kind| store.list(kind, ""));
        others.into_iter().any(|other| {
            object::uid(&other) == text(owner, "/uid") && object::namespace(&other) != namespace
        })
    };
    let owners = list(object, "/metadata/ownerReferences").iter();
    let strangers: Vec<Value> = owners.filter(is_stranger).cloned().collect();
    for owner in strangers {
        let field = |name: &str| text(&owner, name).to_owned();
        let reference = format!(
            "[{}/{}, namespace: {namespace}, name: {}, uid: {}]",
            field("/apiVersion"),
            field("/kind"),
            field("/name"),
            field("/uid")
        );
        let number = store.unique();
        let event = json!({
            "apiVersion": "v1",
            "kind": "Event",
            "metadata": {
                "name": events::name(object, number),
                "namespace": if namespace.is_empty() { "default" } else { namespace },
            },
            "involvedObject": {
                "apiVersion": object["apiVersion"],
                "kind": object["kind"],
                "namespace": namespace,
                "name": object::name(object),
                "uid": object::uid(object),
            },
            "type": "Warning",
            "reason": "OwnerRefInvalidNamespace",
            "message": format!("ownerRef {reference} does not exist in namespace {namespace:?}"),
            "source": {"component": "garbage-collector-controller"},
            "reportingComponent": "garbage-collector-controller",
            "count": 1,
            "firstTimestamp": now(),
            "lastTimestamp": now(),
        });
        check(Client::new(store).create(AGENT, &event));
    }
}

/// Returns the owner that a reference in an object of the namespace names.
fn find(store: &Store, owner: &Value, namespace: &str) -> Option<(Arc<Kind>, Arc<Value>)> {
    let kind = kind_of(store, owner)?;
    let namespace = if kind.namespaced { namespace } else { "" };
    store
        .get(kind, namespace, text(owner, "/name"))
        .filter(|found| object::uid(found) == text(owner, "/uid"))
        .map(|found| (kind.clone(), found))
}

fn blocks(dependent: &Value, uid: &str) -> bool {
    list(dependent, "/metadata/ownerReferences")
        .iter()
        .any(|owner| text(owner, "/uid") == uid && flag(owner, "/blockOwnerDeletion"))
}

fn orphan(store: &mut Store, owner: &Value) {
    for (kind, dependent) in store.dependents(object::uid(owner)) {
        release(store, &kind, &dependent, &[object::uid(owner)]);
    }
}

fn release(store: &mut Store, kind: &Arc<Kind>, dependent: &Value, uids: &[&str]) {
    let mut changed = dependent.clone();
    let owners: Vec<_> = list(dependent, "/metadata/ownerReferences")
        .iter()
        .filter(|owner| !uids.contains(&text(owner, "/uid")))
        .cloned()
        .collect();
    put(&mut changed, "/metadata/ownerReferences", owners.into());
    store.write(kind, changed);
}
