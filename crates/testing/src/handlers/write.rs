//! The verbs create, update, patch and delete.

use std::sync::Arc;

use kube::core::response::{Status, StatusDetails};
use serde_json::{Value, json};

use crate::{
    admission::admit,
    controllers::namespaces,
    handlers::{
        apply, body,
        gc::{self, Propagation},
        patch,
        read::{current, found, item, loaded},
        scale,
    },
    kinds::{builtin, convert},
    request::{APPLY, Request, Target, present, selector::Selector},
    storage::store::Store,
    values::{
        object::{self, at, text},
        status::{
            Answer, cause, document, invalid_options, no_details, not_allowed, not_found,
            precondition,
        },
    },
    webhooks::in_process,
};

pub(crate) fn create(store: &mut Store, request: &Request) -> Answer<Value> {
    let target = &request.target;
    if target.kind.namespaced && target.namespace.is_empty() {
        return Err(not_allowed());
    }
    let mut body = request.json()?;
    body::decode(request, &mut body)?;
    let stored = admit::create(store, request, body)?;
    Ok(present(&stored, target, request.metadata_only))
}

/// Returns the new state, and whether the update created the object.
pub(crate) fn update(store: &mut Store, request: &Request) -> Answer<(Value, bool)> {
    let target = &request.target;
    let mut body = request.json()?;
    if target.subresource == "scale" {
        let old = current(store, target)?;
        return Ok((scale::update(store, request, &old, &body)?, false));
    }
    body::decode(request, &mut body)?;
    if target.subresource == "finalize" {
        let object = namespaces::finalize(store, request, &body)?;
        return Ok((present(&object, target, false), false));
    }
    body::identify(request, &mut body)?;
    let found = found(store, target)?;
    if found.is_none() && target.subresource.is_empty() && builtin::creates_on_update(&target.kind)
    {
        object::demanded(&body)?;
        if !request.dry_run() {
            object::section(&mut body, "metadata").remove("resourceVersion");
        }
        let stored = admit::create(store, request, body)?;
        return Ok((present(&stored, target, request.metadata_only), true));
    }
    let old = found.ok_or_else(|| not_found(&target.kind, &target.name))?;
    let stored = admit::update(store, request, &old, body)?;
    Ok((present(&stored, target, request.metadata_only), false))
}

/// Returns the new state, and whether the patch created the object.
pub(crate) fn patch(store: &mut Store, request: &Request) -> Answer<(Value, bool)> {
    let target = &request.target;
    patch::check(request)?;
    if request.content_type == APPLY {
        if target.subresource == "scale" {
            return Ok((apply::scale(store, request)?, false));
        }
        let (stored, created) = apply::apply(store, request)?;
        return Ok((present(&stored, target, request.metadata_only), created));
    }
    let old = current(store, target)?;
    if target.subresource == "scale" {
        let new = patch::patched(request, &scale::get(target, &old)?)?;
        return Ok((scale::update(store, request, &old, &new)?, false));
    }
    let mut new = patch::patched(request, &present(&old, target, false))?;
    body::decode(request, &mut new)?;
    let stored = admit::update(store, request, &old, new)?;
    Ok((present(&stored, target, request.metadata_only), false))
}

pub(crate) fn delete(store: &mut Store, request: &Request) -> Answer<Value> {
    let target = &request.target;
    if !target.subresource.is_empty() {
        return Err(not_allowed());
    }
    let options = Options::read(request)?;
    let found = current(store, target)?;
    namespaces::admit_delete(store, &target.kind, &target.name)?;
    options.check(request, &found)?;
    in_process::validate(store, request, Some(&found), None)?;
    if options.dry_run {
        let kind = &target.kind;
        let shown = gc::would_delete(store, kind, &found, options.propagation, options.grace);
        return Ok(match shown {
            Some(marked) => present(&marked, target, false),
            None => deleted(target, &found),
        });
    }
    let stored = store.get(&target.kind, &target.namespace, &target.name);
    let (last, removed) = gc::delete(
        store,
        &target.kind,
        &stored.unwrap_or_else(|| found.clone()),
        options.propagation,
        options.grace,
    );
    let last = convert::load(store, target, &last)?;
    if !removed {
        return Ok(present(&last, target, false));
    }
    Ok(deleted(target, &last))
}

/// Returns the answer to a deletion that has removed the object.
fn deleted(target: &Target, last: &Value) -> Value {
    if builtin::returns_deleted(&target.kind) {
        let mut last = present(last, target, false);
        if target.kind.kind == "Pod" {
            if !object::deleting(&last) {
                gc::mark(&mut last, 0);
            }
            object::put(&mut last, "/metadata/deletionGracePeriodSeconds", 0.into());
        }
        return last;
    }
    let details = StatusDetails {
        name: target.name.clone(),
        group: target.kind.group.clone(),
        kind: target.kind.plural.clone(),
        uid: object::uid(last).to_owned(),
        ..no_details()
    };
    document(&Status::success().with_details(details))
}

pub(crate) fn delete_collection(store: &mut Store, request: &Request) -> Answer<Value> {
    let target = &request.target;
    let selector = Selector::read(&request.query, target)?;
    let options = Options::read(request)?;
    let chosen = loaded(store, target, store.stored(&target.kind, &target.namespace))?;
    let chosen = chosen.into_iter().filter(|object| selector.matches(object));
    let chosen: Vec<Arc<Value>> = chosen.collect();
    for object in chosen.iter().filter(|_| !options.dry_run) {
        let (namespace, name) = (object::namespace(object), object::name(object));
        // The deletion of one object may delete others.
        if let Some(stored) = store.get(&target.kind, namespace, name) {
            let propagation = options.propagation;
            gc::delete(store, &target.kind, &stored, propagation, options.grace);
        }
    }
    let items: Vec<_> = chosen.iter().map(|object| item(object, request)).collect();
    let mut metadata = json!({"resourceVersion": store.revision.to_string()});
    if target.kind.custom {
        metadata["continue"] = "".into();
    }
    Ok(
        json!({"apiVersion": target.api_version(), "kind": target.kind.list_kind, "metadata": metadata, "items": items}),
    )
}

/// `DeleteOptions` from the body, or from the query if there is no body.
struct Options {
    propagation: Propagation,
    grace: Option<i64>,
    uid: Option<String>,
    resource_version: Option<String>,
    dry_run: bool,
}

impl Options {
    fn read(request: &Request) -> Answer<Self> {
        let body = request.json()?;
        let modes = at(&body, "/dryRun");
        let known = |mode: &Value| mode == "All";
        if !modes.as_array().into_iter().flatten().all(known) {
            let message = format!("Unsupported value: {modes}: supported values: \"All\"");
            let cause = cause("dryRun", "FieldValueNotSupported", message);
            return Err(invalid_options("DeleteOptions", vec![cause]));
        }
        let query = |name: &str| {
            let found = request.query.get(name).filter(|_| body.is_null());
            found.unwrap_or_default().to_owned()
        };
        let policy = match text(&body, "/propagationPolicy") {
            "" => query("propagationPolicy"),
            policy => policy.to_owned(),
        };
        let propagation = match policy.as_str() {
            "" if request.target.kind.kind == "Job" && !request.target.kind.custom => {
                request.warnings.borrow_mut().push("child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning".to_owned());
                Propagation::Orphan
            }
            "" | "Background" => Propagation::Background,
            "Foreground" => Propagation::Foreground,
            "Orphan" => Propagation::Orphan,
            other => {
                let message = format!(
                    "Unsupported value: {other:?}: supported values: \"Foreground\", \"Background\", \"Orphan\", \"nil\""
                );
                let cause = cause("propagationPolicy", "FieldValueNotSupported", message);
                return Err(invalid_options("DeleteOptions", vec![cause]));
            }
        };
        let condition = |name: &str| {
            let found = at(&body, "/preconditions").get(name)?;
            found.as_str().map(str::to_owned)
        };
        Ok(Self {
            propagation,
            grace: at(&body, "/gracePeriodSeconds")
                .as_i64()
                .or_else(|| query("gracePeriodSeconds").parse().ok()),
            uid: condition("uid"),
            resource_version: condition("resourceVersion"),
            dry_run: request.probe.is_some()
                || query("dryRun") == "All"
                || object::strings(&body, "/dryRun")
                    .iter()
                    .any(|mode| mode == "All"),
        })
    }

    fn check(&self, request: &Request, found: &Value) -> Answer<()> {
        let target = &request.target;
        let version = text(found, "/metadata/resourceVersion");
        let uid = object::uid(found);
        let differs = |asked: &&String, own: &str| *asked != own;
        let other_uid = self.uid.as_ref().filter(|it| differs(it, uid));
        let other_version = self.resource_version.as_ref();
        let other_version = other_version.filter(|it| differs(it, version));
        let why = match (other_uid, other_version) {
            (Some(asked), _) => format!(
                "the UID in the precondition ({asked}) does not match the UID in record ({uid}). The object might have been deleted and then recreated"
            ),
            (None, Some(asked)) => format!(
                "the ResourceVersion in the precondition ({asked}) does not match the ResourceVersion in record ({version}). The object might have been modified"
            ),
            (None, None) => return Ok(()),
        };
        Err(precondition(&target.kind, &target.name, &why))
    }
}
