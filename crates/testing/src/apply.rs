//! Server-side apply.
//!
//! It follows <https://kubernetes.io/docs/reference/using-api/server-side-apply/>.

use std::sync::Arc;

use serde_json::{Value, json};

use crate::{
    admit,
    managed::{self, typed},
    object::{self, at, text},
    read::{current, found},
    request::{Request, present},
    scale,
    status::{Answer, bad_request, cause, conflict, invalid_options, not_found, unexplained},
    store::Store,
};

/// Applies a configuration. Returns the new state, and whether the object was created.
pub(crate) fn apply(store: &mut Store, request: &Request) -> Answer<(Arc<Value>, bool)> {
    let target = &request.target;
    let config = read(request, &target.api_version(), &target.kind.kind)?;
    let old = found(store, target)?;
    if old.is_none() && !target.subresource.is_empty() {
        return Err(not_found(&target.kind, &target.name));
    }
    check(&config, request)?;
    let Some(old) = old else {
        let blank = json!({"apiVersion": target.api_version(), "kind": target.kind.kind});
        let applied = managed::apply(&blank, &config, request)?;
        let mut object = applied.unwrap_or(config);
        // A resource version is a precondition of an update only.
        object::section(&mut object, "metadata").remove("resourceVersion");
        if object::name(&object).is_empty() {
            return Err(bad_request(&format!(
                "the name of the object ({} based on URL) was undeterminable: name must be provided",
                target.name
            )));
        }
        let uid = object::uid(&object);
        if !uid.is_empty() {
            let why = format!(
                "uid mismatch: the provided object specified uid {uid}, and no existing object was found"
            );
            return Err(conflict(&target.kind, &target.name, &why));
        }
        return admit::create(store, request, object).map(|created| (created, true));
    };
    let live = present(&old, target, false);
    let Some(applied) = managed::apply(&live, &config, request)? else {
        if admit::is_stored_again(store, &target.kind, &old) {
            let stored = admit::update(store, request, &old, live)?;
            return Ok((stored, false));
        }
        return Ok((old, false));
    };
    let stored = admit::update(store, request, &old, applied)?;
    Ok((stored, false))
}

/// Applies a scale, and returns its new state.
pub(crate) fn scale(store: &mut Store, request: &Request) -> Answer<Value> {
    let target = &request.target;
    let config = read(request, scale::VERSION, "Scale")?;
    let old = current(store, target)?;
    check(&config, request)?;
    let live = scale::get(target, &old)?;
    let object = present(&old, target, false);
    let stored = match managed::apply_scale(&object, live, &config, request)? {
        Some(applied) => admit::update(store, request, &old, applied)?,
        None => old,
    };
    scale::get(target, &stored)
}

/// Reads a configuration of a kind.
fn read(request: &Request, api_version: &str, kind: &str) -> Answer<Value> {
    let config = request.json()?;
    if request.query.get("fieldManager").is_none_or(str::is_empty) {
        let message = "Required value: is required for apply patch";
        let cause = cause("fieldManager", "FieldValueRequired", message);
        return Err(invalid_options("PatchOptions", vec![cause]));
    }
    let (version, found) = (text(&config, "/apiVersion"), text(&config, "/kind"));
    if version != api_version || found != kind {
        let version = if version.contains('/') {
            version
        } else {
            &format!("/{version}")
        };
        return Err(bad_request(&format!(
            "invalid object type: {version}, Kind={found}"
        )));
    }
    Ok(config)
}

/// Checks that a configuration has the form and the fields of the kind.
fn check(config: &Value, request: &Request) -> Answer<()> {
    if !at(config, "/metadata/managedFields").is_null() {
        return Err(bad_request("metadata.managedFields must be nil"));
    }
    let errors = typed::errors(&managed::shape(request)?, config);
    if errors.is_empty() {
        return Ok(());
    }
    let errors = match errors.as_slice() {
        [error] => error.clone(),
        errors => format!("errors:\n  {}", errors.join("\n  ")),
    };
    Err(unexplained(&format!(
        "failed to create typed patch object ({}/{}; {}, Kind={}): {errors}",
        object::namespace(config),
        object::name(config),
        text(config, "/apiVersion"),
        text(config, "/kind"),
    )))
}
