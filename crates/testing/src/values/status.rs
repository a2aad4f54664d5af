//! Builds the `Status` responses of a real API server.

use kube::core::response::{Status, StatusCause, StatusDetails, reason};
use serde_json::{Value, json};

use crate::values::object::{map, put};

/// The result of a verb; the error is sent to the client.
pub(crate) type Answer<T> = Result<T, Box<Status>>;

pub(crate) fn error(code: u16, reason: &str, message: &str) -> Box<Status> {
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

/// The path has an unknown group, version, resource or subresource.
pub(crate) fn no_resource() -> Box<Status> {
    let status = Status::failure(
        "the server could not find the requested resource",
        reason::NOT_FOUND,
    );
    status.with_code(404).with_details(no_details()).boxed()
}

/// Other managers own these fields: pairs of manager and paths.
pub(crate) fn apply_conflict(owned: Vec<(String, Vec<String>)>) -> Box<Status> {
    let count: usize = owned.iter().map(|(_, paths)| paths.len()).sum();
    let message = match owned.as_slice() {
        [(manager, paths)] if count == 1 => {
            format!(
                "Apply failed with 1 conflict: conflict with {manager}: {}",
                paths.concat()
            )
        }
        owned => {
            let groups = owned.iter().map(|(manager, paths)| {
                format!("conflicts with {manager}:\n- {}", paths.join("\n- "))
            });
            let groups: Vec<_> = groups.collect();
            format!("Apply failed with {count} conflicts: {}", groups.join("\n"))
        }
    };
    let causes = owned.into_iter().flat_map(|(manager, paths)| {
        let paths = paths.into_iter();
        paths.map(move |field| StatusCause {
            reason: "FieldManagerConflict".to_owned(),
            message: format!("conflict with {manager}"),
            field,
        })
    });
    let details = StatusDetails {
        causes: causes.collect(),
        ..no_details()
    };
    Status::failure(&message, reason::CONFLICT)
        .with_code(409)
        .with_details(details)
        .boxed()
}

/// A patch whose result is not an object of the kind.
pub(crate) fn invalid_patch(message: &str) -> Box<Status> {
    let mut status = error(
        422,
        reason::INVALID,
        &format!(" \"\" is invalid: patch: {message}"),
    );
    status.details = Some(StatusDetails {
        causes: vec![cause("patch", "FieldValueInvalid", message)],
        ..no_details()
    });
    status
}

/// Options of a request that break a rule: the kind of the options and the violations.
pub(crate) fn invalid_options(options: &str, causes: Vec<StatusCause>) -> Box<Status> {
    let parts = causes.iter();
    let parts: Vec<_> = parts
        .map(|cause| format!("{}: {}", cause.field, cause.message))
        .collect();
    let what = match parts.as_slice() {
        [one] => one.clone(),
        parts => format!("[{}]", parts.join(", ")),
    };
    let message = format!("{options}.meta.k8s.io \"\" is invalid: {what}");
    let mut status = error(422, reason::INVALID, &message);
    status.details = Some(StatusDetails {
        group: "meta.k8s.io".to_owned(),
        kind: options.to_owned(),
        causes,
        ..no_details()
    });
    status
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

/// One violation that the rules for schemas or definitions found.
pub(crate) fn of_field(found: kube_codegen_schema::Cause) -> StatusCause {
    cause(found.field, found.reason.as_str(), found.message)
}

pub(crate) fn bad_request(message: &str) -> Box<Status> {
    error(400, reason::BAD_REQUEST, message)
}

/// The body asks for too much.
pub(crate) fn too_many_bytes(message: &str) -> Box<Status> {
    error(413, "RequestEntityTooLarge", message)
}

/// The request did not arrive in time.
pub(crate) fn timed_out() -> Box<Status> {
    let message = "Timeout: request did not complete within the allotted timeout";
    error(504, reason::TIMEOUT, message)
}

/// The patch cannot be applied.
pub(crate) fn unprocessable() -> Box<Status> {
    let message = "the server rejected our request due to an error in our request";
    let mut status = error(422, reason::INVALID, message);
    status.details = Some(no_details());
    status
}

/// The resource or subresource does not have this verb.
pub(crate) fn not_allowed() -> Box<Status> {
    let message = "the server does not allow this method on the requested resource";
    let mut status = error(405, reason::METHOD_NOT_ALLOWED, message);
    status.details = Some(no_details());
    status
}

/// The Pods of this server run no containers.
pub(crate) fn no_containers(subresource: &str) -> Box<Status> {
    let message = format!(
        "the API server in memory runs no containers: Pods have no subresource {subresource:?}"
    );
    error(405, reason::METHOD_NOT_ALLOWED, &message)
}

/// A disruption budget does not allow an eviction now.
pub(crate) fn disruption_budget(why: &str) -> Box<Status> {
    let message = "Cannot evict pod as it would violate the pod's disruption budget.";
    let mut status = error(429, reason::TOO_MANY_REQUESTS, message);
    status.details = Some(StatusDetails {
        causes: vec![cause("", "DisruptionBudget", why)],
        ..no_details()
    });
    status
}

pub(crate) fn unsupported_media_type(accepted: &str) -> Box<Status> {
    let message = format!(
        "the body of the request was in an unknown format - accepted media types include: {accepted}"
    );
    error(415, reason::UNSUPPORTED_MEDIA_TYPE, &message)
}

/// The route does not take the content type.
pub(crate) fn no_media_type() -> Box<Status> {
    let message = "415: Unsupported Media Type";
    let mut status = error(415, reason::UNSUPPORTED_MEDIA_TYPE, message);
    status.details = Some(no_details());
    status
}

/// The resourceVersion or continue token is no longer available.
pub(crate) fn expired(message: &str) -> Box<Status> {
    error(410, reason::EXPIRED, message)
}

pub(crate) fn too_old(asked: u64, kept: u64) -> Box<Status> {
    expired(&format!("too old resource version: {asked} ({kept})"))
}

pub(crate) fn too_large(asked: u64, current: u64) -> Box<Status> {
    let message = format!("Timeout: Too large resource version: {asked}, current: {current}");
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

/// An error of the server, for a reason that the details repeat.
pub(crate) fn internal(why: &str) -> Box<Status> {
    let details = StatusDetails {
        causes: vec![cause("", "", why.to_owned())],
        ..no_details()
    };
    let message = format!("Internal error occurred: {why}");
    let status = Status::failure(&message, reason::INTERNAL_ERROR);
    status.with_code(500).with_details(details).boxed()
}

/// A resource version that is not a number, in Go's words.
pub(crate) fn malformed_version(version: &str) -> Box<Status> {
    let is_number = !version.is_empty() && version.bytes().all(|it| it.is_ascii_digit());
    let why = if is_number {
        "value out of range"
    } else {
        "invalid syntax"
    };
    unexplained(&format!("strconv.ParseUint: parsing {version:?}: {why}"))
}

/// An error without a reason, as of a typed conversion that fails.
pub(crate) fn unexplained(message: &str) -> Box<Status> {
    error(500, "", message)
}

/// Returns a `Status` as JSON.
pub(crate) fn document(status: &Status) -> Value {
    let mut value = json!(status);
    put(&mut value, "/apiVersion", "v1".into());
    put(&mut value, "/kind", "Status".into());
    if value.get("metadata").is_none_or(Value::is_null) {
        put(&mut value, "/metadata", json!({}));
    }
    if status.reason.is_empty() {
        map(&mut value).remove("reason");
    }
    value
}
