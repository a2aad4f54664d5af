//! Builds the `Status` of errors about an object of a kind.

use kube::core::response::{Status, StatusCause, StatusDetails, reason};

use crate::{kinds::kind::Kind, values::status::no_details};

fn about(kind: &Kind, name: &str) -> StatusDetails {
    StatusDetails {
        name: name.to_owned(),
        group: kind.group.clone(),
        kind: kind.plural.clone(),
        ..no_details()
    }
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

pub(crate) fn already_exists(kind: &Kind, name: &str, deleting: bool) -> Box<Status> {
    let why = if deleting {
        "object is being deleted: "
    } else {
        ""
    };
    let message = format!("{why}{} \"{name}\" already exists", kind.qualified());
    let status = Status::failure(&message, reason::ALREADY_EXISTS);
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

/// An object that breaks a rule; `causes` hold the message without the field.
pub(crate) fn invalid(kind: &Kind, name: &str, causes: Vec<StatusCause>) -> Box<Status> {
    let parts = causes
        .iter()
        .map(|cause| format!("{}: {}", cause.field, cause.message));
    let mut parts: Vec<_> = parts.collect();
    parts.dedup();
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

/// As [`invalid`], named by the resource.
pub(crate) fn invalid_resource(kind: &Kind, name: &str, causes: Vec<StatusCause>) -> Box<Status> {
    let resource = Kind {
        kind: kind.plural.clone(),
        ..kind.clone()
    };
    invalid(&resource, name, causes)
}

/// A precondition of a deletion that does not hold.
pub(crate) fn precondition(kind: &Kind, name: &str, why: &str) -> Box<Status> {
    // Named by the kind there.
    let named = Kind {
        plural: kind.kind.clone(),
        ..kind.clone()
    };
    conflict(&named, name, why)
}

/// Returns the error of an admission plugin or of the authorisation.
pub(crate) fn forbidden(kind: &Kind, name: &str, why: &str) -> Box<Status> {
    let message = format!("{} {name:?} is forbidden: {why}", kind.qualified());
    let message = if name.is_empty() {
        message.replacen(" \"\"", "", 1)
    } else {
        message
    };
    let details = StatusDetails {
        name: name.to_owned(),
        group: kind.group.clone(),
        kind: kind.plural.clone(),
        ..no_details()
    };
    Status::failure(&message, reason::FORBIDDEN)
        .with_code(403)
        .with_details(details)
        .boxed()
}
