//! Admits a write: checks, completes and stores an object's new state, whatever the verb.

use std::sync::Arc;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kube::core::response::{Status, StatusCause};
use serde_json::{Value, json};

use crate::{
    builtin, gc, go,
    kind::{self, Kind, Version},
    managed, names,
    object::{self, at, copy, deleting, map, now, section, text},
    request::{Request, Verb},
    schema, service_ports,
    status::{
        Answer, already_exists, bad_request, cause, conflict, invalid, invalid_patch, stale,
        unexplained,
    },
    store::Store,
};

/// Fields of `metadata` that clients cannot write.
const SERVER_OWNED: &[&str] = &[
    "uid",
    "creationTimestamp",
    "generation",
    "deletionTimestamp",
    "deletionGracePeriodSeconds",
    "selfLink",
];

/// Stores a new object and returns it; a dry run stores nothing.
pub(crate) fn create(
    store: &mut Store,
    request: &Request,
    mut object: Value,
) -> Answer<Arc<Value>> {
    let kind = &request.target.kind;
    identify(request, &mut object)?;
    if !text(&object, "/metadata/resourceVersion").is_empty() {
        return Err(unexplained(
            "resourceVersion should not be set on objects to be created",
        ));
    }
    name(store, kind, &mut object);
    let (namespace, name) = (
        object::namespace(&object).to_owned(),
        object::name(&object).to_owned(),
    );
    let uid = uid(store.unique());
    let metadata = section(&mut object, "metadata");
    metadata.retain(|field, _| !SERVER_OWNED.contains(&field.as_str()));
    metadata.insert("uid".to_owned(), uid.into());
    metadata.insert("creationTimestamp".to_owned(), now());
    if kind.generation {
        metadata.insert("generation".to_owned(), 1.into());
    }
    // The status of a Node may be created with it.
    if request.target.version()?.status && kind.kind != "Node" {
        map(&mut object).remove("status");
    }
    complete(store, request, None, &mut object)?;
    if let Some(found) = store.get(kind, &namespace, &name) {
        return Err(already_exists(kind, &name, deleting(&found)));
    }
    managed::track(&mut object, None, request);
    if request.dry_run() {
        return Ok(Arc::new(object));
    }
    let stored = store.write(kind, object);
    gc::after_create(store, kind, &stored);
    Ok(stored)
}

/// Stores the new state of an existing object and returns it; a dry run stores nothing.
pub(crate) fn update(
    store: &mut Store,
    request: &Request,
    old: &Arc<Value>,
    object: Value,
) -> Answer<Arc<Value>> {
    update_from(store, request, old, object, false)
}

/// As [`update`]; with `times`, new times of the field managers count as a change.
pub(crate) fn update_from(
    store: &mut Store,
    request: &Request,
    old: &Arc<Value>,
    mut object: Value,
    times: bool,
) -> Answer<Arc<Value>> {
    let (kind, target) = (&request.target.kind, &request.target);
    identify(request, &mut object)?;
    let name = target.name.as_str();
    let asked = text(&object, "/metadata/resourceVersion");
    if !asked.is_empty() && asked != text(old, "/metadata/resourceVersion") {
        return Err(stale(kind, name));
    }
    let (theirs, ours) = (object::uid(&object), object::uid(old));
    if !theirs.is_empty() && theirs != ours {
        if request.verb == Verb::Patch {
            let message = format!("Invalid value: {theirs:?}: field is immutable");
            let cause = cause("metadata.uid", "FieldValueInvalid", message);
            return Err(invalid(kind, name, causes_of(kind, cause)));
        }
        let why = format!(
            "StorageError: invalid object, Code: 4, Key: /registry/{}/{}/{}{name}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: {theirs}, UID in object meta: {ours}",
            kind.group,
            kind.plural,
            target.namespace.clone() + if target.namespace.is_empty() { "" } else { "/" },
        );
        return Err(conflict(kind, name, &why));
    }
    let metadata = section(&mut object, "metadata");
    let previous = at(old, "/metadata");
    SERVER_OWNED
        .iter()
        .chain(&["resourceVersion"])
        .for_each(|field| copy(metadata, previous, field));
    let status = target.version()?.status;
    if target.subresource == "status" {
        let new = object.get("status").cloned();
        let managed = at(&object, "/metadata/managedFields").clone();
        object = Value::clone(old);
        map(&mut object).insert("apiVersion".to_owned(), target.api_version().into());
        match new {
            Some(status) => map(&mut object).insert("status".to_owned(), status),
            None => map(&mut object).remove("status"),
        };
        section(&mut object, "metadata").insert("managedFields".to_owned(), managed);
    } else if status {
        copy(map(&mut object), old, "status");
    }
    complete(store, request, Some(old), &mut object)?;
    managed::track(&mut object, Some(old), request);
    raise_generation(kind, old, &mut object, status);
    if unchanged(old, &object, times) {
        return Ok(old.clone());
    }
    if request.dry_run() {
        return Ok(Arc::new(object));
    }
    if deleting(old) && object::strings(&object, "/metadata/finalizers").is_empty() {
        // The object is removed in place of this write, so it keeps its version.
        let last = Arc::new(object);
        gc::after_update(store, kind, &last);
        return Ok(last);
    }
    let stored = store.write(kind, object);
    gc::after_update(store, kind, &stored);
    Ok(stored)
}

/// Checks that the body matches the path, and fills in what the body omits.
fn identify(request: &Request, object: &mut Value) -> Answer<()> {
    let (target, kind) = (&request.target, &request.target.kind);
    if !object.is_object() {
        return Err(bad_request(
            "the object provided is unrecognized: expected a JSON object",
        ));
    }
    if kind.custom
        && let Err(error) = serde_json::from_value::<ObjectMeta>(
            object.get("metadata").cloned().unwrap_or_else(|| json!({})),
        )
    {
        return Err(bad_request(&format!(
            "{} in version \"{}\" cannot be handled as a {}: metadata: {error}",
            kind.kind, target.version, kind.kind
        )));
    }
    let differs = |found: &str, expected: &str| !found.is_empty() && found != expected;
    let (found, expected) = (text(object, "/apiVersion"), target.api_version());
    if differs(found, &expected) {
        return Err(bad_request(&format!(
            "the API version in the data ({found}) does not match the expected API version ({expected})"
        )));
    }
    let (found, name) = (text(object, "/kind"), object::name(object));
    if differs(found, &kind.kind) {
        let message = format!("Invalid value: {found:?}: must be {}", kind.kind);
        let named = Kind {
            kind: found.to_owned(),
            ..Kind::clone(kind)
        };
        let cause = cause("kind", "FieldValueInvalid", message);
        return Err(invalid(&named, name, vec![cause]));
    }
    if differs(object::namespace(object), &target.namespace) {
        return Err(bad_request(
            "the namespace of the provided object does not match the namespace sent on the request",
        ));
    }
    if !target.name.is_empty() && differs(name, &target.name) {
        return Err(bad_request(&format!(
            "the name of the object ({name}) does not match the name on the URL ({})",
            target.name
        )));
    }
    let fields = map(object);
    fields.insert("apiVersion".to_owned(), target.api_version().into());
    fields.insert("kind".to_owned(), kind.kind.clone().into());
    let metadata = section(object, "metadata");
    // In `metadata`, null means absent.
    metadata.retain(|_, value| !value.is_null());
    // Go does not write what is empty.
    metadata.retain(|field, value| match value {
        Value::Array(items) => !items.is_empty(),
        Value::Object(fields) => !fields.is_empty(),
        Value::String(text) => !text.is_empty() || field == "resourceVersion",
        _ => true,
    });
    if !target.namespace.is_empty() {
        metadata.insert("namespace".to_owned(), target.namespace.clone().into());
    }
    if !target.name.is_empty() {
        metadata.insert("name".to_owned(), target.name.clone().into());
    }
    Ok(())
}

/// Removes unknown fields from the object of a request, with warnings or an error as `fieldValidation` says.
pub(crate) fn decode(request: &Request, object: &mut Value) -> Answer<()> {
    let (kind, version) = (&request.target.kind, request.target.version()?);
    let Some(schema) = version.schema() else {
        return Ok(());
    };
    // Only the error of a patch shows the object.
    let whole = (request.verb == Verb::Patch).then(|| object.to_string());
    let dropped = if kind.custom {
        let dropped = schema::prune(schema, object);
        schema::drop_nulls(schema, object);
        dropped
    } else {
        let decoded = builtin::decode(schema, object);
        if let Some(why) = decoded.error {
            return Err(undecodable(request, whole, &why));
        }
        decoded.unknown
    };
    let messages = dropped.iter().map(|path| format!("unknown field {path:?}"));
    match request.query.get("fieldValidation").unwrap_or("Warn") {
        "Strict" if !dropped.is_empty() => {
            let fields = messages.collect::<Vec<_>>().join(", ");
            Err(undecodable(
                request,
                whole,
                &format!("strict decoding error: {fields}"),
            ))
        }
        "Ignore" => Ok(()),
        _ => {
            request.warnings.borrow_mut().extend(messages);
            Ok(())
        }
    }
}

/// An object that is not one of its kind; of a patch, with the patched object.
fn undecodable(request: &Request, patched: Option<String>, why: &str) -> Box<Status> {
    if let Some(patched) = patched {
        let patched = Value::from(patched);
        return invalid_patch(&format!("Invalid value: {patched}: {why}"));
    }
    bad_request(&format!(
        "{kind} in version \"{}\" cannot be handled as a {kind}: {why}",
        request.target.version,
        kind = request.target.kind.kind,
    ))
}

/// Generates a free name for an object that has only `generateName`.
fn name(store: &mut Store, kind: &Kind, object: &mut Value) {
    let prefix = text(object, "/metadata/generateName").to_owned();
    if prefix.is_empty() || !object::name(object).is_empty() {
        return;
    }
    let namespace = object::namespace(object).to_owned();
    loop {
        let name = names::generate(&prefix, store.unique());
        if store.get(kind, &namespace, &name).is_none() {
            section(object, "metadata").insert("name".to_owned(), name.into());
            return;
        }
    }
}

/// Prunes, defaults and validates.
fn complete(
    store: &mut Store,
    request: &Request,
    old: Option<&Value>,
    object: &mut Value,
) -> Answer<()> {
    let (kind, version) = (&request.target.kind, request.target.version()?);
    let mut causes = names::check(kind, object);
    causes.extend(
        old.into_iter()
            .flat_map(|old| new_finalizers(kind, old, object)),
    );
    if let (true, Some(schema)) = (kind.custom, version.schema()) {
        schema::prune(schema, object);
        schema::default(schema, object);
        let mut found = schema::validate(schema, object);
        if request.target.subresource == "status" {
            // The status is validated as a document of its own.
            for cause in &mut found {
                if let Some(inner) = cause.field.strip_prefix("status") {
                    let inner = inner.trim_start_matches('.');
                    let whole = format!("{} in body", cause.field);
                    cause.message = cause.message.replace(&whole, &format!("{inner} in body"));
                }
            }
        }
        causes.extend(found);
        causes.extend(scale_replicas(version, object));
    } else if let Some(schema) = version.schema() {
        builtin::complete(schema, kind, old, object);
        causes.extend(builtin::validate(kind, old, object));
    }
    if causes.is_empty() && kind.group.is_empty() && kind.kind == "Service" {
        causes.extend(service_ports::allocate(store, kind, old, object));
    }
    if kind.plural == "customresourcedefinitions"
        && let Err(why) = kind::from_crd(object)
    {
        let (field, message) = why.split_once(": ").unwrap_or(("spec", &why));
        causes.push(cause(field, "FieldValueInvalid", message));
    }
    if causes.is_empty() {
        Ok(())
    } else {
        Err(invalid(kind, object::name(object), causes))
    }
}

/// The replicas of the scale must be an integer.
fn scale_replicas(version: &Version, object: &Value) -> Option<StatusCause> {
    let path = &version.scale.as_ref()?.spec;
    let found = object.pointer(path).filter(|found| !found.is_i64())?;
    let path = path.replace('/', ".");
    let message = format!(
        "Invalid value: 0: {path} accessor error: {} is of the type {}, expected int64",
        go::value(found),
        go::type_name(found)
    );
    Some(cause(path, "FieldValueInvalid", message))
}

/// An object that is being deleted gets no more finalizers.
fn new_finalizers(kind: &Kind, old: &Value, object: &Value) -> Vec<StatusCause> {
    let before = object::strings(old, "/metadata/finalizers");
    let added: Vec<_> = object::strings(object, "/metadata/finalizers")
        .into_iter()
        .filter(|name| !before.contains(name))
        .map(|name| format!("{name:?}"))
        .collect();
    if !deleting(old) || added.is_empty() {
        return Vec::new();
    }
    let message = format!(
        "Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{{{}}}",
        added.join(", ")
    );
    causes_of(
        kind,
        cause("metadata.finalizers", "FieldValueForbidden", message),
    )
}

/// Returns the causes of a violation in the metadata: custom resources are validated twice.
fn causes_of(kind: &Kind, cause: StatusCause) -> Vec<StatusCause> {
    vec![cause; if kind.custom { 2 } else { 1 }]
}

/// Raises `metadata.generation` if more than metadata and, with `status`, the status has changed.
pub(crate) fn raise_generation(kind: &Kind, old: &Value, new: &mut Value, status: bool) {
    let part = |object: &Value| {
        let mut part = object.clone();
        let fields = map(&mut part);
        for name in ["metadata", "apiVersion"] {
            fields.remove(name);
        }
        if status {
            fields.remove("status");
        }
        part
    };
    if kind.generation && part(old) != part(new) {
        let generation = at(old, "/metadata/generation").as_i64().unwrap_or_default() + 1;
        section(new, "metadata").insert("generation".to_owned(), generation.into());
    }
}

/// Returns whether a write changes nothing: the server then stores nothing, and no watch gets an event.
fn unchanged(old: &Value, new: &Value, times: bool) -> bool {
    let part = |object: &Value| {
        let mut part = object.clone();
        map(&mut part).remove("apiVersion");
        if !times {
            managed::without_times(&mut part);
        }
        part
    };
    part(old) == part(new)
}

pub(crate) fn uid(number: u64) -> String {
    format!("{:08x}-0000-4000-8000-{number:012x}", std::process::id())
}
