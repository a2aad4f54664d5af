//! Create, update, patch and delete requests in, the stored state out; what every write has in common is in `admit`.
use std::sync::Arc;

use kube::core::response::{Status, StatusDetails};
use serde_json::{Value, json};

use super::failure::{Answer, bad_request, cause, conflict, invalid, no_details, not_allowed};
use super::gc::{self, Propagation};
use super::object::{self, at, text};
use super::read::{current, present};
use super::request::Request;
use super::selector::Selector;
use super::store::Store;
use super::{admit, patch, subresource};

pub(super) fn create(store: &mut Store, request: &Request) -> Answer<Value> {
    let target = &request.target;
    if target.kind.namespaced && target.namespace.is_empty() {
        return Err(not_allowed());
    }
    let stored = admit::create(store, request, request.json()?)?;
    Ok(present(&stored, target, request.metadata_only))
}

pub(super) fn update(store: &mut Store, request: &Request) -> Answer<Value> {
    let target = &request.target;
    let old = current(store, target)?;
    let body = request.json()?;
    if target.subresource == "scale" {
        return subresource::update_scale(store, request, &old, &body);
    }
    if target.kind.custom && text(&body, "/metadata/resourceVersion").is_empty() {
        let missing = cause(
            "metadata.resourceVersion",
            "FieldValueInvalid",
            "Invalid value: 0: must be specified for an update",
        );
        return Err(invalid(&target.kind, &target.name, vec![missing]));
    }
    let stored = admit::update(store, request, &old, body)?;
    Ok(present(&stored, target, request.metadata_only))
}

/// The answer, and whether the patch has created the object.
pub(super) fn patch(store: &mut Store, request: &Request) -> Answer<(Value, bool)> {
    let target = &request.target;
    if request.content_type == patch::APPLY && target.subresource != "scale" {
        let (stored, created) = super::apply::apply(store, request)?;
        return Ok((present(&stored, target, request.metadata_only), created));
    }
    let old = current(store, target)?;
    if target.subresource == "scale" {
        let scale = patch::patched(request, &subresource::scale(target, &old)?)?;
        return Ok((
            subresource::update_scale(store, request, &old, &scale)?,
            false,
        ));
    }
    let new = patch::patched(request, &present(&old, target, false))?;
    let stored = admit::update(store, request, &old, new)?;
    Ok((present(&stored, target, request.metadata_only), false))
}

pub(super) fn delete(store: &mut Store, request: &Request) -> Answer<Value> {
    let target = &request.target;
    if !target.subresource.is_empty() {
        return Err(not_allowed());
    }
    let found = current(store, target)?;
    let options = Options::read(request)?;
    options.check(request, &found)?;
    if options.dry_run {
        return Ok(present(&found, target, false));
    }
    let (last, gone) = gc::delete(
        store,
        &target.kind,
        &found,
        options.propagation,
        options.grace,
    );
    if !gone {
        return Ok(present(&last, target, false));
    }
    let details = StatusDetails {
        name: target.name.clone(),
        group: target.kind.group.clone(),
        kind: target.kind.plural.clone(),
        uid: object::uid(&found).to_owned(),
        ..no_details()
    };
    Ok(status(&Status::success().with_details(details)))
}

pub(super) fn delete_collection(store: &mut Store, request: &Request) -> Answer<Value> {
    let target = &request.target;
    let selector = Selector::read(&request.query, target)?;
    let options = Options::read(request)?;
    let chosen: Vec<Arc<Value>> = store
        .list(&target.kind, &target.namespace)
        .into_iter()
        .filter(|object| selector.matches(object))
        .collect();
    if !options.dry_run {
        for object in &chosen {
            gc::delete(
                store,
                &target.kind,
                object,
                options.propagation,
                options.grace,
            );
        }
    }
    let items: Vec<_> = chosen
        .iter()
        .map(|object| present(object, target, request.metadata_only))
        .collect();
    let metadata = json!({"resourceVersion": store.revision.to_string()});
    Ok(
        json!({"apiVersion": target.api_version(), "kind": target.kind.list_kind, "metadata": metadata, "items": items}),
    )
}

/// A `Status` as it goes over the wire.
pub(super) fn status(status: &Status) -> Value {
    let mut value = json!(status);
    object::put(&mut value, "/apiVersion", "v1".into());
    object::put(&mut value, "/kind", "Status".into());
    if value.get("metadata").is_none_or(Value::is_null) {
        object::put(&mut value, "/metadata", json!({}));
    }
    value
}

/// `DeleteOptions` from the body, else from the query.
struct Options {
    propagation: Propagation,
    grace: Option<i64>,
    uid: String,
    resource_version: String,
    dry_run: bool,
}

impl Options {
    fn read(request: &Request) -> Answer<Self> {
        let body = request.json()?;
        let query = |name: &str| request.query.get(name).unwrap_or_default().to_owned();
        let policy = match text(&body, "/propagationPolicy") {
            "" => query("propagationPolicy"),
            policy => policy.to_owned(),
        };
        let propagation = match policy.as_str() {
            "" | "Background" => Propagation::Background,
            "Foreground" => Propagation::Foreground,
            "Orphan" => Propagation::Orphan,
            other => {
                return Err(bad_request(&format!(
                    "DeletionPropagation: Unsupported value: {other:?}"
                )));
            }
        };
        Ok(Self {
            propagation,
            grace: at(&body, "/gracePeriodSeconds")
                .as_i64()
                .or_else(|| query("gracePeriodSeconds").parse().ok()),
            uid: text(&body, "/preconditions/uid").to_owned(),
            resource_version: text(&body, "/preconditions/resourceVersion").to_owned(),
            dry_run: request.dry_run()
                || object::strings(&body, "/dryRun")
                    .iter()
                    .any(|mode| mode == "All"),
        })
    }

    fn check(&self, request: &Request, found: &Value) -> Answer<()> {
        let target = &request.target;
        let found_version = text(found, "/metadata/resourceVersion");
        for (what, asked, found) in [
            ("UID", &self.uid, object::uid(found)),
            ("ResourceVersion", &self.resource_version, found_version),
        ] {
            if !asked.is_empty() && asked != found {
                let why = format!(
                    "Precondition failed: {what} in precondition: {asked}, {what} in object meta: {found}"
                );
                return Err(conflict(&target.kind, &target.name, &why));
            }
        }
        Ok(())
    }
}
