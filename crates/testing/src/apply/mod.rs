//! Server-side apply: a configuration and the live object in, the merged object with its field owners out.
//!
//! The rules are those of <https://kubernetes.io/docs/reference/using-api/server-side-apply/>, with lists known by their schema or,
//! for built-in kinds, by the name of their field.
mod fields;
pub(super) mod managed;
mod merge;
mod shape;

use std::sync::Arc;

use serde_json::Value;

use super::admit;
use super::failure::{Answer, apply_conflict, bad_request};
use super::object::{at, section, text};
use super::read::present;
use super::request::Request;
use super::store::Store;
use shape::Shape;

/// Carries out an apply patch; the second value says whether it has created the object.
pub(super) fn apply(store: &mut Store, request: &Request) -> Answer<(Arc<Value>, bool)> {
    let target = &request.target;
    let config = request.json()?;
    if request.query.get("fieldManager").is_none_or(str::is_empty) {
        return Err(bad_request(
            "PatchOptions.meta.k8s.io \"\" is invalid: fieldManager: Required value: is required for apply patch",
        ));
    }
    if !config.is_object()
        || text(&config, "/apiVersion").is_empty()
        || text(&config, "/kind").is_empty()
    {
        return Err(bad_request(
            "invalid object type: apiVersion and kind must be set",
        ));
    }
    if !at(&config, "/metadata/managedFields").is_null() {
        return Err(bad_request("metadata.managedFields must be nil"));
    }
    let shape = Shape::root(target.version()?);
    let applied = managed::writable(fields::of(&shape, &config), request)?;
    let Some(old) = store.get(&target.kind, &target.namespace, &target.name) else {
        if !target.subresource.is_empty() {
            return Err(super::failure::not_found(&target.kind, &target.name));
        }
        let mut object = config;
        let mut owners = managed::Owners::default();
        owners.set(request, applied);
        section(&mut object, "metadata").insert("managedFields".to_owned(), owners.write());
        return admit::create(store, request, object).map(|created| (created, true));
    };
    let live = present(&old, target, false);
    let mut owners = managed::read(&live);
    let mut merged = live.clone();
    merge::merge(&shape, &mut merged, &config);

    let (before, others) = &mut owners.split(request);
    let mut conflicts = Vec::new();
    for other in &mut *others {
        let theirs = applied.intersection(&other.fields).filter(&|path, inner| {
            !inner && fields::value(&live, path) != fields::value(&merged, path)
        });
        conflicts.extend(
            theirs
                .paths()
                .into_iter()
                .map(|path| (path, other.manager.clone())),
        );
        other.fields = other.fields.difference(&theirs);
    }
    if !conflicts.is_empty() && !request.query.flag("force") {
        return Err(apply_conflict(conflicts));
    }
    // What this manager applied before and leaves out now goes, unless somebody else has it too.
    let kept = others
        .iter()
        .fold(applied.clone(), |kept, other| kept.union(&other.fields));
    before
        .difference(&applied)
        .difference(&kept)
        .remove_from(&mut merged);
    owners.set(request, applied);
    section(&mut merged, "metadata").insert("managedFields".to_owned(), owners.write());
    admit::update(store, request, &old, merged).map(|stored| (stored, false))
}
