//! Serves the kind of a stored definition, and sets its status.

use std::sync::Arc;

use serde_json::Value;

use crate::{
    admission::definitions,
    handlers::removal::{self, Propagation},
    kinds::{
        definition,
        kind::{self, Kind},
        store::Store,
    },
    values::object::{self, at, deleting, flag, list, put, strings, text},
};

/// Serves a stored CRD and sets its status.
pub(super) fn register(store: &mut Store, kind: &Arc<Kind>, object: &Arc<Value>) {
    if !definition::is_definition(kind) {
        return;
    }
    let (served, status) = definition::establish(&store.kinds, object);
    if let Ok(mut defined) = kind::from_crd(object)
        && served
    {
        if let Some(storage) = &mut defined.storage {
            storage.since = store.revision();
        }
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

/// Deletes the instances of a deleted definition.
pub(super) fn empty(store: &mut Store, kind: &Arc<Kind>, object: &Arc<Value>) {
    if !definition::is_definition(kind) {
        return;
    }
    let mut cleaned = Value::clone(object);
    definition::terminating(
        &mut cleaned,
        true,
        "InstanceDeletionInProgress",
        "CustomResource deletion is in progress",
    );
    store.write(kind, cleaned);
    let (group, plural) = (
        text(object, "/spec/group"),
        text(object, "/spec/names/plural"),
    );
    // Without accepted names, it was never served.
    let Some(defined) = store.kinds.get(group, plural).cloned() else {
        let definition = store.get(kind, "", object::name(object));
        return complete(store, kind, &definition.unwrap_or_else(|| object.clone()));
    };
    for instance in store.list(&defined, "") {
        let (namespace, name) = (object::namespace(&instance), object::name(&instance));
        // The deletion of one may delete others.
        if let Some(instance) = store.get(&defined, namespace, name) {
            removal::delete(store, &defined, &instance, Propagation::Background, None);
        }
    }
    finish(store, &defined);
}

/// Removes the deleted definition of a kind that has no more instances.
pub(super) fn finish(store: &mut Store, kind: &Kind) {
    if !kind.custom {
        return;
    }
    if let Some((definitions, crd)) = definitions::of(store, kind)
        && deleting(&crd)
        && store.stored(kind, "").next().is_none()
    {
        complete(store, &definitions, &crd);
    }
}

/// Removes a definition without instances, unless others hold it.
fn complete(store: &mut Store, kind: &Arc<Kind>, crd: &Arc<Value>) {
    let mut others = strings(crd, "/metadata/finalizers");
    others.retain(|name| name != definition::CLEANUP);
    if others.is_empty() {
        removal::remove(store, kind, crd);
    } else if others.len() < strings(crd, "/metadata/finalizers").len() {
        let mut held = Value::clone(crd);
        put(&mut held, "/metadata/finalizers", others.into());
        definition::terminating(
            &mut held,
            false,
            "InstanceDeletionCompleted",
            "removed all instances",
        );
        store.write(kind, held);
    }
}

/// Stops to serve the kind of a definition that has been removed.
pub(super) fn unregister(store: &mut Store, kind: &Kind, object: &Value) {
    if kind.plural == "customresourcedefinitions" {
        store.kinds.remove(
            text(object, "/spec/group"),
            text(object, "/spec/names/plural"),
        );
    }
}
