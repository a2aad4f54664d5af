//! Reads the object of a request: checks that it fits the path, and decodes it into the types of its kind.

use std::mem;

use kube::core::response::Status;
use serde_json::{Map, Value, json};

use crate::{
    fields::{Shape, typed},
    handlers::patch,
    kinds::{
        builtin,
        kind::{Kind, Types},
        status::invalid,
        target::Target,
    },
    request::{APPLY, Notes, Request, STRATEGIC, Sent, Verb},
    values::{
        go,
        object::{self, at, map, section, text},
        status::{Answer, bad_request, cause, invalid_patch},
    },
};

/// Checks that the body matches the path, and fills in what the body omits.
pub(crate) fn identify(request: &Request, object: &mut Value) -> Answer<()> {
    let (target, kind) = (&request.target, &request.target.kind);
    if !object.is_object() {
        return Err(bad_request(
            "the object provided is unrecognized: expected a JSON object",
        ));
    }
    if kind.custom && request.content_type == APPLY {
        // What does not decode is not the client's to set.
        builtin::decode_metadata(object);
    }
    let differs = |found: &str, expected: &str| !found.is_empty() && found != expected;
    let (found, expected) = (text(object, "/apiVersion"), target.api_version());
    if differs(found, &expected) {
        return Err(bad_request(&format!(
            "the API version in the data ({found}) does not match the expected API version ({expected})"
        )));
    }
    if !kind.namespaced && !object::namespace(object).is_empty() {
        section(object, "metadata").remove("namespace");
    }
    let (found, name) = (text(object, "/kind"), object::name(object));
    if differs(found, &kind.kind) {
        let message = format!("Invalid value: {found:?}: must be {}", kind.kind);
        let named = Kind {
            kind: found.to_owned(),
            ..Kind::clone(kind)
        };
        let cause = cause("kind", "FieldValueInvalid", message);
        return Err(invalid(&named, name, vec![cause]));
    }
    if differs(object::namespace(object), &target.namespace) {
        return Err(bad_request(
            "the namespace of the provided object does not match the namespace sent on the request",
        ));
    }
    let is_change = matches!(request.verb, Verb::Update | Verb::Patch);
    if is_change && name.is_empty() {
        return Err(bad_request(&format!(
            "the name of the object ({} based on URL) was undeterminable: name must be provided",
            target.name
        )));
    }
    if !target.name.is_empty() && differs(name, &target.name) {
        return Err(bad_request(&format!(
            "the name of the object ({name}) does not match the name on the URL ({})",
            target.name
        )));
    }
    let fields = map(object);
    fields.insert("apiVersion".to_owned(), target.api_version().into());
    fields.insert("kind".to_owned(), kind.kind.clone().into());
    let metadata = section(object, "metadata");
    // In `metadata`, null means absent.
    metadata.retain(|_, value| !value.is_null());
    // Go does not write what is empty.
    metadata.retain(|field, value| match value {
        Value::Array(items) => !items.is_empty(),
        Value::Object(fields) => !fields.is_empty(),
        Value::String(text) => !text.is_empty() || field == "resourceVersion",
        _ => true,
    });
    if !target.namespace.is_empty() {
        metadata.insert("namespace".to_owned(), target.namespace.clone().into());
    }
    if !target.name.is_empty() {
        metadata.insert("name".to_owned(), target.name.clone().into());
    }
    Ok(())
}

/// Removes unknown fields from the object of a request, with warnings or an error as `fieldValidation` says.
pub(crate) fn decode(
    request: &Request,
    object: &mut Value,
    sent: &mut Sent,
    notes: &mut Notes,
) -> Answer<()> {
    let version = request.target.version()?;
    // Only the error of a patch shows the object.
    let whole = (request.verb == Verb::Patch).then(|| object.to_string());
    let types = match request.target.subresource.as_str() {
        "scale" => &Types::Builtin(builtin::SCALE),
        _ => &version.types,
    };
    let dropped = match types {
        Types::None => return Ok(()),
        Types::Custom { rules, .. } => {
            let dropped = rules.prune(object);
            rules.drop_nulls(object);
            if let Some(why) = builtin::decode_metadata(object) {
                return Err(undecodable(request, whole, &why));
            }
            if let Some(cause) = rules.undecodable(object).first() {
                return Err(undecodable(request, whole, &cause.to_string()));
            }
            if request.target.subresource == "status" {
                sent.is_untracked = !typed::is_typed(&Shape::root(version), object);
            }
            dropped
        }
        Types::Builtin(name) => {
            let decoded = builtin::decode(builtin::schema(name), object);
            let why = if is_converted(request) {
                decoded.unconverted
            } else {
                decoded.error
            };
            if let Some(why) = why {
                return Err(undecodable(request, whole, &why));
            }
            decoded.unknown
        }
    };
    let duplicates = mem::take(&mut sent.duplicates);
    let is_list = request.verb == Verb::Patch && request.content_type == patch::JSON;
    let place = if is_list { "json patch " } else { "" };
    let duplicates = duplicates
        .iter()
        .map(|path| format!("{place}duplicate field {path:?}"));
    let unknown = dropped.iter().map(|path| format!("unknown field {path:?}"));
    let messages: Vec<String> = duplicates.chain(unknown).collect();
    match request.query.get("fieldValidation").unwrap_or("Warn") {
        "Strict" if !messages.is_empty() => {
            let fields = messages.join(", ");
            Err(undecodable(
                request,
                whole,
                &format!("strict decoding error: {fields}"),
            ))
        }
        "Ignore" => Ok(()),
        _ => {
            notes.warnings.extend(messages);
            Ok(())
        }
    }
}

/// Removes nulls as the merge of a patch does: those of maps that are not in lists.
fn drop_nulls(patch: &mut Value) {
    if let Value::Object(fields) = patch {
        fields.retain(|_, field| !field.is_null());
        fields.values_mut().for_each(drop_nulls);
    }
}

/// Returns whether the new object is converted without JSON: that of a strategic merge patch.
fn is_converted(request: &Request) -> bool {
    request.verb == Verb::Patch && request.content_type == STRATEGIC
}

/// An object that is not one of its kind; of a patch, with the patched object.
fn undecodable(request: &Request, patched: Option<String>, why: &str) -> Box<Status> {
    if let Some(patched) = patched {
        let patched = match request.json() {
            Ok(mut patch) if is_converted(request) => {
                drop_nulls(&mut patch);
                Value::from(go::value(&patch))
            }
            _ => Value::from(patched),
        };
        return invalid_patch(&format!("Invalid value: {patched}: {why}"));
    }
    let target = &request.target;
    let (version, kind) = match target.subresource.as_str() {
        // The server does not know the type there.
        "scale" if target.kind.custom => {
            return bad_request(
                "no kind is registered for the type v1.Scale in scheme \"pkg/runtime/scheme.go:111\"",
            );
        }
        "scale" => ("v1", "Scale"),
        _ => (target.version.as_str(), target.kind.kind.as_str()),
    };
    bad_request(&format!(
        "{kind} in version {version:?} cannot be handled as a {kind}: {why}"
    ))
}

/// Returns whether the server writes the metadata of resources inside an applied object in another form.
pub(crate) fn is_rewritten(target: &Target, applied: &Value) -> bool {
    let Ok(version) = target.version() else {
        return false;
    };
    let Types::Custom { rules, .. } = &version.types else {
        return false;
    };
    let mut written = applied.clone();
    rules.prune(&mut written);
    !object::equal(&written, applied, &["metadata"])
}

/// Metadata that may be blank.
const BLANKS: &[&str] = &["labels", "annotations", "finalizers", "ownerReferences"];

/// Returns the blank metadata of an object.
pub(crate) fn blanks(object: &Value) -> Map<String, Value> {
    let fields = BLANKS.iter().filter_map(|name| {
        let value = at(object, "/metadata").get(name)?;
        let is_blank = value.is_null() || *value == json!({}) || *value == json!([]);
        is_blank.then(|| ((*name).to_owned(), value.clone()))
    });
    fields.collect()
}

/// Returns whether the server stores metadata in another form than it reads: what an apply leaves blank in that of a custom resource, or
/// writes otherwise inside it.
pub(crate) fn has_blanks(request: &Request, object: &Value) -> bool {
    let blank = |field: &&str| match at(object, "/metadata").get(field) {
        Some(Value::Object(fields)) => fields.is_empty() || fields.values().any(Value::is_null),
        Some(Value::Array(items)) => items.is_empty(),
        _ => false,
    };
    let target = &request.target;
    // The conversion to the storage version forgets it too.
    let storage = target.kind.storage.as_ref();
    let is_stored = storage.is_some_and(|it| it.version == target.version);
    let is_whole = is_stored && target.subresource.is_empty();
    let is_applied = is_whole && request.content_type == APPLY;
    is_applied && (BLANKS.iter().any(blank) || is_rewritten(target, object))
}
