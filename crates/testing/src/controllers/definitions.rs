//! Serves the kind of a stored definition, and sets its status.

use std::sync::Arc;

use serde_json::Value;

use crate::{
    kinds::{
        definition,
        kind::{self, Kind},
        store::Store,
    },
    values::object::{at, flag, list, put, text},
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

/// Stops to serve the kind of a definition that has been removed.
pub(super) fn unregister(store: &mut Store, kind: &Kind, object: &Value) {
    if kind.plural == "customresourcedefinitions" {
        store.kinds.remove(
            text(object, "/spec/group"),
            text(object, "/spec/names/plural"),
        );
    }
}
