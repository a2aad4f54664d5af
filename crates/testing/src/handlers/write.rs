//! The verbs create, update and patch.
//!
//! What a client sent becomes a draft; admission completes it, webhooks change it, it is validated, webhooks may reject it, and it is
//! stored. All this happens while the store is locked, unless a webhook is called over HTTP: then the store is free meanwhile, and the
//! write starts again if another one has changed the object since.

use std::sync::Arc;

use serde_json::Value;

use crate::{
    admission::{
        self, Draft, policies,
        webhooks::{Hooks, in_process},
    },
    fields,
    handlers::{apply, body, objects, objects::Write, patch, removal, scale},
    kinds::{
        builtin,
        convert::{current, found, retried},
        scale::scale_of,
        status::{not_found, stale},
        store::{Backend, Store},
        target::{shared, whole},
    },
    rbac::{self, Attributes},
    request::{APPLY, Notes, Request, Sent, Verb},
    storage::lock,
    values::{
        object::{self, deleting},
        status::Answer,
    },
};

/// How often a write starts again because of another one; kube-apiserver gives up as early.
const ATTEMPTS: usize = 5;

/// Executes a write, with the webhooks that are called over HTTP.
pub(crate) async fn write(
    backend: &Backend,
    request: &Request,
    notes: &mut Notes,
) -> Answer<Write> {
    let hooks = Hooks::of(&lock(&backend.store), request);
    if hooks.is_empty() {
        return retried(backend, |store| {
            *notes = Notes::default();
            now(store, request, notes)
        })
        .await;
    }
    for _ in 0..ATTEMPTS {
        let draft = retried(backend, |store| {
            *notes = Notes::default();
            propose(store, request, notes)
        });
        let mut draft = draft.await?;
        hooks.mutate(backend, request, &mut draft, notes).await?;
        let (mutated, kept) = (draft, notes.warnings.len());
        let admitted = retried(backend, |store| {
            notes.warnings.truncate(kept);
            let mut draft = mutated.clone();
            admit(store, request, &mut draft, notes)?;
            Ok((draft, store.revision()))
        });
        let (draft, revision) = admitted.await?;
        hooks.validate(backend, request, &draft, notes).await?;
        let written = retried(backend, |store| {
            if is_outdated(store, request, &draft) {
                return Ok(None);
            }
            let mut draft = draft.clone();
            if !draft.is_same && store.revision() != revision {
                // Quotas and addresses may have been used up meanwhile.
                draft = mutated.clone();
                admission::validate(store, request, &mut draft, &mut Notes::default())?;
            }
            commit(store, request, draft).map(Some)
        });
        if let Some(write) = written.await? {
            return Ok(write);
        }
    }
    Err(stale(&request.target.kind, &request.target.name))
}

/// Executes a write without the webhooks that are called over HTTP.
pub(crate) fn now(store: &mut Store, request: &Request, notes: &mut Notes) -> Answer<Write> {
    let mut draft = propose(store, request, notes)?;
    admit(store, request, &mut draft, notes)?;
    commit(store, request, draft)
}

/// Reads what a client sent, and completes it.
fn propose(store: &mut Store, request: &Request, notes: &mut Notes) -> Answer<Draft> {
    let mut draft = match request.verb {
        Verb::Create => create(store, request, notes),
        Verb::Update => update(store, request, notes),
        _ => patch(store, request, notes),
    }?;
    if !draft.is_same {
        admission::complete(store, request, &mut draft, notes)?;
    }
    policies::mutate(store, request, &mut draft)?;
    Ok(draft)
}

/// Has the webhooks of this process change a draft, validates it, and asks the policies and the webhooks about it.
fn admit(store: &mut Store, request: &Request, draft: &mut Draft, notes: &mut Notes) -> Answer<()> {
    if !draft.is_same {
        in_process::mutate(store, request, draft, notes)?;
    }
    policies::reinvoke(store, request, draft)?;
    if draft.is_same {
        return policies::validate(store, request, draft, notes);
    }
    admission::validate(store, request, draft, notes)?;
    authorize(store, request, draft, notes)?;
    policies::validate(store, request, draft, notes)?;
    in_process::validate(store, request, draft, notes)
}

/// An update or an apply that creates its object takes a second permission.
fn authorize(store: &Store, request: &Request, draft: &Draft, notes: &mut Notes) -> Answer<()> {
    if draft.old.is_some() || request.verb == Verb::Create || !store.authorization {
        return Ok(());
    }
    let verb = Verb::Create.as_str();
    let attributes = Attributes {
        verb,
        ..Attributes::of(request)
    };
    rbac::authorize(store, &request.user, &attributes).inspect_err(|_| notes.denied = Some(verb))
}

/// Returns whether another write has changed the object of an update, an apply or a patch since it was read, or created it.
fn is_outdated(store: &Store, request: &Request, draft: &Draft) -> bool {
    if request.verb == Verb::Create {
        return false;
    }
    let target = &request.target;
    let now = store.get(&target.kind, &target.namespace, &target.name);
    let revision = |object: &Option<Arc<Value>>| object.as_deref().map(object::revision);
    revision(&now) != revision(&draft.old)
}

fn commit(store: &mut Store, request: &Request, draft: Draft) -> Answer<Write> {
    let target = &request.target;
    let write = objects::commit(store, request, draft)?;
    let object = match target.subresource.as_str() {
        "scale" => scale_of(target, &write.object)?.into(),
        _ => shared(&write.object, target, request.metadata_only),
    };
    Ok(Write { object, ..write })
}

fn create(store: &mut Store, request: &Request, notes: &mut Notes) -> Answer<Draft> {
    request.query.check_write("CreateOptions")?;
    let (body, sent) = read(request, notes)?;
    objects::creation(store, request, body, sent)
}

fn update(store: &mut Store, request: &Request, notes: &mut Notes) -> Answer<Draft> {
    let target = &request.target;
    request.query.check_write("UpdateOptions")?;
    let (mut body, sent) = read(request, notes)?;
    if target.subresource == "scale" {
        let old = current(store, target)?;
        return scale::update(store, request, &old, &body, sent);
    }
    body::identify(request, &mut body)?;
    if let Some(old) = found(store, target)? {
        return objects::update(store, request, &old, body, sent);
    }
    if !builtin::strategy(&target.kind).creates(&target.subresource) {
        return Err(not_found(&target.kind, &target.name));
    }
    objects::unversion(&mut body, request)?;
    objects::creation(store, request, body, sent)
}

fn patch(store: &mut Store, request: &Request, notes: &mut Notes) -> Answer<Draft> {
    let target = &request.target;
    let is_scale = target.subresource == "scale";
    patch::check(request)?;
    request.query.check_write("PatchOptions")?;
    if request.content_type == APPLY {
        return if is_scale {
            apply::scale(store, request, notes)
        } else {
            apply::apply(store, request, notes)
        };
    }
    let old = current(store, target)?;
    let before = if is_scale {
        scale_of(target, &old)?
    } else {
        whole(&old, target)
    };
    let (mut new, mut sent) = patch::patched(request, before, notes)?;
    body::decode(request, &mut new, &mut sent, notes)?;
    if is_scale {
        return scale::update(store, request, &old, &new, sent);
    }
    objects::update(store, request, &old, new, sent)
}

/// Reads and decodes the object of a request.
fn read(request: &Request, notes: &mut Notes) -> Answer<(Value, Sent)> {
    let content = request.content()?;
    notes.warnings.extend(content.warnings);
    let (mut body, mut sent) = (content.value, content.sent);
    body::decode(request, &mut body, &mut sent, notes)?;
    Ok((body, sent))
}

/// Replaces the finalizers of a namespace; a deleted one without finalizers is removed.
pub(crate) fn finalize(store: &mut Store, request: &Request, notes: &mut Notes) -> Answer<Write> {
    let (body, _) = read(request, notes)?;
    let kind = &request.target.kind;
    let old = current(store, &request.target)?;
    let asked = object::text(&body, "/metadata/resourceVersion");
    if !asked.is_empty() && asked != object::text(&old, "/metadata/resourceVersion") {
        return Err(stale(kind, &request.target.name));
    }
    let mut new = Value::clone(&old);
    let spec = object::section(&mut new, "spec");
    object::copy(spec, object::at(&body, "/spec"), "finalizers");
    if object::list(&new, "/spec/finalizers").is_empty() {
        object::section(&mut new, "spec").remove("finalizers");
    }
    fields::track(&mut new, Some(&old), request, &Sent::default());
    let is_left = |pointer| object::list(&new, pointer).is_empty();
    let is_last = deleting(&new) && is_left("/spec/finalizers") && is_left("/metadata/finalizers");
    let object = if request.dry_run() {
        Arc::new(new)
    } else if is_last {
        removal::remove(store, kind, &old);
        Arc::new(new)
    } else {
        store.write(kind, new)
    };
    Ok(Write {
        object: shared(&object, &request.target, false),
        created: false,
    })
}
