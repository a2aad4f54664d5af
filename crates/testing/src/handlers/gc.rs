//! Deletes objects, with the immediate effects on finalizers, dependents, namespaces and served CRDs.

use std::sync::Arc;

use k8s_openapi::{apimachinery::pkg::apis::meta::v1::Time, jiff::SignedDuration};
use kube_codegen_record::clock;
use serde_json::{Value, json};

use crate::{
    controllers::namespaces,
    kinds::{
        definition,
        kind::{self, Kind},
    },
    storage::store::Store,
    values::object::{self, at, deleting, flag, list, put, section, strings, text},
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
    let finalizers = finalize(&mut marked, propagation);
    let terminates = store.namespaces && namespaces::is_namespace(kind);
    let period = period(store, kind, object, grace);
    if finalizers.is_empty() && !terminates && period == 0 {
        return (remove(store, kind, object), true);
    }
    let remaining = at(object, "/metadata/deletionGracePeriodSeconds").as_i64();
    if !deleting(object) {
        mark(&mut marked, period);
        if terminates {
            put(&mut marked, "/status/phase", "Terminating".into());
            section(&mut marked, "metadata").remove("deletionGracePeriodSeconds");
        }
    }
    if let Some(remaining) = remaining.filter(|remaining| period < *remaining) {
        shorten(&mut marked, remaining, period);
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

/// Returns an object as a deletion would mark it; `None` if the deletion would remove it.
pub(crate) fn would_delete(
    store: &Store,
    kind: &Arc<Kind>,
    object: &Value,
    propagation: Propagation,
    grace: Option<i64>,
) -> Option<Value> {
    let mut marked = object.clone();
    let finalizers = finalize(&mut marked, propagation);
    let terminates = store.namespaces && namespaces::is_namespace(kind);
    let period = period(store, kind, object, grace);
    if finalizers.is_empty() && !terminates && period == 0 {
        return None;
    }
    if !deleting(object) {
        mark(&mut marked, period);
    }
    Some(marked)
}

/// Adds the finalizer of a propagation, and returns all.
fn finalize(object: &mut Value, propagation: Propagation) -> Vec<String> {
    let mut finalizers = strings(object, "/metadata/finalizers");
    let own = match propagation {
        Propagation::Background => None,
        Propagation::Foreground => Some(FOREGROUND),
        Propagation::Orphan => Some(ORPHAN),
    };
    if let Some(own) = own.filter(|own| !finalizers.iter().any(|name| name == own)) {
        finalizers.push(own.to_owned());
        put(object, "/metadata/finalizers", finalizers.clone().into());
    }
    finalizers
}

/// Returns whether a deleted Pod waits for its kubelet.
pub(crate) fn is_ending(store: &Store, object: &Value) -> bool {
    let period = at(object, "/metadata/deletionGracePeriodSeconds").as_i64();
    store.kubelets && period.unwrap_or_default() > 0
}

/// Returns how long a deleted object stays, in seconds: a scheduled Pod until its containers have ended, if kubelets run.
pub(crate) fn period(store: &Store, kind: &Kind, object: &Value, grace: Option<i64>) -> i64 {
    if !store.kubelets || !kind.group.is_empty() || kind.kind != "Pod" {
        return 0;
    }
    let is_over = matches!(text(object, "/status/phase"), "Succeeded" | "Failed");
    if is_over || text(object, "/spec/nodeName").is_empty() {
        return 0;
    }
    // A second deletion may only shorten the period.
    let current = at(object, "/metadata/deletionGracePeriodSeconds").as_i64();
    let own = at(object, "/spec/terminationGracePeriodSeconds").as_i64();
    let asked = grace.map(|grace| if grace < 0 { 1 } else { grace });
    match (asked, current) {
        (Some(asked), Some(current)) => asked.min(current),
        (asked, current) => asked.or(current).or(own).unwrap_or_default(),
    }
}

fn shorten(object: &mut Value, from: i64, to: i64) {
    let metadata = section(object, "metadata");
    let time = metadata.get("deletionTimestamp").cloned();
    if let Some(Time(time)) = time.and_then(|time| serde_json::from_value(time).ok()) {
        let time = Time(time - SignedDuration::from_secs(from - to));
        metadata.insert("deletionTimestamp".to_owned(), json!(time));
    }
    metadata.insert("deletionGracePeriodSeconds".to_owned(), to.into());
}

/// Marks an object as deleted.
pub(crate) fn mark(object: &mut Value, grace: i64) {
    let metadata = section(object, "metadata");
    let time = Time(clock::now() + SignedDuration::from_secs(grace));
    metadata.insert("deletionTimestamp".to_owned(), json!(time));
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
    if finalizers.is_empty() && !is_ending(store, object) {
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
    if let Ok(mut defined) = kind::from_crd(object)
        && served
    {
        if let Some(storage) = &mut defined.storage {
            storage.since = store.revision;
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
