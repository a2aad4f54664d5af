//! Removes objects, at once or when their finalizers and grace periods allow it.

use std::sync::Arc;

use k8s_openapi::{apimachinery::pkg::apis::meta::v1::Time, jiff::SignedDuration};
use kube_codegen_record::clock;
use serde_json::{Value, json};

use crate::{
    kinds::{
        builtin::{self, Deletion},
        definition,
        kind::Kind,
        store::Store,
    },
    values::object::{self, at, deleting, put, section, strings, text},
};

/// The finalizer of a deletion that waits for the dependents.
pub(crate) const FOREGROUND: &str = "foregroundDeletion";
/// The finalizer of a deletion that releases the dependents.
pub(crate) const ORPHAN: &str = "orphan";

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
    let deletion = builtin::strategy(kind).deletion;
    if deletion == Deletion::Instances {
        return (end_definition(store, kind, object), false);
    }
    let mut marked = Value::clone(object);
    let finalizers = finalize(&mut marked, propagation);
    let terminates = store.namespaces && deletion == Deletion::Contents;
    let period = period(store, kind, object, grace);
    if finalizers.is_empty() && !terminates && period == 0 {
        return (end(store, kind, object), true);
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
    let reactions = store.reactions;
    if terminates {
        reactions.terminated(store, kind, &stored);
    } else {
        reactions.updated(store, kind, &stored);
    }
    let remaining = store
        .get(kind, object::namespace(object), object::name(object))
        .filter(|remaining| object::uid(remaining) == object::uid(object));
    let removed = remaining.is_none();
    (remaining.unwrap_or(stored), removed)
}

/// Removes an object. A Pod is marked as deleted first, which watches see.
fn end(store: &mut Store, kind: &Arc<Kind>, object: &Arc<Value>) -> Arc<Value> {
    if builtin::strategy(kind).deletion != Deletion::Graceful {
        return remove(store, kind, object);
    }
    let mut marked = Value::clone(object);
    let remaining = at(object, "/metadata/deletionGracePeriodSeconds").as_i64();
    match remaining.filter(|_| deleting(object)) {
        None => mark(&mut marked, 0),
        Some(0) => {}
        Some(remaining) => shorten(&mut marked, remaining, 0),
    }
    let marked = if marked == **object {
        object.clone()
    } else {
        store.write(kind, marked)
    };
    remove(store, kind, &marked)
}

/// Marks a definition as deleted, and deletes its instances: it goes with the last of them. Returns it as the client sees it.
fn end_definition(store: &mut Store, kind: &Arc<Kind>, object: &Arc<Value>) -> Arc<Value> {
    if deleting(object) {
        return object.clone();
    }
    let mut marked = Value::clone(object);
    definition::end(&mut marked);
    let marked = store.write(kind, marked);
    store.reactions.terminated(store, kind, &marked);
    marked
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
    let deletion = builtin::strategy(kind).deletion;
    if deletion == Deletion::Instances {
        definition::end(&mut marked);
        return Some(marked);
    }
    let finalizers = finalize(&mut marked, propagation);
    let terminates = store.namespaces && deletion == Deletion::Contents;
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
    if !store.kubelets || builtin::strategy(kind).deletion != Deletion::Graceful {
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

/// Shortens the grace period of a deleted object: one that is over by now ends in a second.
fn shorten(object: &mut Value, from: i64, to: i64) {
    let metadata = section(object, "metadata");
    let mut grace = to;
    let time = metadata.get("deletionTimestamp").cloned();
    if let Some(Time(time)) = time.and_then(|time| serde_json::from_value(time).ok()) {
        let less = SignedDuration::from_secs(from.saturating_sub(to));
        let mut time = time.saturating_sub(less).unwrap_or(time);
        let now = clock::now();
        if time < now {
            time = now;
            grace = grace.min(1);
        }
        metadata.insert("deletionTimestamp".to_owned(), json!(Time(time)));
    }
    metadata.insert("deletionGracePeriodSeconds".to_owned(), grace.into());
}

/// Marks an object as deleted.
pub(crate) fn mark(object: &mut Value, grace: i64) {
    let metadata = section(object, "metadata");
    let now = clock::now();
    let time = now.saturating_add(SignedDuration::from_secs(grace));
    let time = Time(time.unwrap_or(now));
    metadata.insert("deletionTimestamp".to_owned(), json!(time));
    metadata.insert("deletionGracePeriodSeconds".to_owned(), grace.into());
    if let Some(generation) = metadata.get("generation").and_then(Value::as_i64) {
        metadata.insert("generation".to_owned(), (generation + 1).into());
    }
}

/// Removes an object and returns its last state.
pub(crate) fn remove(store: &mut Store, kind: &Arc<Kind>, object: &Arc<Value>) -> Arc<Value> {
    let Some(last) = store.remove(kind, object::namespace(object), object::name(object)) else {
        return object.clone();
    };
    store.reactions.removed(store, kind, object);
    last
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shortened(time: &str, to: i64) -> (String, Value) {
        let metadata = json!({"deletionTimestamp": time, "deletionGracePeriodSeconds": 30});
        let mut object = json!({"metadata": metadata});
        shorten(&mut object, 30, to);
        let time = text(&object, "/metadata/deletionTimestamp").to_owned();
        (
            time,
            at(&object, "/metadata/deletionGracePeriodSeconds").clone(),
        )
    }

    #[test]
    fn a_shorter_grace_period_that_is_over_ends_in_a_second() {
        let later = ("2999-01-01T00:00:05Z".to_owned(), json!(5));
        assert_eq!(shortened("2999-01-01T00:00:30Z", 5), later);
        for (to, left) in [(5, 1), (0, 0)] {
            let (time, grace) = shortened("2020-01-01T00:00:30Z", to);
            assert!(!time.starts_with("2020") && grace == left, "{time} {grace}");
        }
    }
}
