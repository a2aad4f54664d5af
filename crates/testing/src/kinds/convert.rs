//! Converts custom resources between the versions of their definition
//! (<https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definition-versioning/>).
//!
//! Objects are stored in the storage version, and converted when they are read or written in another one: by a change of their
//! `apiVersion`, or by the conversion webhook of the definition. A webhook over HTTP is called while the store is not locked: an
//! execution that needs a conversion fails and notes what it wants; the webhook is called, and the request is executed again.

use std::{sync::Arc, time::Duration};

use kube::core::response::Status;
use kube_codegen_schema::Schema;
use serde_json::{Value, json};
use tokio::time::timeout;

use crate::{
    kinds::{
        builtin,
        conversions::Wanted,
        events,
        kind::{Conversion, Kind},
        names,
        status::not_found,
        store::{Backend, Store},
        target::Target,
    },
    storage::{Stored, lock},
    values::{
        object::{self, at, list, map, section, text},
        status::{Answer, unexplained},
    },
    webhooks,
};

/// How long the API server waits for a conversion webhook.
const SECONDS: u64 = 30;
/// Returns a stored object in the version of a request.
pub(crate) fn load(store: &Store, target: &Target, stored: &Arc<Value>) -> Answer<Arc<Value>> {
    let kind = &target.kind;
    let Some(storage) = &kind.storage else {
        let api_version = text(stored, "/apiVersion");
        if builtin::strategy(kind).to_version.is_none() || api_version == target.api_version() {
            return Ok(stored.clone());
        }
        let object = Value::clone(stored);
        return Ok(Arc::new(builtin::converted(kind, object, &target.version)));
    };
    let from = version(stored);
    // An object that was stored under another definition gets the defaults of this one.
    let is_older = object::revision(stored) < storage.since;
    if from == target.version && !is_older {
        return Ok(stored.clone());
    }
    let mut object = Value::clone(stored);
    complete(kind.rules(from), &mut object);
    if from != target.version {
        object = convert(store, kind, &target.version, &object)?;
        // What is read has the defaults of the stored version alone.
        if let Some(rules) = kind.rules(&target.version) {
            rules.prune(&mut object);
        }
    }
    Ok(Arc::new(object))
}

/// Returns the object of a request as [`found`] does, or an error if it does not exist.
pub(crate) fn current(store: &Store, target: &Target) -> Answer<Arc<Value>> {
    found(store, target)?.ok_or_else(|| not_found(&target.kind, &target.name))
}

/// Returns the object of a request in the form of its kind and version, if it exists.
pub(crate) fn found(store: &Store, target: &Target) -> Answer<Option<Arc<Value>>> {
    let Some(mut object) = store.get(&target.kind, &target.namespace, &target.name) else {
        return Ok(None);
    };
    if events::stored_group(&target.kind) != target.kind.group {
        events::load(&target.kind, Arc::make_mut(&mut object));
    }
    load(store, target, &object).map(Some)
}

/// Returns stored objects in the version of a request.
pub(crate) fn loaded<'a>(
    store: &Store,
    target: &Target,
    objects: impl IntoIterator<Item = &'a Stored>,
) -> Answer<Vec<Arc<Value>>> {
    let objects = objects.into_iter().map(Stored::value);
    // One call of a webhook converts all: each conversion that is missing is noted before the first is reported.
    let objects: Vec<_> = objects.map(|object| load(store, target, &object)).collect();
    objects.into_iter().collect()
}

/// Returns an object in the version in which it is stored. Reading it again then needs no other conversion.
pub(crate) fn save(store: &Store, target: &Target, object: Value) -> Answer<Value> {
    let kind = &target.kind;
    let Some(storage) = &kind.storage else {
        return Ok(builtin::stored(kind, object));
    };
    if storage.version == target.version {
        return Ok(object);
    }
    let mut saved = convert(store, kind, &storage.version, &object)?;
    complete(kind.rules(&storage.version), &mut saved);
    load(store, target, &Arc::new(saved.clone()))?;
    Ok(saved)
}

/// Returns whether an object is stored in another version than the storage version; a write that changes nothing stores it again.
pub(crate) fn is_stale(store: &Store, target: &Target) -> bool {
    let stored = || store.get(&target.kind, &target.namespace, &target.name);
    let storage = target.kind.storage.as_ref();
    storage.is_some_and(|it| stored().is_some_and(|stored| version(&stored) != it.version))
}

fn version(object: &Value) -> &str {
    let api_version = text(object, "/apiVersion");
    api_version.rsplit('/').next().unwrap_or_default()
}

fn complete(rules: Option<&Arc<Schema>>, object: &mut Value) {
    if let Some(rules) = rules {
        rules.prune(object);
        rules.apply_defaults(object);
    }
}

fn convert(store: &Store, kind: &Arc<Kind>, version: &str, object: &Value) -> Answer<Value> {
    let api_version = kind.api_version(version);
    let webhook = kind.storage.as_ref().map(|it| &it.conversion);
    if let Some(respond) = store.webhooks.conversion(&kind.qualified()) {
        let (review, uid) = review(&api_version, std::slice::from_ref(object));
        let answer = respond(review).map_err(|why| failed(object, &why))?;
        let converted = converted(&answer, &uid, object, &api_version)?;
        return Ok(kept(
            object,
            converted.into_iter().next().unwrap_or_default(),
        ));
    }
    if !matches!(webhook, Some(Conversion::Webhook(_))) {
        let mut converted = object.clone();
        map(&mut converted).insert("apiVersion".to_owned(), api_version.into());
        return Ok(converted);
    }
    let key = key(kind, version, object);
    if let Some(known) = store.conversions.known(&key) {
        return Ok(kept(object, known.clone()));
    }
    store.conversions.want(Wanted {
        kind: kind.clone(),
        version: version.to_owned(),
        key,
        object: object.clone(),
    });
    Err(unexplained(
        "the conversion webhook has not been called yet",
    ))
}

/// Identifies a conversion by what a webhook may change: everything but the metadata besides labels and annotations.
fn key(kind: &Kind, version: &str, object: &Value) -> String {
    let mut part = object.clone();
    let metadata = section(&mut part, "metadata");
    metadata.retain(|field, _| {
        matches!(
            field.as_str(),
            "name" | "namespace" | "labels" | "annotations"
        )
    });
    format!("{} {version} {part}", kind.qualified())
}

/// Gives a converted object the metadata that a webhook cannot change.
fn kept(object: &Value, mut converted: Value) -> Value {
    let mut metadata = at(object, "/metadata").clone();
    for field in ["labels", "annotations"] {
        object::copy(map(&mut metadata), at(&converted, "/metadata"), field);
    }
    map(&mut converted).insert("metadata".to_owned(), metadata);
    converted
}

/// Calls the webhooks for conversions, one call for all objects of a kind and a version.
async fn fetch(backend: &Backend, wanted: Vec<Wanted>) -> Answer<()> {
    let services = *lock(&backend.webhooks);
    let mut groups: Vec<Vec<Wanted>> = Vec::new();
    for one in wanted {
        let same = |group: &&mut Vec<Wanted>| {
            group[0].kind.qualified() == one.kind.qualified() && group[0].version == one.version
        };
        match groups.iter_mut().find(same) {
            Some(group) => group.push(one),
            None => groups.push(vec![one]),
        }
    }
    for group in groups {
        let (first, kind) = (&group[0].object, &group[0].kind);
        let api_version = kind.api_version(&group[0].version);
        let Some(Conversion::Webhook(config)) = kind.storage.as_ref().map(|it| &it.conversion)
        else {
            continue;
        };
        let objects: Vec<Value> = group.iter().map(|it| it.object.clone()).collect();
        let (review, uid) = review(&api_version, &objects);
        let answer = webhooks::post(services, config, &review, SECONDS);
        let answer = match timeout(Duration::from_secs(SECONDS), answer).await {
            Ok(answer) => answer.map_err(|why| failed(first, &why))?,
            Err(_) => return Err(failed(first, "context deadline exceeded")),
        };
        let objects = converted(&answer, &uid, first, &api_version)?;
        if objects.len() != group.len() {
            let message = format!(
                "conversion webhook for {} returned {} objects, expected {}",
                described(first),
                objects.len(),
                group.len()
            );
            return Err(unexplained(&message));
        }
        let keys = group.into_iter().map(|it| it.key);
        let mut store = lock(&backend.store);
        store.conversions.keep(keys.zip(objects));
    }
    Ok(())
}

/// Executes something, again after each call of a conversion webhook that it needs, and wakes those who wait for changes if it stored some.
pub(crate) async fn retried<T>(
    backend: &Backend,
    mut execute: impl FnMut(&mut Store) -> Answer<T>,
) -> Answer<T> {
    loop {
        let (answer, wanted) = {
            let mut store = lock(&backend.store);
            let before = store.revision();
            let answer = execute(&mut store);
            if store.revision() != before {
                backend.changes.wake();
            }
            (answer, store.conversions.take_wanted())
        };
        if wanted.is_empty() {
            return answer;
        }
        drop(answer);
        fetch(backend, wanted).await?;
    }
}

/// Returns an object in another version.
pub(crate) async fn to(backend: &Backend, target: &Target, object: &Value) -> Answer<Value> {
    let object = Arc::new(object.clone());
    let converted = retried(backend, |store| load(store, target, &object));
    converted.await.map(|object| Value::clone(&object))
}

fn review(api_version: &str, objects: &[Value]) -> (Value, String) {
    let uid = names::uid(objects.len() as u64);
    let review = json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "ConversionReview",
        "request": {"uid": uid, "desiredAPIVersion": api_version, "objects": objects},
    });
    (review, uid)
}

/// Returns the objects of an answer.
fn converted(answer: &Value, uid: &str, first: &Value, api_version: &str) -> Answer<Vec<Value>> {
    let response = at(answer, "/response");
    if text(response, "/uid") != uid {
        let found = text(response, "/uid");
        let why = format!("expected `response.uid` to be {uid:?}, got {found:?}");
        return Err(failed(first, &why));
    }
    if text(response, "/result/status") != "Success" {
        let why = match text(response, "/result/message") {
            "" => "unknown error",
            message => message,
        };
        return Err(failed(first, why));
    }
    let objects = list(response, "/convertedObjects");
    let wrong = objects
        .iter()
        .find(|it| text(it, "/apiVersion") != api_version);
    if let Some(wrong) = wrong {
        let why = format!(
            "conversion webhook for {} returned invalid converted object: expected apiVersion {api_version:?}, got {:?}",
            described(first),
            text(wrong, "/apiVersion")
        );
        return Err(unexplained(&why));
    }
    Ok(objects.to_vec())
}

fn described(object: &Value) -> String {
    format!(
        "{}, Kind={}",
        text(object, "/apiVersion"),
        text(object, "/kind")
    )
}

fn failed(object: &Value, why: &str) -> Box<Status> {
    unexplained(&format!(
        "conversion webhook for {} failed: {why}",
        described(object)
    ))
}
