//! Violations, as the API server reports them.

use std::fmt;

use serde_json::Value;

use crate::path;

/// One violation of one field: an entry of `details.causes` in the server's answer.
#[derive(Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct Cause {
    /// Path of the field, such as `spec.items[0].name`; `<nil>` where the server names no field.
    pub field: String,
    /// The kind of the violation.
    pub reason: Reason,
    /// The server's message, without the field.
    pub message: String,
    /// Path of the wrong value, also where the server names no field.
    at: String,
    /// Whether this only says what was not checked.
    is_note: bool,
}

/// The kind of a violation (`CauseType` of apimachinery).
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
#[non_exhaustive]
pub enum Reason {
    /// Two values that must differ are equal.
    Duplicate,
    /// The value is not permitted here.
    Forbidden,
    /// The server cannot check the value.
    Internal,
    /// The value breaks a rule.
    Invalid,
    /// The value is none of those that are permitted.
    NotSupported,
    /// A required value is absent.
    Required,
    /// The string is too long.
    TooLong,
    /// The list or map has too many items.
    TooMany,
    /// The value has another type.
    TypeInvalid,
}

impl Reason {
    /// Returns the reason as in the JSON form of a cause, such as `FieldValueInvalid`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Duplicate => "FieldValueDuplicate",
            Self::Forbidden => "FieldValueForbidden",
            Self::Internal => "InternalError",
            Self::Invalid => "FieldValueInvalid",
            Self::NotSupported => "FieldValueNotSupported",
            Self::Required => "FieldValueRequired",
            Self::TooLong => "FieldValueTooLong",
            Self::TooMany => "FieldValueTooMany",
            Self::TypeInvalid => "FieldValueTypeInvalid",
        }
    }

    /// Returns the start of a message.
    const fn text(self) -> &'static str {
        match self {
            Self::Duplicate => "Duplicate value",
            Self::Forbidden => "Forbidden",
            Self::Internal => "Internal error",
            Self::Invalid | Self::TypeInvalid => "Invalid value",
            Self::NotSupported => "Unsupported value",
            Self::Required => "Required value",
            Self::TooLong => "Too long",
            Self::TooMany => "Too many",
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.field, self.message)
    }
}

impl Cause {
    /// The message names the value, as Go formats it, unless `value` is empty.
    pub(crate) fn new(field: &str, reason: Reason, value: &str, detail: &str) -> Self {
        let parts = [reason.text(), value, detail];
        let parts: Vec<_> = parts.into_iter().filter(|part| !part.is_empty()).collect();
        Self {
            field: if field.is_empty() { "<nil>" } else { field }.to_owned(),
            reason,
            message: parts.join(": "),
            at: field.to_owned(),
            is_note: false,
        }
    }

    /// Takes a whole message.
    pub(crate) fn with_message(field: &str, reason: Reason, message: String) -> Self {
        Self {
            message,
            ..Self::new(field, reason, "", "")
        }
    }

    /// Says that the rules were not evaluated. The server adds this to the violations for which it does not.
    pub(crate) fn unchecked() -> Self {
        let why = "some validation rules were not checked because the object was invalid; correct the existing errors to complete validation";
        Self {
            is_note: true,
            ..Self::new("", Reason::Invalid, "null", why)
        }
    }

    /// Says what was not checked at a place.
    #[cfg(feature = "sample")]
    pub(crate) fn note(field: &str, why: &str) -> Self {
        Self {
            is_note: true,
            ..Self::with_message(field, Reason::Invalid, why.to_owned())
        }
    }

    /// Returns whether this is a violation: `false` for what the server adds to other violations, that it has not evaluated the rules.
    ///
    /// ```
    /// # use kube_codegen_schema::Schema;
    /// # use serde_json::json;
    /// let schema = Schema::new(&json!({"type": "object", "required": ["spec"], "x-kubernetes-validations": [{"rule": "has(self.spec)"}]}))?;
    /// let causes = schema.validate(&json!({}));
    /// let found: Vec<_> = causes.iter().map(|cause| (&*cause.field, cause.is_violation())).collect();
    /// assert_eq!(found, [("spec", true), ("<nil>", false)]);
    /// # Ok::<(), kube_codegen_schema::Error>(())
    /// ```
    pub const fn is_violation(&self) -> bool {
        !self.is_note
    }

    /// Sets the path of the wrong value where the server names no field.
    pub(crate) fn at(self, path: &str) -> Self {
        Self {
            at: path.to_owned(),
            ..self
        }
    }

    /// Returns the JSON pointer (RFC 6901) of the wrong value, or of the field that is missing, in the object that was validated.
    ///
    /// ```
    /// # use kube_codegen_schema::Schema;
    /// # use serde_json::json;
    /// let schema = Schema::new(&json!({"type": "object", "properties": {"spec": {
    ///     "type": "object", "additionalProperties": {"type": "string", "maxLength": 1},
    /// }}}))?;
    /// let object = json!({"spec": {"a.b/c": "too long"}});
    /// assert_eq!(schema.validate(&object)[0].pointer(&object), "/spec/a.b~1c");
    /// # Ok::<(), kube_codegen_schema::Error>(())
    /// ```
    pub fn pointer(&self, object: &Value) -> String {
        path::pointer(&self.at, object)
    }
}
