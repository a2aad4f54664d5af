//! The garbage collector: deletes objects whose owners are gone, and handles its finalizers.

use std::sync::Arc;

use serde_json::Value;

use crate::{
    controllers::namespaces,
    handlers::removal::{FOREGROUND, ORPHAN, Propagation, delete, is_ending, remove},
    kinds::{kind::Kind, store::Store},
    values::object::{self, deleting, flag, list, put, strings, text},
};

/// Deletes a new object whose owners do not exist.
pub(super) fn created(store: &mut Store, kind: &Arc<Kind>, object: &Arc<Value>) {
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
pub(super) fn updated(store: &mut Store, kind: &Arc<Kind>, object: &Arc<Value>) {
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
}

/// Handles what has changed without the collector.
pub(super) fn catch_up(store: &mut Store) {
    let all = |store: &Store| -> Vec<_> {
        let all = store.all();
        all.map(|(kind, object)| (kind.clone(), object)).collect()
    };
    // What is collected takes others with it.
    let newest = |store: &Store, kind: &Kind, object: &Value| {
        let found = store.get(kind, object::namespace(object), object::name(object));
        found.filter(|found| object::uid(found) == object::uid(object))
    };
    for (kind, object) in all(store) {
        let Some(object) = newest(store, &kind, &object) else {
            continue;
        };
        let owners = list(&object, "/metadata/ownerReferences");
        let gone = |owner: &&Value| !exists(store, owner, object::namespace(&object));
        let gone: Vec<&Value> = owners.iter().filter(gone).collect();
        if !gone.is_empty() && gone.len() == owners.len() {
            delete(store, &kind, &object, Propagation::Background, None);
        } else if let Some(owner) = gone.first() {
            release(store, &kind, &object, text(owner, "/uid"));
        }
    }
    for (kind, object) in all(store) {
        if let Some(object) = newest(store, &kind, &object) {
            updated(store, &kind, &object);
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
