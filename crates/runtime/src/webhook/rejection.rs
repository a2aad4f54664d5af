//! Why a webhook rejects a request, as the API server reports it to the client.
use std::fmt;

use kube::{
    Resource,
    core::{
        Status,
        response::{StatusCause, StatusDetails, StatusSummary},
    },
};
use serde::Serialize;

use crate::{client::decode, record::Problem};

/// The reason why a webhook rejects a request. The client receives it as the status of its request.
///
/// ```
/// use kube_codegen_runtime::webhook::Rejection;
///
/// let rejection = Rejection::forbidden("only administrators may change the zone");
/// assert_eq!(rejection.status().code, 403);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Rejection(Box<Status>);

impl Rejection {
    /// The user lacks permission (403).
    pub fn forbidden(message: impl Into<String>) -> Self {
        Self::new(403, "Forbidden", message)
    }

    /// The request is malformed (400).
    pub fn bad_request(message: impl Into<String>) -> Self {
        Self::new(400, "BadRequest", message)
    }

    /// The webhook itself failed (500).
    pub fn internal(message: impl Into<String>) -> Self {
        Self::new(500, "InternalError", message)
    }

    /// A rejection with an HTTP status and a `reason` of the Kubernetes API, such as 409 and `Conflict`.
    pub fn new(code: u16, reason: &str, message: impl Into<String>) -> Self {
        Self(Box::new(Status {
            status: Some(StatusSummary::Failure),
            code,
            message: message.into(),
            reason: reason.to_owned(),
            ..Status::default()
        }))
    }

    /// Returns the status that the client receives.
    pub fn status(&self) -> &Status {
        &self.0
    }

    pub(super) fn into_status(self) -> Status {
        *self.0
    }

    /// The object has invalid fields (422).
    pub(super) fn invalid(kind: &str, group: &str, name: &str, causes: Vec<StatusCause>) -> Self {
        let fields: Vec<_> = causes
            .iter()
            .map(|cause| format!("{}: {}", cause.field, cause.message))
            .collect();
        let fields = match &fields[..] {
            [one] => one.clone(),
            all => format!("[{}]", all.join(", ")),
        };
        let of = if group.is_empty() {
            kind.to_owned()
        } else {
            format!("{kind}.{group}")
        };
        let mut rejection = Self::new(
            422,
            "Invalid",
            format!("{of} {name:?} is invalid: {fields}"),
        );
        rejection.0.details = Some(StatusDetails {
            name: name.to_owned(),
            group: group.to_owned(),
            kind: kind.to_owned(),
            causes,
            uid: String::new(),
            retry_after_seconds: 0,
        });
        rejection
    }
}

impl fmt::Display for Rejection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.message)
    }
}

impl std::error::Error for Rejection {}

impl From<String> for Rejection {
    fn from(message: String) -> Self {
        Self::forbidden(message)
    }
}

impl From<&str> for Rejection {
    fn from(message: &str) -> Self {
        Self::forbidden(message)
    }
}

#[cfg(feature = "validation")]
impl From<crate::validation::Error> for Rejection {
    /// Keeps the violations of an invalid object, with their fields.
    fn from(error: crate::validation::Error) -> Self {
        let crate::validation::Error::Invalid(invalid) = error else {
            return Self::internal(error.to_string());
        };
        let (kind, group) = invalid.kind.split_once('.').unwrap_or((&invalid.kind, ""));
        let causes = invalid.causes.iter().map(|cause| StatusCause {
            reason: cause.reason.to_string(),
            message: cause.message.clone(),
            field: cause.field.clone(),
        });
        Self::invalid(kind, group, &invalid.name, causes.collect())
    }
}

/// Collects the invalid fields of an object, with the messages of Kubernetes' own validation (`field.ErrorList`).
///
/// ```
/// use k8s_openapi::api::core::v1::ConfigMap;
/// use kube_codegen_runtime::webhook::FieldErrors;
///
/// let mut errors = FieldErrors::new();
/// errors.invalid("data.size", "huge", "must be a number");
/// errors.required("data.color", "");
/// let rejection = errors.finish(&ConfigMap::default()).unwrap_err();
/// assert_eq!(
///     rejection.to_string(),
///     r#"ConfigMap "" is invalid: [data.size: Invalid value: "huge": must be a number, data.color: Required value]"#,
/// );
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FieldErrors(Vec<StatusCause>);

impl FieldErrors {
    /// Creates an empty list.
    pub fn new() -> Self {
        Self::default()
    }

    /// The value breaks the rule described in `detail`.
    pub fn invalid(&mut self, field: &str, value: impl Serialize, detail: &str) {
        self.with_value("Invalid", "Invalid value", field, &value, detail);
    }

    /// The field is absent.
    pub fn required(&mut self, field: &str, detail: &str) {
        self.add("Required", field, &["Required value", detail]);
    }

    /// The field must not be set, or not be changed.
    pub fn forbidden(&mut self, field: &str, detail: &str) {
        self.add("Forbidden", field, &["Forbidden", detail]);
    }

    /// The value must be unique.
    pub fn duplicate(&mut self, field: &str, value: impl Serialize) {
        self.with_value("Duplicate", "Duplicate value", field, &value, "");
    }

    /// The value is not one of `supported`.
    pub fn not_supported(&mut self, field: &str, value: impl Serialize, supported: &[&str]) {
        let supported: Vec<_> = supported.iter().map(|one| format!("{one:?}")).collect();
        let detail = format!("supported values: {}", supported.join(", "));
        self.with_value("NotSupported", "Unsupported value", field, &value, &detail);
    }

    /// Whether there are no errors.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns `Ok` if there are no errors, and otherwise a rejection of `object` with status 422.
    pub fn finish<K: Resource<DynamicType = ()>>(self, object: &K) -> Result<(), Rejection> {
        if self.is_empty() {
            return Ok(());
        }
        let name = object.meta().name.as_deref().unwrap_or_default();
        Err(Rejection::invalid(
            &K::kind(&()),
            &K::group(&()),
            name,
            self.0,
        ))
    }

    fn with_value(
        &mut self,
        reason: &str,
        text: &str,
        field: &str,
        value: &impl Serialize,
        detail: &str,
    ) {
        // A value that is not JSON is left out.
        let value = serde_json::to_string(value).unwrap_or_default();
        self.add(reason, field, &[text, &value, detail]);
    }

    fn add(&mut self, reason: &str, field: &str, parts: &[&str]) {
        let parts: Vec<_> = parts
            .iter()
            .copied()
            .filter(|part| !part.is_empty())
            .collect();
        self.0.push(StatusCause {
            reason: format!("FieldValue{reason}"),
            message: parts.join(": "),
            field: field.to_owned(),
        });
    }
}

/// Returns the rejection of an object that does not decode.
pub(super) fn undecodable<K: Resource<DynamicType = ()>>(
    name: &str,
    problems: Vec<Problem>,
) -> Rejection {
    let causes = problems.into_iter().map(|problem| StatusCause {
        reason: "FieldValueTypeInvalid".to_owned(),
        message: decode::field_message(&K::kind(&()), problem.message),
        field: Some(problem.path)
            .filter(|path| !path.is_empty())
            .unwrap_or_else(|| "<nil>".to_owned()),
    });
    Rejection::invalid(&K::kind(&()), &K::group(&()), name, causes.collect())
}
