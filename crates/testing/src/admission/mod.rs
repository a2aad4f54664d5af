//! Admits writes: completes an object's new state, asks plug-ins and webhooks, and validates.
//!
//! It may use `fields`, `request`, `kinds` and what those use.

pub(crate) mod classes;
pub(crate) mod definitions;
mod limits;
pub(crate) mod namespaces;
mod service_ports;
pub(crate) mod webhooks;

use kube::core::response::StatusCause;
use serde_json::Value;

use webhooks::in_process;

use crate::{
    fields,
    kinds::{
        builtin, definition,
        kind::{Kind, Types},
        names,
        status::invalid,
        store::Store,
    },
    request::{APPLY, Probe, Request},
    values::{
        numbers,
        object::{self, at, deleting},
        patch,
        status::{Answer, cause, of_field},
    },
};

/// Completes the new state of an object and validates it: with defaults, what webhooks and plug-ins change, and the owners of fields.
pub(crate) fn complete(
    store: &mut Store,
    request: &Request,
    old: Option<&Value>,
    object: &mut Value,
) -> Answer<()> {
    let (kind, version) = (&request.target.kind, request.target.version()?);
    let labels = at(object, "/metadata/labels").as_object();
    let is_labelled = labels.is_some_and(|it| !it.is_empty());
    for patch in &request.patches {
        // The webhook has seen the object with its defaults.
        match &version.types {
            Types::None => {}
            Types::Custom { rules, .. } => {
                rules.apply_defaults(object);
            }
            Types::Builtin(name) => builtin::default(builtin::schema(name), object),
        }
        patch::json(object, patch)?;
    }
    let mut causes = names::check(kind, object);
    causes.extend(
        old.into_iter()
            .flat_map(|old| new_finalizers(kind, old, object)),
    );
    match &version.types {
        Types::None => {
            normalize_sent(request, object);
            fields::track(object, old, request);
        }
        Types::Custom { rules, .. } => {
            rules.prune(object);
            if request.content_type == APPLY {
                rules.apply_defaults_only(object);
            } else {
                rules.apply_defaults(object);
            }
            // The validation sees `1.0` as it was sent, all else as it is stored.
            let sent = normalize_sent(request, object);
            // What webhooks change has no owner.
            fields::track(object, old, request);
            let is_mutated = in_process::mutate(store, request, old, object)?;
            if is_mutated {
                rules.prune(object);
                rules.apply_defaults(object);
            }
            let sent = sent.filter(|_| !is_mutated);
            let sent = sent.as_ref().unwrap_or(object);
            let found = match old {
                Some(old) if request.target.subresource == "status" => {
                    rules.validate_status_update(sent, old)
                }
                Some(old) => rules.validate_update(sent, old),
                None => rules.validate(sent),
            };
            causes.extend(found.into_iter().map(of_field));
            if causes.is_empty() {
                let warnings = names::warnings(old, object);
                request.warnings.borrow_mut().extend(warnings);
            }
        }
        Types::Builtin(name) => {
            let schema = builtin::schema(name);
            builtin::default(schema, object);
            // What the server sets from here on has no owner.
            fields::track(object, old, request);
            let subresource = &request.target.subresource;
            if old.is_none() && !subresource.is_empty() {
                object::map(object).remove("status");
            }
            if old.is_none() {
                limits::set_defaults(store, kind, object);
                namespaces::admit_pod(store, kind, object)?;
            }
            if in_process::mutate(store, request, old, object)? {
                builtin::default(schema, object);
            }
            builtin::prepare(schema, kind, subresource, old, object, is_labelled);
            if old.is_none() {
                classes::apply(store, request, object)?;
            }
            classes::check(store, kind, object)?;
            causes.extend(builtin::validate(kind, subresource, old, object));
            // An invalid object gets errors alone, and an update of the status no warnings.
            let is_warned = causes.is_empty() && request.target.subresource != "status";
            let warnings = is_warned.then(|| builtin::warnings(kind, object));
            let warnings = warnings.into_iter().flatten();
            request.warnings.borrow_mut().extend(warnings);
        }
    }
    // A Service that an update of its status creates has no address.
    let is_main = request.target.subresource.is_empty();
    if causes.is_empty() && is_main && builtin::is_service(kind) {
        causes.extend(service_ports::allocate(store, kind, old, object));
    }
    if definition::is_definition(kind) {
        causes.extend(definition::check(object, old));
    }
    if request.probe == Some(Probe::Unvalidated) {
        Ok(())
    } else if causes.is_empty() {
        limits::check(store, request, old, object)?;
        in_process::validate(store, request, old, Some(object))
    } else {
        Err(invalid(kind, object::name(object), causes))
    }
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
fn normalize_sent(request: &Request, object: &mut Value) -> Option<Value> {
    let fields = object.as_object().into_iter().flatten();
    let mut of_spec = fields.filter(|(name, _)| !matches!(name.as_str(), "metadata" | "status"));
    let is_raised = of_spec.any(|(_, field)| numbers::has_whole_floats(field));
    request.has_whole_float.set(is_raised);
    let sent = numbers::has_whole_floats(object).then(|| object.clone());
    if sent.is_some() {
        numbers::normalize(object);
    }
    sent
}
