//! Deletes objects, with the immediate effects on finalizers, dependents, namespaces and served CRDs.

use std::sync::Arc;

use serde_json::Value;

use crate::{
    definition,
    kind::{self, Kind},
    namespaces,
    object::{self, at, deleting, flag, list, now, put, section, strings, text},
    store::Store,
};

const FOREGROUND: &str = "foregroundDeletion";
const ORPHAN: &str = "orphan";

/// What happens to the dependents of a deleted object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Propagation {
    Background,
    Foreground,
    Orphan,
}

/// Deletes an object, or marks it as deleted if it has finalizers. Returns its last state, and whether it was removed.
pub(crate) fn delete(
    store: &mut Store,
    kind: &Arc<Kind>,
    object: &Arc<Value>,
    propagation: Propagation,
    grace: Option<i64>,
) -> (Arc<Value>, bool) {
    let mut marked = Value::clone(object);
    let mut finalizers = strings(object, "/metadata/finalizers");
    let own = match propagation {
        Propagation::Background => None,
        Propagation::Foreground => Some(FOREGROUND),
        Propagation::Orphan => Some(ORPHAN),
    };
    if let Some(own) = own.filter(|own| !finalizers.iter().any(|name| name == own)) {
        finalizers.push(own.to_owned());
        put(
            &mut marked,
            "/metadata/finalizers",
            finalizers.clone().into(),
        );
    }
    let terminates = store.namespaces && namespaces::is_namespace(kind);
    if finalizers.is_empty() && !terminates {
        return (remove(store, kind, object), true);
    }
    if !deleting(object) {
        mark(&mut marked, grace.unwrap_or_default());
        if terminates {
            put(&mut marked, "/status/phase", "Terminating".into());
        }
    }
    let stored = if marked == **object {
        object.clone()
    } else {
        store.write(kind, marked)
    };
    if terminates {
        namespaces::empty(store, object::name(object));
        namespaces::finish(store, object::name(object));
    } else {
        after_update(store, kind, &stored);
    }
    let remaining = store
        .get(kind, object::namespace(object), object::name(object))
        .filter(|remaining| object::uid(remaining) == object::uid(object));
    let removed = remaining.is_none();
    (remaining.unwrap_or(stored), removed)
}

/// Marks an object as deleted.
pub(crate) fn mark(object: &mut Value, grace: i64) {
    let metadata = section(object, "metadata");
    metadata.insert("deletionTimestamp".to_owned(), now());
    metadata.insert("deletionGracePeriodSeconds".to_owned(), grace.into());
    if let Some(generation) = metadata.get("generation").and_then(Value::as_i64) {
        metadata.insert("generation".to_owned(), (generation + 1).into());
    }
}

/// Serves a new CRD, and collects a new object whose owners do not exist.
pub(crate) fn after_create(store: &mut Store, kind: &Arc<Kind>, object: &Arc<Value>) {
    register(store, kind, object);
    if store.namespaces && namespaces::is_namespace(kind) {
        namespaces::created(store, object::name(object));
    }
    let owners = list(object, "/metadata/ownerReferences");
    if !owners.is_empty()
        && owners
            .iter()
            .all(|owner| !exists(store, owner, object::namespace(object)))
    {
        delete(store, kind, object, Propagation::Background, None);
    }
}

/// Handles the collector's finalizers of a changed object, and removes a deleted object without finalizers.
pub(crate) fn after_update(store: &mut Store, kind: &Arc<Kind>, object: &Arc<Value>) {
    register(store, kind, object);
    if !deleting(object) {
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
    if finalizers.is_empty() {
        if store.namespaces && namespaces::is_namespace(kind) {
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

/// Removes an object and collects what depended on it.
pub(crate) fn remove(store: &mut Store, kind: &Arc<Kind>, object: &Arc<Value>) -> Arc<Value> {
    let Some(last) = store.remove(kind, object::namespace(object), object::name(object)) else {
        return object.clone();
    };
    if namespaces::is_namespace(kind) {
        namespaces::empty(store, object::name(object));
    }
    if kind.plural == "customresourcedefinitions" {
        store.kinds.remove(
            text(object, "/spec/group"),
            text(object, "/spec/names/plural"),
        );
    }
    let uid = object::uid(object);
    for (kind, dependent) in store.dependents(uid) {
        let owners = list(&dependent, "/metadata/ownerReferences");
        if owners
            .iter()
            .all(|owner| !exists(store, owner, object::namespace(&dependent)))
        {
            delete(store, &kind, &dependent, Propagation::Background, None);
        } else {
            release(store, &kind, &dependent, uid);
        }
    }
    namespaces::finish(store, object::namespace(object));
    // This may complete the foreground deletion of an owner.
    for owner in list(object, "/metadata/ownerReferences") {
        if let Some((kind, waiting)) = find(store, owner, object::namespace(object)) {
            after_update(store, &kind, &waiting);
        }
    }
    last
}

/// Returns whether an owner exists; owners of unknown kinds are assumed to exist.
fn exists(store: &Store, owner: &Value, namespace: &str) -> bool {
    kind_of(store, owner).is_none() || find(store, owner, namespace).is_some()
}

fn kind_of<'a>(store: &'a Store, owner: &Value) -> Option<&'a Arc<Kind>> {
    store
        .kinds
        .named(text(owner, "/apiVersion"), text(owner, "/kind"))
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
        release(store, &kind, &dependent, object::uid(owner));
    }
}

fn release(store: &mut Store, kind: &Arc<Kind>, dependent: &Value, uid: &str) {
    let mut changed = dependent.clone();
    let owners: Vec<_> = list(dependent, "/metadata/ownerReferences")
        .iter()
        .filter(|owner| text(owner, "/uid") != uid)
        .cloned()
        .collect();
    put(&mut changed, "/metadata/ownerReferences", owners.into());
    store.write(kind, changed);
}

/// Serves a stored CRD and sets its status.
fn register(store: &mut Store, kind: &Arc<Kind>, object: &Arc<Value>) {
    if !definition::is_definition(kind) {
        return;
    }
    let (served, status) = definition::establish(store, object);
    if let Ok(defined) = kind::from_crd(object)
        && served
    {
        store.kinds.insert(defined);
    }
    if *at(object, "/status") != status {
        let mut established = Value::clone(object);
        put(&mut established, "/status", status);
        store.write(kind, established);
        return;
    }
    // A version that was once the storage version stays until a client removes it.
    let stored = list(object, "/status/storedVersions");
    let versions = list(object, "/spec/versions").iter();
    let new = versions
        .filter(|version| flag(version, "/storage"))
        .map(|version| at(version, "/name"));
    let new: Vec<_> = new.filter(|name| !stored.contains(name)).cloned().collect();
    if !new.is_empty() {
        let mut changed = Value::clone(object);
        put(
            &mut changed,
            "/status/storedVersions",
            stored.iter().cloned().chain(new).collect(),
        );
        store.write(kind, changed);
    }
}
