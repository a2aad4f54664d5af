//! Server-side apply.
//!
//! It follows <https://kubernetes.io/docs/reference/using-api/server-side-apply/>.

use serde_json::{Value, json};

use crate::{
    admission::Draft,
    fields::{self, typed},
    handlers::objects,
    kinds::{
        builtin,
        convert::{current, found},
        kind::{SCALE_VERSION, Types},
        scale::scale_of,
        status::{conflict, not_found},
        store::Store,
        target::whole,
    },
    request::{Notes, Request, Sent},
    values::{
        object::{self, at, text},
        status::{Answer, bad_request, cause, invalid_options, unexplained},
    },
};

/// Prepares the state that a configuration gives.
pub(crate) fn apply(store: &mut Store, request: &Request, notes: &mut Notes) -> Answer<Draft> {
    let target = &request.target;
    let (config, sent) = read(request, &target.api_version(), &target.kind.kind, notes)?;
    let old = found(store, target)?;
    let is_main = target.subresource.is_empty();
    let is_creation = is_main || builtin::strategy(&target.kind).creates(&target.subresource);
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
        objects::unversion(&mut object, request)?;
        let uid = object::uid(&object);
        if !uid.is_empty() {
            let why = format!(
                "uid mismatch: the provided object specified uid {uid}, and no existing object was found"
            );
            return Err(conflict(&target.kind, &target.name, &why));
        }
        return objects::creation(store, request, object, sent);
    };
    let live = whole(&old, target);
    match fields::apply(live.clone(), &config, request)? {
        Some(applied) => {
            decode(&applied, &config, request)?;
            objects::update(store, request, &old, applied, sent)
        }
        None if objects::is_stored_again(store, &target.kind, &old) => {
            objects::update(store, request, &old, live, sent)
        }
        None => Ok(Draft::same(old, target)),
    }
}

/// Prepares the state that the configuration of a scale gives.
pub(crate) fn scale(store: &Store, request: &Request, notes: &mut Notes) -> Answer<Draft> {
    let target = &request.target;
    let (config, sent) = read(request, SCALE_VERSION, "Scale", notes)?;
    let old = current(store, target)?;
    check(&config, request)?;
    let live = scale_of(target, &old)?;
    let object = whole(&old, target);
    match fields::apply_scale(&object, live, &config, request)? {
        Some(applied) => objects::update(store, request, &old, applied, sent),
        None => Ok(Draft::same(old, target)),
    }
}

/// Reads a configuration of a kind.
fn read(
    request: &Request,
    api_version: &str,
    kind: &str,
    notes: &mut Notes,
) -> Answer<(Value, Sent)> {
    let content = request.content()?;
    notes.warnings.extend(content.warnings);
    let config = content.value;
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
    Ok((config, content.sent))
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
