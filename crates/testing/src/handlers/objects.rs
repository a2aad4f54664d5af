//! Prepares an object's new state for its admission, whatever the verb, checks it against the old one, and stores it after that.

use std::sync::Arc;

use kube::core::response::Status;
use serde_json::Value;

use crate::{
    admission::{Comparison, Draft, causes_of, definitions, namespaces},
    fields,
    handlers::{
        body::{self, identify},
        removal,
    },
    kinds::{
        builtin, convert,
        kind::{Kind, Types},
        status::{already_exists, conflict, invalid, invalid_resource, stale},
        store::Store,
    },
    rbac,
    request::{APPLY, Request, Sent, Verb},
    values::{
        object::{self, at, copy, deleting, map, now, section, text},
        status::{Answer, cause, malformed_version, unexplained},
    },
};

/// Fields of `metadata` that clients cannot write.
const SERVER_OWNED: &[&str] = &[
    "uid",
    "creationTimestamp",
    "generation",
    "deletionTimestamp",
    "deletionGracePeriodSeconds",
    "selfLink",
];

/// What a write has done.
#[derive(Debug)]
pub(crate) struct Write {
    /// The new state, as the client gets it.
    pub(crate) object: Arc<Value>,
    pub(crate) created: bool,
}

/// Prepares the creation of an object, up to its admission.
pub(crate) fn creation(
    store: &mut Store,
    request: &Request,
    mut object: Value,
    sent: Sent,
) -> Answer<Draft> {
    let kind = &request.target.kind;
    let is_blank = body::has_blanks(request, &object);
    identify(request, &mut object)?;
    name(store, kind, &mut object);
    let (namespace, name) = (
        object::namespace(&object).to_owned(),
        object::name(&object).to_owned(),
    );
    rbac::check_escalation(store, request, None, &object)?;
    definitions::admit(store, kind, &name)?;
    namespaces::admit(store, kind, &namespace, &name)?;
    let uid = store.uid(kind, &namespace, &name);
    let metadata = section(&mut object, "metadata");
    metadata.retain(|field, value| {
        let is_unversioned = field == "resourceVersion" && value == "";
        !SERVER_OWNED.contains(&field.as_str()) && !is_unversioned
    });
    metadata.insert("uid".to_owned(), uid.into());
    metadata.insert("creationTimestamp".to_owned(), now());
    if kind.generation {
        metadata.insert("generation".to_owned(), 1.into());
    }
    let strategy = builtin::strategy(kind);
    // The status of a Node may be created with it, and that of a request to a status has an owner.
    let is_main = request.target.subresource.is_empty();
    if request.target.version()?.status && is_main && !strategy.keeps_status {
        map(&mut object).remove("status");
    }
    (strategy.identify)(&mut object, &mut request.user.info());
    let mut draft = Draft::creation(object, sent);
    draft.comparison.is_blank = is_blank;
    Ok(draft)
}

/// Prepares the update of an existing object, up to its admission.
pub(crate) fn update(
    store: &Store,
    request: &Request,
    old: &Arc<Value>,
    mut object: Value,
    mut sent: Sent,
) -> Answer<Draft> {
    let (kind, target) = (&request.target.kind, &request.target);
    // Some comparisons of specifications tell an empty map or list from none.
    let strategy = builtin::strategy(kind);
    let compared = strategy.blanks;
    let has_new_blanks = match &target.version()?.types {
        Types::Builtin(name) if !compared.is_empty() => {
            let schema = at(builtin::schema(name), &format!("/properties/{compared}"));
            let part = |object| at(object, &format!("/{compared}"));
            builtin::has_new_blanks(schema, part(old), part(&object))
        }
        _ => false,
    };
    // A patch leaves a text in the quantities of a claim that the comparison with the new ones sees.
    let is_patched_claim =
        request.verb == Verb::Patch && request.content_type != APPLY && strategy.is_stored_again;
    let is_blank = body::has_blanks(request, &object);
    let is_applied = request.content_type == APPLY && kind.custom;
    let blanks = is_applied.then(|| body::blanks(&object));
    identify(request, &mut object)?;
    let name = target.name.as_str();
    match demanded(&object)? {
        None if strategy.needs_version => return Err(unversioned(kind, name)),
        Some(version) if version != object::revision(old) => return Err(stale(kind, name)),
        _ => {}
    }
    check_uid(request, old, &object)?;
    check_deletion(request, old, &object)?;
    rbac::check_escalation(store, request, Some(old), &object)?;
    let metadata = section(&mut object, "metadata");
    let previous = at(old, "/metadata");
    SERVER_OWNED
        .iter()
        .chain(&["resourceVersion"])
        .for_each(|field| copy(metadata, previous, field));
    sent.status = object.get("status").cloned();
    let has_status = target.version()?.status;
    let object = builtin::written(strategy, &target.subresource, has_status, old, object);
    let comparison = Comparison {
        is_blank,
        is_timed: is_blank || is_patched_claim,
        has_new_blanks,
        blanks,
        applied: is_applied.then(|| object.clone()),
    };
    let mut draft = Draft::update(old.clone(), object, sent);
    draft.comparison = comparison;
    Ok(draft)
}

/// Stores an admitted write; a dry run stores nothing.
pub(crate) fn commit(store: &mut Store, request: &Request, draft: Draft) -> Answer<Write> {
    let created = draft.old.is_none();
    let object = match draft.old.clone() {
        Some(old) if draft.is_same => old,
        Some(old) => replace(store, request, &old, draft)?,
        None => insert(store, request, draft)?,
    };
    Ok(Write { object, created })
}

/// Stores a new object and returns it.
fn insert(store: &mut Store, request: &Request, draft: Draft) -> Answer<Arc<Value>> {
    let (kind, object) = (&request.target.kind, draft.object);
    // The storage rejects a version, which a dry run does not reach, and knows those alone that are numbers.
    if !request.dry_run() && matches!(demanded(&object), Ok(Some(_))) {
        return Err(unexplained(
            "resourceVersion should not be set on objects to be created",
        ));
    }
    let (namespace, name) = (object::namespace(&object), object::name(&object));
    if let Some(found) = store.get(kind, namespace, name) {
        return Err(already_exists(kind, name, deleting(&found)));
    }
    if request.dry_run() {
        return Ok(Arc::new(object));
    }
    let saved = convert::save(store, &request.target, object)?;
    let stored = store.write(kind, saved);
    if draft.comparison.is_blank {
        store.blanks.insert(object::uid(&stored).to_owned());
    }
    store.reactions.created(store, kind, &stored);
    convert::load(store, &request.target, &stored)
}

/// Stores the new state of an object and returns it.
fn replace(
    store: &mut Store,
    request: &Request,
    old: &Arc<Value>,
    mut draft: Draft,
) -> Answer<Arc<Value>> {
    let (kind, target) = (&request.target.kind, &request.target);
    raise_generation(kind, old, &mut draft.object, target.version()?.status);
    let generation = at(old, "/metadata/generation").as_i64();
    let is_raised = at(&draft.object, "/metadata/generation").as_i64() != generation;
    if !is_raised && differs(request, old, &draft) {
        let generation = generation.unwrap_or_default() + 1;
        section(&mut draft.object, "metadata").insert("generation".to_owned(), generation.into());
    }
    let (mut object, comparison) = (draft.object, draft.comparison);
    let was_blank = store.blanks.contains(object::uid(old));
    let is_stored =
        was_blank || convert::is_stale(store, target) || is_stored_again(store, kind, old);
    if unchanged(old, &object, comparison.is_timed) && !is_stored {
        return Ok(old.clone());
    }
    if request.dry_run() {
        return Ok(Arc::new(object));
    }
    let is_kept = !object::list(&object, "/metadata/finalizers").is_empty();
    if deleting(old) && !is_kept && !removal::is_ending(store, &object) {
        // The object is removed in place of this write, so it keeps its version, and blanks that storing it would remove.
        section(&mut object, "metadata").extend(comparison.blanks.into_iter().flatten());
        let last = Arc::new(object);
        store.reactions.updated(store, kind, &last);
        return Ok(last);
    }
    let saved = convert::save(store, target, object)?;
    let stored = store.write(kind, saved);
    if comparison.is_blank {
        store.blanks.insert(object::uid(&stored).to_owned());
    }
    store.reactions.updated(store, kind, &stored);
    convert::load(store, target, &stored)
}

/// Returns whether the server counts a new state as another specification, though it is equal to the old one.
fn differs(request: &Request, old: &Value, draft: &Draft) -> bool {
    let (kind, target) = (&request.target.kind, &request.target);
    let is_main = target.subresource.is_empty();
    let is_regenerated = builtin::strategy(kind).is_regenerated;
    if is_main && is_regenerated(old, &draft.object) || draft.comparison.has_new_blanks {
        return true;
    }
    if !kind.custom || !is_main {
        return false;
    }
    // For custom resources, `1.0` differs from the stored `1`; an apply keeps the stored number.
    if request.content_type != APPLY {
        return draft.sent.has_whole_float;
    }
    // The comparison sees the metadata of embedded resources as it was applied.
    let applied = draft.comparison.applied.as_ref();
    applied.is_some_and(|applied| body::is_rewritten(target, applied))
}

/// Rejects a write that marks an object as deleted.
fn check_deletion(request: &Request, old: &Value, object: &Value) -> Answer<()> {
    let kind = &request.target.kind;
    let causes = ["deletionTimestamp", "deletionGracePeriodSeconds"].map(|field| {
        let pointer = format!("/metadata/{field}");
        let set =
            Some(at(object, &pointer)).filter(|it| !it.is_null() && at(old, &pointer).is_null());
        set.map(|it| {
            let message = format!("Invalid value: {it}: field is immutable");
            cause(format!("metadata.{field}"), "FieldValueInvalid", message)
        })
    });
    let causes: Vec<_> = causes.into_iter().flatten().collect();
    if causes.is_empty() {
        return Ok(());
    }
    Err(invalid(kind, &request.target.name, causes))
}

/// Rejects the uid of another object.
fn check_uid(request: &Request, old: &Value, object: &Value) -> Answer<()> {
    let (kind, target) = (&request.target.kind, &request.target);
    let name = target.name.as_str();
    let (theirs, ours) = (object::uid(object), object::uid(old));
    if !theirs.is_empty() && theirs != ours {
        if request.verb == Verb::Patch {
            let message = format!("Invalid value: {theirs:?}: field is immutable");
            let cause = cause("metadata.uid", "FieldValueInvalid", message);
            return Err(invalid(kind, name, causes_of(kind, cause)));
        }
        let group = if kind.custom {
            format!("{}/", kind.group)
        } else {
            String::new()
        };
        let why = format!(
            "StorageError: invalid object, Code: 4, Key: /registry/{group}{}/{}{name}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: {theirs}, UID in object meta: {ours}",
            kind.plural,
            target.namespace.clone() + if target.namespace.is_empty() { "" } else { "/" },
        );
        return Err(conflict(kind, name, &why));
    }
    Ok(())
}

/// An update of a kind whose updates must name the resource version that they replace.
fn unversioned(kind: &Kind, name: &str) -> Box<Status> {
    let missing = cause(
        "metadata.resourceVersion",
        "FieldValueInvalid",
        "Invalid value: 0: must be specified for an update",
    );
    invalid_resource(kind, name, vec![missing])
}

/// Generates a free name for an object that has only `generateName`.
fn name(store: &mut Store, kind: &Kind, object: &mut Value) {
    let prefix = text(object, "/metadata/generateName").to_owned();
    if prefix.is_empty() || !object::name(object).is_empty() {
        return;
    }
    let name = store.free_name(kind, object::namespace(object), &prefix);
    section(object, "metadata").insert("name".to_owned(), name.into());
}

/// Raises `metadata.generation` if more than metadata and, with `status`, the status has changed.
pub(crate) fn raise_generation(kind: &Kind, old: &Value, new: &mut Value, status: bool) {
    let ignored: &[&str] = if status {
        &["metadata", "apiVersion", "status"]
    } else {
        &["metadata", "apiVersion"]
    };
    if kind.generation && !object::equal(old, new, ignored) {
        let generation = at(old, "/metadata/generation").as_i64().unwrap_or_default() + 1;
        section(new, "metadata").insert("generation".to_owned(), generation.into());
    }
}

/// Returns whether a write is stored even if it changes nothing: kube-apiserver stores the first one after the creation of a claim.
pub(crate) fn is_stored_again(store: &mut Store, kind: &Kind, old: &Value) -> bool {
    if !builtin::strategy(kind).is_stored_again {
        return false;
    }
    let revision = object::revision(old);
    let last = store.collection(kind).since(revision.saturating_sub(1));
    let last = last.ok().and_then(|mut changes| changes.next());
    last.is_some_and(|last| last.revision == revision && last.old.is_none())
}

/// Returns whether a write changes nothing: the server then stores nothing, and no watch gets an event.
fn unchanged(old: &Value, new: &Value, times: bool) -> bool {
    let metadata = |object| at(object, "/metadata");
    if times {
        return object::equal(old, new, &["apiVersion"]);
    }
    object::equal(old, new, &["apiVersion", "metadata"])
        && object::equal(metadata(old), metadata(new), &["managedFields"])
        && fields::equal_without_times(old, new)
}

/// Removes the resource version of an object that an update creates: it is a precondition of updates alone. A dry run shows it.
pub(crate) fn unversion(object: &mut Value, request: &Request) -> Answer<()> {
    demanded(object)?;
    if !request.dry_run() {
        section(object, "metadata").remove("resourceVersion");
    }
    Ok(())
}

/// Returns the resource version that a client demands; 0 and none demand nothing.
fn demanded(object: &Value) -> Answer<Option<u64>> {
    let version = text(object, "/metadata/resourceVersion");
    if version.is_empty() {
        return Ok(None);
    }
    let is_number = version.bytes().all(|it| it.is_ascii_digit());
    let number = version.parse().ok().filter(|_| is_number);
    let number: u64 = number.ok_or_else(|| malformed_version(version))?;
    Ok(Some(number).filter(|number| *number > 0))
}
