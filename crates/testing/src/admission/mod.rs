//! Admits writes: completes an object's new state, asks plug-ins, policies and webhooks, and validates.
//!
//! It may use `fields`, `request`, `policies`, `kinds` and what those use.

mod change;
pub(crate) mod classes;
pub(crate) mod definitions;
mod draft;
mod limits;
pub(crate) mod namespaces;
mod pod_security;
pub(crate) mod policies;
mod service_ports;
mod tolerations;
pub(crate) mod webhooks;

use kube::core::response::StatusCause;
use serde_json::Value;

pub(crate) use self::{
    change::Change,
    draft::{Comparison, Draft},
};
use crate::{
    fields,
    kinds::{
        builtin,
        kind::{Kind, Types},
        names,
        status::invalid,
        store::Store,
    },
    request::{APPLY, Notes, Request},
    values::{
        numbers,
        object::{self, at, deleting},
        status::{Answer, bad_request, cause, of_field},
    },
};

/// Completes the new state of an object as far as webhooks get it: with defaults, what plug-ins set, and the owners of fields.
pub(crate) fn complete(
    store: &Store,
    request: &Request,
    draft: &mut Draft,
    notes: &mut Notes,
) -> Answer<()> {
    let (kind, version) = (&request.target.kind, request.target.version()?);
    let labels = at(&draft.object, "/metadata/labels").as_object();
    draft.is_labelled = labels.is_some_and(|it| !it.is_empty());
    match &version.types {
        Types::None => {
            normalize(draft);
        }
        Types::Custom { rules, .. } => {
            rules.prune(&mut draft.object);
            if request.content_type == APPLY {
                rules.apply_defaults_only(&mut draft.object);
            } else {
                rules.apply_defaults(&mut draft.object);
            }
            draft.unrounded = normalize(draft);
        }
        Types::Builtin(name) => {
            builtin::default(kind, builtin::schema(name), &mut draft.object);
            // What is stored has the defaults of another version.
            let stored = builtin::stored(kind, draft.object.take());
            draft.object = builtin::converted(kind, stored, &request.target.version);
        }
    }
    // What the server and webhooks set after this has no owner.
    fields::track(
        &mut draft.object,
        draft.old.as_deref(),
        request,
        &draft.sent,
    );
    let is_created_by_status = draft.old.is_none() && !request.target.subresource.is_empty();
    if is_created_by_status && matches!(version.types, Types::Builtin(_)) {
        object::map(&mut draft.object).remove("status");
    }
    plug_in(store, request, draft, notes)
}

/// Lets the plug-ins set what an object takes from others, most of them when it is created.
fn plug_in(store: &Store, request: &Request, draft: &mut Draft, notes: &mut Notes) -> Answer<()> {
    let (kind, object) = (&request.target.kind, &mut draft.object);
    tolerations::apply(kind, object);
    if draft.old.is_some() || kind.custom {
        return Ok(());
    }
    limits::set_defaults(store, kind, object);
    namespaces::admit_pod(store, kind, object)?;
    classes::apply(store, kind, object, notes)
}

/// Replaces the new state by the object that a webhook or a policy gives back.
fn set_object(request: &Request, draft: &mut Draft, object: Value) -> Answer<()> {
    draft.object = object;
    draft.is_same &= draft.old.as_deref() == Some(&draft.object);
    if draft.is_same {
        return Ok(());
    }
    draft.unrounded = None;
    draft.is_mutated = true;
    match &request.target.version()?.types {
        Types::None => {}
        Types::Custom { rules, .. } => {
            rules.prune(&mut draft.object);
            rules.apply_defaults(&mut draft.object);
        }
        Types::Builtin(name) => {
            let schema = builtin::schema(name);
            if let Some(why) = builtin::decode(schema, &mut draft.object).error {
                return Err(bad_request(&why));
            }
            builtin::default(&request.target.kind, schema, &mut draft.object);
        }
    }
    Ok(())
}

/// Brings the new state into the form that is stored, and validates it; validating webhooks come after that.
pub(crate) fn validate(
    store: &mut Store,
    request: &Request,
    draft: &mut Draft,
    notes: &mut Notes,
) -> Answer<()> {
    if draft.is_mutated {
        // The plug-ins have given their warnings before.
        plug_in(store, request, draft, &mut Notes::default())?;
    }
    let (kind, subresource) = (&request.target.kind, &request.target.subresource);
    let (old, object) = (draft.old.as_deref(), &mut draft.object);
    let strategy = builtin::strategy(kind);
    let mut causes = names::check(kind, strategy.name, object);
    let finalizers = old.map(|old| new_finalizers(kind, old, object));
    causes.extend(finalizers.into_iter().flatten());
    match &request.target.version()?.types {
        Types::None => {}
        Types::Custom { rules, .. } => {
            let sent = draft.unrounded.as_ref().unwrap_or(object);
            let found = match old {
                Some(old) if subresource == "status" => rules.validate_status_update(sent, old),
                Some(old) => rules.validate_update(sent, old),
                None => rules.validate(sent),
            };
            causes.extend(found.into_iter().map(of_field));
            if causes.is_empty() {
                notes.warnings.extend(names::warnings(old, object));
            }
        }
        Types::Builtin(name) => {
            let schema = builtin::schema(name);
            builtin::prepare(schema, kind, subresource, old, object, draft.is_labelled);
            classes::check(store, kind, object)?;
            causes.extend(builtin::validate(kind, subresource, old, object));
            // An invalid object gets errors alone, and an update of the status no warnings.
            if causes.is_empty() && subresource != "status" {
                notes
                    .warnings
                    .extend((strategy.warnings)(strategy, old, object));
            }
        }
    }
    // A Service that an update of its status creates has no address.
    if causes.is_empty() && subresource.is_empty() && strategy.is_allocated {
        causes.extend(service_ports::allocate(store, kind, old, object));
    }
    if !causes.is_empty() {
        return Err(invalid(kind, object::name(object), causes));
    }
    pod_security::admit(store, request, old, object, notes)?;
    limits::check(store, request, old, object)
}

/// An object that is being deleted gets no more finalizers.
fn new_finalizers(kind: &Kind, old: &Value, object: &Value) -> Vec<StatusCause> {
    let before = object::strings(old, "/metadata/finalizers");
    let added: Vec<_> = object::strings(object, "/metadata/finalizers")
        .into_iter()
        .filter(|name| !before.contains(name))
        .map(|name| format!("{name:?}"))
        .collect();
    if !deleting(old) || added.is_empty() {
        return Vec::new();
    }
    let message = format!(
        "Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{{{}}}",
        added.join(", ")
    );
    causes_of(
        kind,
        cause("metadata.finalizers", "FieldValueForbidden", message),
    )
}

/// Returns the causes of a violation in the metadata: custom resources are validated twice.
pub(crate) fn causes_of(kind: &Kind, cause: StatusCause) -> Vec<StatusCause> {
    vec![cause; if kind.custom { 2 } else { 1 }]
}

/// Brings numbers such as `1.0` into the form in which they are stored, and returns the object as it was, if there are any.
fn normalize(draft: &mut Draft) -> Option<Value> {
    let fields = draft.object.as_object().into_iter().flatten();
    let mut of_spec = fields.filter(|(name, _)| !matches!(name.as_str(), "metadata" | "status"));
    draft.sent.has_whole_float = of_spec.any(|(_, field)| numbers::has_whole_floats(field));
    let sent = numbers::has_whole_floats(&draft.object).then(|| draft.object.clone());
    if sent.is_some() {
        numbers::normalize(&mut draft.object);
    }
    sent
}
