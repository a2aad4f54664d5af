//! The verbs get and list.

use std::sync::Arc;

use serde_json::{Value, json};

use crate::{
    events,
    object::{self, at, map},
    request::{Request, Target, present},
    scale,
    selector::Selector,
    status::{Answer, bad_request, expired, not_found, too_large, too_old},
    store::{Snapshot, Store},
    table::table,
};

pub(crate) fn get(store: &Store, request: &Request) -> Answer<Value> {
    let target = &request.target;
    let found = current(store, target)?;
    if target.subresource == "scale" {
        return scale::get(target, &found);
    }
    if request.table {
        let object = present(&found, target, false);
        let version = at(&object, "/metadata/resourceVersion");
        let metadata = json!({"resourceVersion": version});
        return Ok(table(target, &[object], &metadata));
    }
    Ok(present(&found, target, request.metadata_only))
}

pub(crate) fn current(store: &Store, target: &Target) -> Answer<Arc<Value>> {
    found(store, target).ok_or_else(|| not_found(&target.kind, &target.name))
}

/// Returns the object of a request in the form of its kind, if it exists.
pub(crate) fn found(store: &Store, target: &Target) -> Option<Arc<Value>> {
    let mut object = store.get(&target.kind, &target.namespace, &target.name)?;
    if events::stored_group(&target.kind) != target.kind.group {
        events::load(&target.kind, Arc::make_mut(&mut object));
    }
    Some(object)
}

pub(crate) fn list(store: &mut Store, request: &Request) -> Answer<Value> {
    let (target, query) = (&request.target, &request.query);
    let selector = Selector::read(query, target)?;
    let (id, start, snapshot) = match query.get("continue").filter(|token| !token.is_empty()) {
        Some(token) => resume(store, token)?,
        None => (None, 0, fresh(store, request, &selector)?),
    };
    let limit = query
        .number("limit")?
        .filter(|limit| *limit > 0)
        .and_then(|limit| usize::try_from(limit).ok());
    let end = limit.map_or(snapshot.objects.len(), |limit| {
        snapshot.objects.len().min(start.saturating_add(limit))
    });
    let items: Vec<Value> = snapshot
        .objects
        .get(start..end)
        .unwrap_or_default()
        .iter()
        .map(|object| item(object, request))
        .collect();
    let mut metadata = json!({"resourceVersion": snapshot.revision.to_string()});
    if target.kind.custom {
        metadata["continue"] = "".into();
    }
    let remaining = snapshot.objects.len() - end;
    if remaining > 0 {
        let id = id.unwrap_or_else(|| store.open_list(snapshot));
        metadata["continue"] = format!("{id}.{end}").into();
        if selector.is_empty() {
            metadata["remainingItemCount"] = remaining.into();
        }
    }
    if request.table {
        return Ok(table(target, &items, &metadata));
    }
    let mut list = if request.metadata_only {
        json!({"apiVersion": "meta.k8s.io/v1", "kind": "PartialObjectMetadataList", "metadata": metadata})
    } else {
        json!({"apiVersion": target.api_version(), "kind": target.kind.list_kind, "metadata": metadata})
    };
    map(&mut list).insert("items".to_owned(), items.into());
    Ok(list)
}

fn fresh(store: &Store, request: &Request, selector: &Selector) -> Answer<Snapshot> {
    let (target, query) = (&request.target, &request.query);
    if let Some(asked) = query.resource_version()? {
        if asked > store.revision {
            return Err(too_large(asked, store.revision));
        }
        // Older states are not kept, so an exact read needs the newest revision.
        if query.get("resourceVersionMatch") == Some("Exact") && asked != store.revision {
            return Err(too_old(asked, store.revision));
        }
    }
    let objects = store
        .list(&target.kind, &target.namespace)
        .into_iter()
        .filter(|object| selector.matches(object))
        .collect();
    Ok(Snapshot {
        revision: store.revision,
        objects,
    })
}

fn resume(store: &Store, token: &str) -> Answer<(Option<u64>, usize, Snapshot)> {
    let parts = token
        .split_once('.')
        .and_then(|(id, start)| Some((id.parse().ok()?, start.parse().ok()?)));
    let Some((id, start)) = parts else {
        return Err(bad_request("continue key is not valid"));
    };
    let snapshot = store.snapshot(id).ok_or_else(|| {
        expired("The provided continue parameter is too old to display a consistent list result. You must start a new list without the continue parameter.")
    })?;
    Ok((Some(id), start, snapshot))
}

/// Returns an object as an item of a list; only built-in kinds omit `apiVersion` and `kind` there.
fn item(object: &Value, request: &Request) -> Value {
    let mut shown = present(object, &request.target, request.metadata_only);
    if !request.target.kind.custom && !request.metadata_only {
        let fields = map(&mut shown);
        fields.remove("apiVersion");
        fields.remove("kind");
    }
    shown
}

/// Returns the object of a bookmark event.
pub(crate) fn bookmark(target: &Target, revision: u64, initial_end: bool) -> Value {
    let mut object = json!({
        "apiVersion": target.api_version(),
        "kind": target.kind.kind,
        "metadata": {"resourceVersion": revision.to_string(), "creationTimestamp": null},
    });
    if initial_end {
        object::put(
            &mut object,
            "/metadata/annotations",
            json!({"k8s.io/initial-events-end": "true"}),
        );
    }
    object
}
