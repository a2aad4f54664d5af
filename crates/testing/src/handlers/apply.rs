//! Server-side apply.
//!
//! It follows <https://kubernetes.io/docs/reference/using-api/server-side-apply/>.

use std::sync::Arc;

use serde_json::{Value, json};

use crate::{
    fields::{self, typed},
    handlers::{objects, scale},
    kinds::{
        builtin,
        convert::{current, found},
        kind::{SCALE_VERSION, Types},
        status::{conflict, not_found},
        store::Store,
        target::whole,
    },
    request::Request,
    values::{
        object::{self, at, text},
        status::{Answer, bad_request, cause, invalid_options, unexplained},
    },
};

/// Applies a configuration. Returns the new state, and whether the object was created.
pub(crate) fn apply(store: &mut Store, request: &Request) -> Answer<(Arc<Value>, bool)> {
    let target = &request.target;
    let config = read(request, &target.api_version(), &target.kind.kind)?;
    let old = found(store, target)?;
    let is_main = target.subresource.is_empty();
    let is_creation = is_main || builtin::creates_on_update(&target.kind, &target.subresource);
    if old.is_none() && !is_creation {
        return Err(not_found(&target.kind, &target.name));
    }
    check(&config, request)?;
    let Some(old) = old else {
        let blank = json!({"apiVersion": target.api_version(), "kind": target.kind.kind});
        let applied = fields::apply(blank, &config, request)?;
        decode(applied.as_ref().unwrap_or(&config), &config, request)?;
        let mut object = applied.unwrap_or(config);
        if object::name(&object).is_empty() {
            return Err(bad_request(&format!(
                "the name of the object ({} based on URL) was undeterminable: name must be provided",
                target.name
            )));
        }
        // A resource version is a precondition of an update only; a dry run shows it.
        objects::demanded(&object)?;
        if !request.dry_run() {
            object::section(&mut object, "metadata").remove("resourceVersion");
        }
        let uid = object::uid(&object);
        if !uid.is_empty() {
            let why = format!(
                "uid mismatch: the provided object specified uid {uid}, and no existing object was found"
            );
            return Err(conflict(&target.kind, &target.name, &why));
        }
        return objects::create(store, request, object).map(|created| (created, true));
    };
    let Some(applied) = fields::apply(whole(&old, target), &config, request)? else {
        if objects::is_stored_again(store, &target.kind, &old) {
            let live = whole(&old, target);
            let stored = objects::update(store, request, &old, live)?;
            return Ok((stored, false));
        }
        return Ok((old, false));
    };
    decode(&applied, &config, request)?;
    let stored = objects::update(store, request, &old, applied)?;
    Ok((stored, false))
}

/// Applies a scale, and returns its new state.
pub(crate) fn scale(store: &mut Store, request: &Request) -> Answer<Value> {
    let target = &request.target;
    let config = read(request, SCALE_VERSION, "Scale")?;
    let old = current(store, target)?;
    check(&config, request)?;
    let live = scale::get(target, &old)?;
    let object = whole(&old, target);
    let stored = match fields::apply_scale(&object, live, &config, request)? {
        Some(applied) => objects::update(store, request, &old, applied)?,
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
        return Err(bad_request(&format!(
            "invalid object type: {}",
            shown_kind(version, found)
        )));
    }
    Ok(config)
}

/// Checks that the new state of a built-in kind decodes: times, quantities and the like have a form of their own.
fn decode(object: &Value, config: &Value, request: &Request) -> Answer<()> {
    let target = &request.target;
    let Types::Builtin(name) = &target.version()?.types else {
        return Ok(());
    };
    let decoded = builtin::decode(builtin::schema(name), &mut object.clone());
    let Some(why) = decoded.unconverted else {
        return Ok(());
    };
    let kind = shown_kind(&target.api_version(), &target.kind.kind);
    Err(unexplained(&format!(
        "failed to convert new object ({}/{}; {kind}) to proper version: unable to convert unstructured object to {kind}: {why}",
        object::namespace(config),
        object::name(config),
    )))
}

/// Returns a kind as Go shows it.
fn shown_kind(api_version: &str, kind: &str) -> String {
    let slash = if api_version.contains('/') { "" } else { "/" };
    format!("{slash}{api_version}, Kind={kind}")
}

/// Checks that a configuration has the form and the fields of the kind.
fn check(config: &Value, request: &Request) -> Answer<()> {
    let errors = typed::errors(&fields::shape(request)?, config);
    if errors.is_empty() {
        if !at(config, "/metadata/managedFields").is_null() {
            return Err(bad_request("metadata.managedFields must be nil"));
        }
        return Ok(());
    }
    let errors = match errors.as_slice() {
        [error] => error.clone(),
        errors => format!("errors:\n  {}", errors.join("\n  ")),
    };
    Err(unexplained(&format!(
        "failed to create typed patch object ({}/{}; {}): {errors}",
        object::namespace(config),
        object::name(config),
        shown_kind(text(config, "/apiVersion"), text(config, "/kind")),
    )))
}
