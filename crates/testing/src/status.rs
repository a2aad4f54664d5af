//! Builds the `Status` responses of a real API server.

use kube::core::response::{Status, StatusCause, StatusDetails, reason};
use serde_json::{Value, json};

use crate::{kind::Kind, object::put};

/// The result of a verb; the error is sent to the client.
pub(crate) type Answer<T> = Result<T, Box<Status>>;

fn error(code: u16, reason: &str, message: &str) -> Box<Status> {
    Status::failure(message, reason).with_code(code).boxed()
}

/// Empty details.
pub(crate) fn no_details() -> StatusDetails {
    StatusDetails {
        name: String::new(),
        group: String::new(),
        kind: String::new(),
        uid: String::new(),
        causes: Vec::new(),
        retry_after_seconds: 0,
    }
}

fn about(kind: &Kind, name: &str) -> StatusDetails {
    StatusDetails {
        name: name.to_owned(),
        group: kind.group.clone(),
        kind: kind.plural.clone(),
        ..no_details()
    }
}

/// The path has an unknown group, version, resource or subresource.
pub(crate) fn no_resource() -> Box<Status> {
    let status = Status::failure(
        "the server could not find the requested resource",
        reason::NOT_FOUND,
    );
    status.with_code(404).with_details(no_details()).boxed()
}

pub(crate) fn not_found(kind: &Kind, name: &str) -> Box<Status> {
    let status = Status::failure(
        &format!("{} \"{name}\" not found", kind.qualified()),
        reason::NOT_FOUND,
    );
    status
        .with_code(404)
        .with_details(about(kind, name))
        .boxed()
}

pub(crate) fn already_exists(kind: &Kind, name: &str) -> Box<Status> {
    let status = Status::failure(
        &format!("{} \"{name}\" already exists", kind.qualified()),
        reason::ALREADY_EXISTS,
    );
    status
        .with_code(409)
        .with_details(about(kind, name))
        .boxed()
}

pub(crate) fn conflict(kind: &Kind, name: &str, why: &str) -> Box<Status> {
    let message = format!(
        "Operation cannot be fulfilled on {} \"{name}\": {why}",
        kind.qualified()
    );
    Status::failure(&message, reason::CONFLICT)
        .with_code(409)
        .with_details(about(kind, name))
        .boxed()
}

pub(crate) fn stale(kind: &Kind, name: &str) -> Box<Status> {
    conflict(
        kind,
        name,
        "the object has been modified; please apply your changes to the latest version and try again",
    )
}

/// Other managers own these fields: pairs of path and manager.
pub(crate) fn apply_conflict(owned: Vec<(String, String)>) -> Box<Status> {
    let plural = if owned.len() == 1 {
        "conflict"
    } else {
        "conflicts"
    };
    let message = format!("Apply failed with {} {plural}: ", owned.len());
    let parts: Vec<_> = owned
        .iter()
        .map(|(path, manager)| format!("conflict with \"{manager}\": {path}"))
        .collect();
    let causes = owned.into_iter().map(|(field, manager)| StatusCause {
        reason: "FieldManagerConflict".to_owned(),
        message: format!("conflict with \"{manager}\""),
        field,
    });
    let details = StatusDetails {
        causes: causes.collect(),
        ..no_details()
    };
    Status::failure(&(message + &parts.join(", ")), reason::CONFLICT)
        .with_code(409)
        .with_details(details)
        .boxed()
}

/// An object that breaks a rule; `causes` hold the message without the field.
pub(crate) fn invalid(kind: &Kind, name: &str, causes: Vec<StatusCause>) -> Box<Status> {
    let parts: Vec<_> = causes
        .iter()
        .map(|cause| format!("{}: {}", cause.field, cause.message))
        .collect();
    let what = if parts.len() == 1 {
        parts.concat()
    } else {
        format!("[{}]", parts.join(", "))
    };
    let message = format!("{} \"{name}\" is invalid: {what}", kind.qualified_kind());
    let details = StatusDetails {
        kind: kind.kind.clone(),
        causes,
        ..about(kind, name)
    };
    Status::failure(&message, reason::INVALID)
        .with_code(422)
        .with_details(details)
        .boxed()
}

/// One violation of one field.
pub(crate) fn cause(
    field: impl Into<String>,
    reason: &str,
    message: impl Into<String>,
) -> StatusCause {
    StatusCause {
        field: field.into(),
        reason: reason.to_owned(),
        message: message.into(),
    }
}

pub(crate) fn bad_request(message: &str) -> Box<Status> {
    error(400, reason::BAD_REQUEST, message)
}

/// The patch cannot be applied.
pub(crate) fn unprocessable(message: &str) -> Box<Status> {
    error(422, reason::INVALID, message)
}

pub(crate) fn not_allowed() -> Box<Status> {
    error(
        405,
        reason::METHOD_NOT_ALLOWED,
        "the server does not allow this method on the requested resource",
    )
}

pub(crate) fn unsupported_media_type(accepted: &str) -> Box<Status> {
    let message = format!(
        "the body of the request was in an unknown format - accepted media types include: {accepted}"
    );
    error(415, reason::UNSUPPORTED_MEDIA_TYPE, &message)
}

/// The resourceVersion or continue token is no longer available.
pub(crate) fn expired(message: &str) -> Box<Status> {
    error(410, reason::EXPIRED, message)
}

pub(crate) fn too_old(asked: u64, kept: u64) -> Box<Status> {
    expired(&format!("too old resource version: {asked} ({kept})"))
}

pub(crate) fn too_large(asked: u64, current: u64) -> Box<Status> {
    let message = format!("Too large resource version: {asked}, current: {current}");
    let causes = vec![cause(
        "",
        "ResourceVersionTooLarge",
        "Too large resource version",
    )];
    let details = StatusDetails {
        causes,
        retry_after_seconds: 1,
        ..no_details()
    };
    Status::failure(&message, reason::TIMEOUT)
        .with_code(504)
        .with_details(details)
        .boxed()
}

pub(crate) fn internal(message: &str) -> Box<Status> {
    error(500, reason::INTERNAL_ERROR, message)
}

/// Returns a `Status` as JSON.
pub(crate) fn document(status: &Status) -> Value {
    let mut value = json!(status);
    put(&mut value, "/apiVersion", "v1".into());
    put(&mut value, "/kind", "Status".into());
    if value.get("metadata").is_none_or(Value::is_null) {
        put(&mut value, "/metadata", json!({}));
    }
    value
}
