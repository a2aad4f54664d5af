//! Server-side apply.
//!
//! It follows <https://kubernetes.io/docs/reference/using-api/server-side-apply/>.

use std::sync::Arc;

use serde_json::{Value, json};

use crate::{
    admit,
    managed::{self, Shape, typed},
    object::{self, at, text},
    read::found,
    request::{Request, present},
    status::{Answer, bad_request, cause, conflict, invalid_options, not_found, unexplained},
    store::Store,
};

/// Applies a configuration. Returns the new state, and whether the object was created.
pub(crate) fn apply(store: &mut Store, request: &Request) -> Answer<(Arc<Value>, bool)> {
    let target = &request.target;
    let config = request.json()?;
    if request.query.get("fieldManager").is_none_or(str::is_empty) {
        let message = "Required value: is required for apply patch";
        let cause = cause("fieldManager", "FieldValueRequired", message);
        return Err(invalid_options("PatchOptions", vec![cause]));
    }
    let (version, kind) = (text(&config, "/apiVersion"), text(&config, "/kind"));
    if version != target.api_version() || kind != target.kind.kind {
        let version = if version.contains('/') {
            version
        } else {
            &format!("/{version}")
        };
        return Err(bad_request(&format!(
            "invalid object type: {version}, Kind={kind}"
        )));
    }
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

/// Checks that a configuration has the form and the fields of the kind.
fn check(config: &Value, request: &Request) -> Answer<()> {
    let target = &request.target;
    if !at(config, "/metadata/managedFields").is_null() {
        return Err(bad_request("metadata.managedFields must be nil"));
    }
    let errors = typed::errors(&Shape::root(target.version()?), config);
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
        target.api_version(),
        target.kind.kind,
    )))
}
