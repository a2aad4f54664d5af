//! Server-side apply: merges a configuration into the live object and tracks field managers.
//!
//! It follows <https://kubernetes.io/docs/reference/using-api/server-side-apply/>. Lists merge by their schema or, in
//! built-in kinds, by the name of their field.

use std::sync::Arc;

use serde_json::Value;

use crate::{
    admit,
    managed::{self, Shape, fields},
    object::{at, section, text},
    request::{Request, present},
    status::{Answer, apply_conflict, bad_request, not_found},
    store::Store,
};

/// Applies a configuration. Returns the new state, and whether the object was created.
pub(crate) fn apply(store: &mut Store, request: &Request) -> Answer<(Arc<Value>, bool)> {
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
            return Err(not_found(&target.kind, &target.name));
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
    merge(&shape, &mut merged, &config);

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
    // Fields that this manager no longer applies are removed, unless another manager owns them too.
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

/// Merges the applied configuration into the live object; removes nothing.
fn merge(shape: &Shape<'_>, live: &mut Value, applied: &Value) {
    match (live, applied) {
        (Value::Object(live), Value::Object(applied)) if !shape.atomic() => {
            for (name, value) in applied {
                merge(
                    &shape.field(name),
                    live.entry(name.as_str()).or_insert(Value::Null),
                    value,
                );
            }
        }
        (Value::Array(live), Value::Array(applied)) => {
            let identities: Option<Vec<String>> =
                applied.iter().map(|item| shape.identity(item)).collect();
            let Some(identities) = identities else {
                live.clone_from(applied);
                return;
            };
            for (identity, item) in identities.iter().zip(applied) {
                match live
                    .iter_mut()
                    .find(|known| shape.identity(known).as_ref() == Some(identity))
                {
                    Some(known) => merge(&shape.items(), known, item),
                    None => live.push(item.clone()),
                }
            }
        }
        (live, applied) => *live = applied.clone(),
    }
}
