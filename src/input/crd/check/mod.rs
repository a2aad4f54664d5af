//! Shows the violations of the API server's rules, which kube-codegen-schema knows, with codes and hints at their positions.
mod definition;
mod schema;
mod selectable;
mod webhook;

pub(super) use definition::definition;
pub(super) use schema::schema;

use crate::base::diag::Code;

const REJECTED: &str = "the API server rejects the CRD";

/// How a violation is shown.
#[derive(Debug)]
struct View {
    code: Code,
    message: String,
    hint: String,
    /// Whether it is about the key instead of its value.
    key: bool,
    /// Whether it is about what contains the value.
    of_parent: bool,
    /// What of the value it is about, as a JSON pointer.
    below: &'static str,
}

impl View {
    fn new(code: Code, message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            hint: hint.into(),
            key: false,
            of_parent: false,
            below: "",
        }
    }

    /// It is about the key.
    fn of_key(self) -> Self {
        Self { key: true, ..self }
    }

    /// It is about the map that contains the key.
    fn of_parent(self) -> Self {
        Self {
            key: true,
            of_parent: true,
            ..self
        }
    }
}
