//! The verbs get and list.

use std::sync::Arc;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ListMeta;
use serde_json::{Value, json};

use crate::{
    handlers::table::{Include, table},
    kinds::{
        convert::{current, loaded},
        scale::scale_of,
        store::Store,
        target::{Target, present, shared},
    },
    request::{Request, Selector},
    storage::{Snapshot, Stored},
    values::{
        object::{self, at, map},
        status::{Answer, bad_request, expired, too_large, too_old},
    },
};

/// In a token, the number of no list: it continues at the newest revision.
const NEWEST: u64 = 0;

pub(crate) fn get(store: &Store, request: &Request) -> Answer<Arc<Value>> {
    let target = &request.target;
    let asked = request.query.resource_version()?;
    if let Some(asked) = asked.filter(|asked| *asked > store.revision()) {
        return Err(too_large(asked, store.revision()));
    }
    let found = current(store, target)?;
    if target.subresource == "scale" {
        return scale_of(target, &found).map(Arc::new);
    }
    if request.table {
        let object = present(&found, target, false);
        let version = at(&object, "/metadata/resourceVersion");
        let metadata = json!({"resourceVersion": version});
        let include = Include::read(&request.query)?;
        return Ok(table(target, &[object], &metadata, include).into());
    }
    Ok(shared(&found, target, request.metadata_only))
}

pub(crate) fn list(store: &mut Store, request: &Request) -> Answer<Value> {
    let (target, query) = (&request.target, &request.query);
    query.check_list(false)?;
    let mut selector = Selector::read(query, target)?;
    if store.shards {
        selector = selector.with_shards(query)?;
    }
    let version = query.get("resourceVersion").unwrap_or_default();
    let (id, start, snapshot) = match query.get("continue").filter(|token| !token.is_empty()) {
        Some(_) if !matches!(version, "" | "0") => {
            let why = "specifying resource version is not allowed when using continue";
            return Err(bad_request(why));
        }
        Some(token) => resume(store, request, &selector, token)?,
        None => (None, 0, fresh(store, request, &selector)?),
    };
    let limit = query
        .number("limit")?
        .filter(|limit| *limit > 0)
        .and_then(|limit| usize::try_from(limit).ok());
    let end = limit.map_or(snapshot.objects.len(), |limit| {
        snapshot.objects.len().min(start.saturating_add(limit))
    });
    let page = snapshot.objects.get(start..end).unwrap_or_default();
    let page = loaded(store, target, page)?;
    let items: Vec<Value> = page.iter().map(|object| item(object, request)).collect();
    let mut metadata = json!({"resourceVersion": snapshot.revision.to_string()});
    if target.kind.custom {
        metadata["continue"] = "".into();
    }
    let remaining = snapshot.objects.len() - end;
    if remaining > 0 {
        let last = page
            .last()
            .map(|it| (object::namespace(it), object::name(it)));
        let (namespace, name) = last.unwrap_or_default();
        let id = id.unwrap_or_else(|| store.open_list(snapshot));
        let collection = collection(target);
        metadata["continue"] = format!("{id}.{end}.{collection}|{namespace}/{name}").into();
        if selector.is_empty() {
            metadata["remainingItemCount"] = remaining.into();
        }
    }
    if request.table {
        return Ok(table(target, &items, &metadata, Include::read(query)?));
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
    let asked = query.resource_version();
    let asked = asked.map_err(|why| {
        let message = format!("invalid resource version: {}", why.message);
        bad_request(&message)
    })?;
    if let Some(asked) = asked.filter(|asked| *asked > store.revision()) {
        return Err(too_large(asked, store.revision()));
    }
    // A page of a given revision is read exactly, unless the client asks otherwise.
    let is_exact = match query.get("resourceVersionMatch").unwrap_or_default() {
        "" => query.get("limit").is_some_and(|limit| limit != "0"),
        matching => matching == "Exact",
    };
    let asked = asked.filter(|asked| is_exact && *asked > 0);
    let revision = asked.unwrap_or(store.revision());
    let past = asked.map(|asked| store.at(&target.kind, &target.namespace, asked));
    let past = past
        .transpose()
        .map_err(|oldest| too_old(revision, oldest))?;
    let objects: Vec<&Stored> = match &past {
        Some(objects) => objects.iter().collect(),
        None => store.stored(&target.kind, &target.namespace).collect(),
    };
    let objects = if selector.is_empty() {
        objects.into_iter().cloned().collect()
    } else {
        let values = loaded(store, target, objects.iter().copied())?;
        let pairs = objects.into_iter().zip(values);
        pairs
            .filter(|(_, value)| selector.matches(value))
            .map(|(object, _)| object.clone())
            .collect()
    };
    Ok(Snapshot { revision, objects })
}

/// Continues a list. The token of one that has expired comes with another, which continues after the same object at the newest revision: the
/// whole is not a consistent list then.
fn resume(
    store: &Store,
    request: &Request,
    selector: &Selector,
    token: &str,
) -> Answer<(Option<u64>, usize, Snapshot)> {
    let mut parts = token.splitn(3, '.');
    let id = parts.next().and_then(|part| part.parse().ok());
    let start = parts.next().and_then(|part| part.parse().ok());
    let place = parts.next().and_then(|part| part.split_once('|'));
    let (Some(id), Some(start), Some((of, last))) = (id, start, place) else {
        return Err(bad_request("continue key is not valid"));
    };
    // The token of another collection names a place in this one.
    if id == NEWEST || of != collection(&request.target) {
        let snapshot = fresh(store, request, selector)?;
        let is_before = |it: &Stored| {
            let value = it.value();
            let place = (object::namespace(&value), object::name(&value));
            Some(place) <= last.split_once('/')
        };
        let start = snapshot.objects.partition_point(is_before);
        return Ok((None, start, snapshot));
    }
    let snapshot = store.snapshot(id).ok_or_else(|| {
        let mut status = expired("The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.");
        status.metadata = Some(ListMeta {
            continue_: Some(format!("{NEWEST}.0.{of}|{last}")),
            ..ListMeta::default()
        });
        status
    })?;
    Ok((Some(id), start, snapshot))
}

/// What a list reads.
fn collection(target: &Target) -> String {
    let kind = &target.kind;
    format!("{}/{}/{}", kind.group, kind.plural, target.namespace)
}

/// Returns an object as an item of a list; only built-in kinds omit `apiVersion` and `kind` there.
pub(crate) fn item(object: &Value, request: &Request) -> Value {
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
