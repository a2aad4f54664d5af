//! The verbs create, update and patch.

use std::sync::Arc;

use serde_json::Value;

use crate::{
    fields,
    handlers::{apply, body, objects, patch, removal, scale},
    kinds::{
        builtin,
        convert::{current, found},
        status::{not_found, stale},
        store::Store,
        target::{shared, whole},
    },
    request::{APPLY, Request, Verb},
    values::{
        object::{self, deleting},
        status::{Answer, not_allowed},
    },
};

/// Executes one of these verbs, and returns the new state alone.
pub(crate) fn written(store: &mut Store, request: &Request) -> Answer<Value> {
    match request.verb {
        Verb::Create => create(store, request),
        Verb::Update => update(store, request).map(|(object, _)| object),
        _ => patch(store, request).map(|(object, _)| object),
    }
    .map(Arc::unwrap_or_clone)
}

/// Returns whether an update or an apply creates its object, for which its user needs two permissions.
pub(crate) fn creates(store: &Store, request: &Request) -> bool {
    let target = &request.target;
    let on_update = builtin::creates_on_update(&target.kind, &target.subresource);
    let may_create = match request.verb {
        Verb::Update => on_update,
        Verb::Patch if request.content_type == APPLY => on_update || target.subresource.is_empty(),
        _ => false,
    };
    let found = || store.get(&target.kind, &target.namespace, &target.name);
    may_create && found().is_none()
}

/// Returns the new object.
pub(crate) fn create(store: &mut Store, request: &Request) -> Answer<Arc<Value>> {
    let target = &request.target;
    if target.kind.namespaced && target.namespace.is_empty() {
        return Err(not_allowed());
    }
    let mut body = request.json()?;
    body::decode(request, &mut body)?;
    let stored = objects::create(store, request, body)?;
    Ok(shared(&stored, target, request.metadata_only))
}

/// Returns the new state, and whether the update created the object.
pub(crate) fn update(store: &mut Store, request: &Request) -> Answer<(Arc<Value>, bool)> {
    let target = &request.target;
    let mut body = request.json()?;
    body::decode(request, &mut body)?;
    if target.subresource == "scale" {
        let old = current(store, target)?;
        return Ok((scale::update(store, request, &old, &body)?.into(), false));
    }
    if target.subresource == "finalize" {
        let object = finalize(store, request, &body)?;
        return Ok((shared(&object, target, false), false));
    }
    body::identify(request, &mut body)?;
    let found = found(store, target)?;
    if found.is_none() && builtin::creates_on_update(&target.kind, &target.subresource) {
        objects::demanded(&body)?;
        if !request.dry_run() {
            object::section(&mut body, "metadata").remove("resourceVersion");
        }
        let stored = objects::create(store, request, body)?;
        return Ok((shared(&stored, target, request.metadata_only), true));
    }
    let old = found.ok_or_else(|| not_found(&target.kind, &target.name))?;
    let stored = objects::update(store, request, &old, body)?;
    Ok((shared(&stored, target, request.metadata_only), false))
}

/// Returns the new state, and whether the patch created the object.
pub(crate) fn patch(store: &mut Store, request: &Request) -> Answer<(Arc<Value>, bool)> {
    let target = &request.target;
    patch::check(request)?;
    if request.content_type == APPLY {
        if target.subresource == "scale" {
            return Ok((apply::scale(store, request)?.into(), false));
        }
        let (stored, created) = apply::apply(store, request)?;
        return Ok((shared(&stored, target, request.metadata_only), created));
    }
    let old = current(store, target)?;
    if target.subresource == "scale" {
        let mut new = patch::patched(request, scale::get(target, &old)?)?;
        body::decode(request, &mut new)?;
        return Ok((scale::update(store, request, &old, &new)?.into(), false));
    }
    let mut new = patch::patched(request, whole(&old, target))?;
    body::decode(request, &mut new)?;
    let stored = objects::update(store, request, &old, new)?;
    Ok((shared(&stored, target, request.metadata_only), false))
}

/// Replaces the finalizers of a namespace; a deleted one without finalizers is removed.
fn finalize(store: &mut Store, request: &Request, body: &Value) -> Answer<Arc<Value>> {
    let kind = &request.target.kind;
    let old = current(store, &request.target)?;
    let asked = object::text(body, "/metadata/resourceVersion");
    if !asked.is_empty() && asked != object::text(&old, "/metadata/resourceVersion") {
        return Err(stale(kind, &request.target.name));
    }
    let mut new = Value::clone(&old);
    let spec = object::section(&mut new, "spec");
    object::copy(spec, object::at(body, "/spec"), "finalizers");
    if object::list(&new, "/spec/finalizers").is_empty() {
        object::section(&mut new, "spec").remove("finalizers");
    }
    fields::track(&mut new, Some(&old), request);
    if request.dry_run() {
        return Ok(Arc::new(new));
    }
    let is_left = |pointer| object::list(&new, pointer).is_empty();
    if deleting(&new) && is_left("/spec/finalizers") && is_left("/metadata/finalizers") {
        removal::remove(store, kind, &old);
        return Ok(Arc::new(new));
    }
    Ok(store.write(kind, new))
}
