//! Rewrites the objects of a resource in its storage version, as the storage version migrator does
//! (<https://kubernetes.io/docs/tasks/manage-kubernetes-objects/storage-version-migration/>).

use std::sync::Arc;

use serde_json::{Value, json};

use crate::{
    kinds::{convert, kind::Kind, store::Store, target::Target},
    values::object::{now, put, text},
};

/// Executes a new migration, and writes its outcome.
pub(super) fn run(store: &mut Store, kind: &Arc<Kind>, migration: &Value) {
    if kind.group != "storagemigration.k8s.io" {
        return;
    }
    let (group, plural) = (
        text(migration, "/spec/resource/group"),
        text(migration, "/spec/resource/resource"),
    );
    let rewritten = match store.kinds.get(group, plural).cloned() {
        None => Err("resource not found".to_owned()),
        Some(migrated) => rewrite(store, &migrated),
    };
    let (outcome, message) = match rewritten {
        Ok(()) => ("Succeeded", String::new()),
        Err(why) => ("Failed", why),
    };
    let mut done = migration.clone();
    put(
        &mut done,
        "/status",
        json!({
            "conditions": [{
                "type": outcome,
                "status": "True",
                "reason": format!("StorageVersionMigration{outcome}"),
                "message": message,
                "lastTransitionTime": now(),
            }],
            "resourceVersion": store.revision().to_string(),
        }),
    );
    store.write(kind, done);
}

fn rewrite(store: &mut Store, kind: &Arc<Kind>) -> Result<(), String> {
    // A built-in kind has one version.
    let Some(storage) = &kind.storage else {
        return Ok(());
    };
    let target = Target {
        kind: kind.clone(),
        version: storage.version.clone(),
        namespace: String::new(),
        name: String::new(),
        subresource: String::new(),
    };
    for object in store.list(kind, "") {
        match convert::load(store, &target, &object) {
            Ok(converted) if converted != object => {
                store.write(kind, Arc::unwrap_or_clone(converted));
            }
            Ok(_) => {}
            Err(failure) => {
                // A webhook over HTTP cannot be called from here.
                store.conversions.take_wanted();
                return Err(failure.message.clone());
            }
        }
    }
    Ok(())
}
